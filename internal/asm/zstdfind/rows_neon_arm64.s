//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The code of rows_generic.go. The names are those of the Go code.

#define TAGS     R0
#define ATS      R1
#define FIRSTS   R2
#define FIELDS   R3  // where the fields behind the arrays begin
#define SRC      R4
#define SRCEND   R5
#define AT       R6
#define NEXT     R7
#define BASE     R8
#define SHIFT    R9
#define MASK     R10
#define FIRST    R11
#define BEST     R12
#define DISTANCE R13
#define FROM     R14
#define SLOT     R15
#define ROW      R16
#define TAG      R17
#define TRIES    R19
#define WORD     R20
#define T0       R21
#define T1       R22
#define T2       R23
#define PEEK     R24
#define MULTIPLY R25

// Where a field is from FIELDS on.
#define FIELD(F) (F-Rows_Src)(FIELDS)

// The row and the tag of the four bytes in W.
#define PLACE(W) \
	MULW MULTIPLY, W, TAG; \
	LSRW SHIFT, TAG, TAG; \
	LSRW $const_tagBits, TAG, ROW

// Inserts AT into ROW. Clobbers FIRST, ROW and T0.
#define ADDTO(AT) \
	MOVBU (FIRSTS)(ROW), FIRST; \
	SUB   $1, FIRST; \
	AND   $(const_RowSlots-1), FIRST; \
	MOVB  FIRST, (FIRSTS)(ROW); \
	ADD   ROW<<5, FIRST, ROW; \
	MOVB  TAG, (TAGS)(ROW); \
	ADDW  BASE, AT, T0; \
	MOVW  T0, (ATS)(ROW<<2)

// func longestNEON(r *Rows, at int, peek bool) (length, distance int)
TEXT ·longestNEON(SB), NOSPLIT, $0-40
	MOVD  r+0(FP), TAGS
	MOVD  at+8(FP), AT
	MOVBU peek+16(FP), PEEK
	MOVD  $Rows_At, ATS
	ADD   TAGS, ATS
	MOVD  $Rows_First, FIRSTS
	ADD   TAGS, FIRSTS
	MOVD  $Rows_Src, FIELDS
	ADD   TAGS, FIELDS
	MOVD  FIELD(Rows_Src), SRC
	MOVD  FIELD(Rows_Src+8), SRCEND
	ADD   SRC, SRCEND
	MOVWU FIELD(Rows_Base), BASE
	MOVWU FIELD(Rows_Shift), SHIFT
	MOVD  $const_hash4Mul, MULTIPLY
	CBNZ  PEEK, look
	MOVD  FIELD(Rows_Next), NEXT
	B     test

insert:
	ADD   SRC, NEXT, T0
	MOVWU (T0), WORD
	MOVWU -1(T0), T0
	CMPW  T0, WORD
	BEQ   inserted
	PLACE(WORD)
	ADDTO(NEXT)
inserted:
	ADD $1, NEXT
test:
	CMP  AT, NEXT
	BLT  insert
	ADD  $1, AT, T0
	MOVD T0, FIELD(Rows_Next)

look:
	// The slots of the row with the tag, the latest in the lowest bit: each equal byte leaves the
	// bit of its place among eight, and three sums of neighbours collect them.
	MOVWU (SRC)(AT), WORD
	PLACE(WORD)
	LSL   $5, ROW, SLOT
	ADD   TAGS, SLOT, T0
	VLD1  (T0), [V0.B16, V1.B16]
	VDUP  TAG, V2.B16
	MOVD  $0x8040201008040201, T1
	VDUP  T1, V3.D2
	MOVBU (FIRSTS)(ROW), FIRST
	VCMEQ V2.B16, V0.B16, V0.B16
	VCMEQ V2.B16, V1.B16, V1.B16
	VAND  V3.B16, V0.B16, V0.B16
	VAND  V3.B16, V1.B16, V1.B16
	VADDP V1.B16, V0.B16, V0.B16
	VADDP V0.B16, V0.B16, V0.B16
	VADDP V0.B16, V0.B16, V0.B16
	VMOV  V0.S[0], MASK
	MOVD  $3, BEST
	MOVD  $0, DISTANCE
	CBZ   MASK, none
	RORW  FIRST, MASK, MASK
	MOVD  FIELD(Rows_Attempts), TRIES

try:
	RBITW MASK, T0
	CLZW  T0, T0
	SUBW  $1, MASK, T1
	ANDW  T1, MASK
	ADD   FIRST, T0
	AND   $(const_RowSlots-1), T0
	ORR   SLOT, T0
	MOVWU (ATS)(T0<<2), FROM
	SUBS  BASE, FROM
	BLT   done
	ADD   SRC, FROM
	ADD   SRC, AT, T0
	ADD   BEST, T0, T1
	CMP   SRCEND, T1
	BHS   done
	ADD   BEST, FROM, T2
	MOVWU -3(T1), T1
	MOVWU -3(T2), T2
	CMPW  T1, T2
	BNE   next
	MOVWU (FROM), T1
	CMPW  T1, WORD
	BNE   next

	SUB FROM, T0, T2 // the distance
	ADD $4, FROM
	ADD $4, T0
	SUB $8, SRCEND, NEXT
eight:
	CMP    NEXT, T0
	BHI    rest
	MOVD.P 8(T0), T1
	MOVD.P 8(FROM), R26
	EOR    R26, T1
	CBZ    T1, eight
	RBIT   T1, T1
	CLZ    T1, T1
	SUB    $8, T0
	ADD    T1>>3, T0
	B      counted
rest:
	CMP     SRCEND, T0
	BHS     counted
	MOVBU   (T0), T1
	MOVBU.P 1(FROM), R26
	CMP     R26, T1
	BNE     counted
	ADD     $1, T0
	B       rest

counted:
	SUB SRC, T0
	SUB AT, T0
	CMP BEST, T0
	BLE next
	MOVD T0, BEST
	MOVD T2, DISTANCE

next:
	SUBS $1, TRIES
	BEQ  done
	CBNZ MASK, try

done:
none:
	MOVD  BEST, length+24(FP)
	MOVD  DISTANCE, distance+32(FP)
	CBNZ  PEEK, return
	ADD   SRC, AT, T0
	MOVWU -1(T0), T0
	CMPW  T0, WORD
	BEQ   return
	ADDTO(AT)

return:
	RET
