//go:build !purego

#include "textflag.h"

// IN and OUT do not change while a token is read, so that a stop within a token leaves both at it.
#define IN       R0  // the token
#define OUT      R1  // where its bytes go
#define INLAST   R2  // IN must be below: 64 bytes before the end
#define OUTLAST  R3  // OUT must be below: 64 bytes before the end
#define OUTSTART R4
#define TOKEN    R5
#define LENGTH   R6  // of a match; then where it ends
#define DISTANCE R7
#define AHEAD    R8  // the stream behind the length
#define FROM     R9  // the bytes to repeat
#define TEMP     R10
#define FARTHEST R11 // the distance field that says a far match
#define TABLE    R12
#define NEXT     R13

// func expandBloscNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)
TEXT ·expandBloscNEON(SB), NOSPLIT, $0-88
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
	MOVD $0x1fff, FARTHEST

	PCALIGN $16
token:
	CMP   INLAST, IN
	BHS   done
	CMP   OUTLAST, OUT
	BHS   done
	MOVBU (IN), TOKEN
	ADD   $1, IN, AHEAD
	CMP   $32, TOKEN
	BHS   match
	VLD1  (AHEAD), [V0.B16, V1.B16]
	VST1  [V0.B16, V1.B16], (OUT)
	ADD   $1, TOKEN
	ADD   TOKEN, AHEAD, IN
	ADD   TOKEN, OUT
	B     token

match:
	LSR $5, TOKEN, LENGTH
	AND $31, TOKEN
	LSL $8, TOKEN
	CMP $7, LENGTH
	BEQ more
distance:
	MOVBU.P 1(AHEAD), DISTANCE
	ADD     $2, LENGTH
	ORR     TOKEN, DISTANCE
	CMP     FARTHEST, DISTANCE
	BEQ     far
	ADD     $1, DISTANCE
copy:
	SUB  DISTANCE, OUT, FROM
	CMP  OUTSTART, FROM
	BLO  done
	CMP  $32, LENGTH
	BHI  long
	CMP  $16, DISTANCE
	BLO  shortPattern
	ADD  $16, FROM, TEMP
	ADD  $16, OUT, NEXT
	VLD1 (FROM), [V0.B16]
	VST1 [V0.B16], (OUT)
	VLD1 (TEMP), [V0.B16] // only now: it may be among those just written
	VST1 [V0.B16], (NEXT)
	ADD  LENGTH, OUT
	MOVD AHEAD, IN
	B    token

shortPattern: // DISTANCE is at least 1
	ADD  DISTANCE<<2, DISTANCE, TEMP // times 40
	LSL  $3, TEMP
	ADD  TABLE, TEMP
	VLD1 (FROM), [V0.B16]
	VLD1 (TEMP), [V1.B16, V2.B16]
	VTBL V1.B16, [V0.B16], V1.B16
	VTBL V2.B16, [V0.B16], V2.B16
	VST1 [V1.B16, V2.B16], (OUT)
	ADD  LENGTH, OUT
	MOVD AHEAD, IN
	B    token

more:
	CMP     INLAST, AHEAD
	BHS     done
	MOVBU.P 1(AHEAD), TEMP
	ADD     TEMP, LENGTH
	CMP     $255, TEMP
	BEQ     more
	B       distance

far: // high byte first
	MOVBU.P 1(AHEAD), DISTANCE
	MOVBU.P 1(AHEAD), TEMP
	ADD     DISTANCE<<8, TEMP, DISTANCE
	ADD     $8192, DISTANCE
	B       copy

long:
	SUB  OUT, OUTLAST, TEMP
	CMP  TEMP, LENGTH
	BHI  done
	MOVD AHEAD, IN
	ADD  OUT, LENGTH
	CMP  $32, DISTANCE
	BLO  longPattern
copy32:
	VLD1.P 32(FROM), [V0.B16, V1.B16]
	VST1.P [V0.B16, V1.B16], 32(OUT)
	CMP    LENGTH, OUT
	BLO    copy32
	MOVD   LENGTH, OUT
	B      token

longPattern:
	CMP  $16, DISTANCE
	BLO  longShuffle
	ADD  $16, FROM, TEMP // once to the end of the pattern, then from twice as far
	ADD  $16, OUT, NEXT
	VLD1 (FROM), [V0.B16]
	VST1 [V0.B16], (OUT)
	VLD1 (TEMP), [V0.B16]
	VST1 [V0.B16], (NEXT)
	ADD  DISTANCE, OUT
	CMP  LENGTH, OUT
	BLO  copy32
	MOVD LENGTH, OUT
	B    token

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
	VST1 [V1.B16, V2.B16], (OUT)
	ADD  DISTANCE, OUT
	CMP  LENGTH, OUT
	BLO  store32
	MOVD LENGTH, OUT
	B    token

done:
	MOVD src_base+24(FP), TEMP
	SUB  TEMP, IN
	SUB  OUTSTART, OUT
	MOVD IN, inAfter+72(FP)
	MOVD OUT, outAfter+80(FP)
	RET
