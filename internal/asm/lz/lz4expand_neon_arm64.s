//go:build !purego

#include "textflag.h"

// IN and OUT do not change while a sequence is read, so that a stop within it leaves both at its
// token.
#define IN       R0  // token of the sequence
#define OUT      R1  // where its literals go
#define INLAST   R2  // IN must be below: 64 bytes before the end
#define OUTLAST  R3  // OUT must be below: 64 bytes before the end
#define OUTSTART R4
#define COUNT    R5  // literals
#define LENGTH   R6  // of the match, less 4 until it is final; then where it ends
#define DISTANCE R7
#define AHEAD    R8  // the stream behind the literals
#define TARGET   R9  // the output behind the literals
#define FROM     R10 // the bytes to repeat there
#define TEMP     R11
#define ROOM     R12 // bytes from TARGET to OUTLAST
#define TABLE    R13

// func expandLZ4NEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)
TEXT ·expandLZ4NEON(SB), NOSPLIT, $0-88
	MOVD dst_base+0(FP), OUTSTART
	MOVD dst_len+8(FP), OUTLAST
	ADD  OUTSTART, OUTLAST
	SUB  $64, OUTLAST
	MOVD out+56(FP), OUT
	ADD  OUTSTART, OUT
	MOVD src_base+24(FP), IN
	MOVD src_len+32(FP), INLAST
	ADD  IN, INLAST
	SUB  $64, INLAST
	MOVD in+48(FP), TEMP
	ADD  TEMP, IN
	MOVD patterns+64(FP), TABLE

	PCALIGN $16
sequence:
	CMP   INLAST, IN
	BHS   done
	CMP   OUTLAST, OUT
	BHS   done
	MOVBU (IN), COUNT
	AND   $15, COUNT, LENGTH
	LSR   $4, COUNT, COUNT
	ADD   $1, IN, AHEAD
	VLD1  (AHEAD), [V0.B16]
	VST1  [V0.B16], (OUT)
	CMP   $15, COUNT
	BEQ   manyLiterals
	ADD   COUNT, AHEAD
	ADD   COUNT, OUT, TARGET

match:
	MOVHU (AHEAD), DISTANCE
	SUB   DISTANCE, TARGET, FROM
	CMP   OUTSTART, FROM
	BLO   done
	CMP   $15, LENGTH
	BEQ   longMatch
	CMP   $16, DISTANCE
	BLO   shortPattern
	VLD1  (FROM), [V0.B16]
	VST1  [V0.B16], (TARGET)
	MOVHU 16(FROM), TEMP // only now: it may be among those just written
	MOVH  TEMP, 16(TARGET)
matchDone:
	ADD   LENGTH, TARGET, OUT
	ADD   $4, OUT
	ADD   $2, AHEAD, IN
	B     sequence

shortPattern: // up to 18 bytes at a distance of 1 to 15
	CBZ  DISTANCE, done
	ADD  DISTANCE<<2, DISTANCE, TEMP // times 40
	LSL  $3, TEMP
	ADD  TABLE, TEMP
	VLD1 (FROM), [V0.B16]
	VLD1 (TEMP), [V1.B16, V2.B16]
	VTBL V1.B16, [V0.B16], V1.B16
	VTBL V2.B16, [V0.B16], V2.B16
	VST1 [V1.B16, V2.B16], (TARGET)
	B    matchDone

manyLiterals:
	CMP     INLAST, AHEAD
	BHS     done
	MOVBU.P 1(AHEAD), TEMP
	ADD     TEMP, COUNT
	CMP     $255, TEMP
	BEQ     manyLiterals
	SUBS    AHEAD, INLAST, TEMP
	BLO     done
	CMP     TEMP, COUNT
	BHI     done
	SUB     OUT, OUTLAST, TEMP
	CMP     TEMP, COUNT
	BHI     done
	ADD     COUNT, OUT, TARGET
	MOVD    OUT, FROM
literals32:
	VLD1.P 32(AHEAD), [V0.B16, V1.B16]
	VST1.P [V0.B16, V1.B16], 32(FROM)
	CMP    TARGET, FROM
	BLO    literals32
	SUB    TARGET, FROM // bytes too many
	SUB    FROM, AHEAD
	B      match

longMatch:
	ADD $2, AHEAD
longMatchMore:
	CMP     INLAST, AHEAD
	BHS     done
	MOVBU.P 1(AHEAD), TEMP
	ADD     TEMP, LENGTH
	CMP     $255, TEMP
	BEQ     longMatchMore
	ADD     $4, LENGTH
	SUB     TARGET, OUTLAST, ROOM
	CMP     ROOM, LENGTH
	BGT     done
	CBZ     DISTANCE, done
	ADD     TARGET, LENGTH
	MOVD    AHEAD, IN
	MOVD    LENGTH, OUT
	CMP     $32, DISTANCE
	BLO     longPattern
copy32:
	VLD1.P 32(FROM), [V0.B16, V1.B16]
	VST1.P [V0.B16, V1.B16], 32(TARGET)
	CMP    LENGTH, TARGET
	BLO    copy32
	B      sequence

longPattern:
	CMP  $16, DISTANCE
	BLO  longShuffle
	ADD  $16, TARGET, TEMP // once to the end of the pattern, then from twice as far
	ADD  $16, FROM, ROOM
	VLD1 (FROM), [V0.B16]
	VST1 [V0.B16], (TARGET)
	VLD1 (ROOM), [V0.B16]
	VST1 [V0.B16], (TEMP)
	ADD  DISTANCE, TARGET
	CMP  LENGTH, TARGET
	BLO  copy32
	B    sequence

longShuffle:
	ADD  DISTANCE<<2, DISTANCE, TEMP // times 40
	LSL  $3, TEMP
	ADD  TABLE, TEMP
	VLD1 (FROM), [V0.B16]
	VLD1 (TEMP), [V1.B16, V2.B16]
	VTBL V1.B16, [V0.B16], V1.B16
	VTBL V2.B16, [V0.B16], V2.B16
	MOVD 32(TEMP), DISTANCE
store32:
	VST1 [V1.B16, V2.B16], (TARGET)
	ADD  DISTANCE, TARGET
	CMP  LENGTH, TARGET
	BLO  store32
	B    sequence

done:
	MOVD src_base+24(FP), TEMP
	SUB  TEMP, IN
	SUB  OUTSTART, OUT
	MOVD IN, inAfter+72(FP)
	MOVD OUT, outAfter+80(FP)
	RET
