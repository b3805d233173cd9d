//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The rounds of generic.go. E is the entry of the next code. It is looked up before a match is
// copied and before the bits are refilled, because 11 bits are always left. Shifts take their count
// from the lowest bits of a register, so E can serve as the number of bits to drop. For the same
// reason the upper bits of HAVE are undefined; the caller clears them.

#define E       R0
#define BITS    R1
#define BACK    R2
#define LENGTH  R3
#define SRC     R4
#define DST     R5
#define HAVE    R6
#define LASTIN  R7
#define LASTOUT R8
#define LITLEN  R9
#define FAR     R10
#define START   R11
#define T0      R12
#define T1      R13
#define ONES    R14 // all bits set

// Make 56 bits available. Clobbers T0.
#define REFILL \
	MOVD (SRC), T0; \
	LSL  HAVE, T0; \
	ORR  T0, BITS; \
	MVN  HAVE, T0; \
	UBFX $3, T0, $3, T0; \
	ADD  T0, SRC; \
	ORR  $56, HAVE

#define LOOKUP \
	AND   $const_LitLenMask, BITS, T0; \
	MOVWU (LITLEN)(T0<<2), E

#define DROP \
	LSR E, BITS; \
	SUB E, HAVE

// Drop and store the literals of E, and look up the next entry. Clobbers T0 and T1.
#define LITERALS \
	DROP; \
	LSR  $const_Value, E, T1; \
	MOVH T1, (DST); \
	UBFX $const_CodeBits, E, $2, T1; \
	LOOKUP; \
	ADD  T1, DST

// R = the value of E and its extra bits, which are dropped. Clobbers T0.
#define VALUE(R) \
	LSL  E, ONES, T0; \
	BIC  T0, BITS, R; \
	DROP; \
	LSR  $const_CodeBits, E, T0; \
	AND  $const_CodeMask, T0; \
	LSR  T0, R; \
	ADD  E>>const_Value, R

// E = the entry of the second table that E refers to; its index is behind FIRST bits. Clobbers T0,
// T1.
#define SECOND(FIRST, TABLE, MASK) \
	LSR   $FIRST, BITS, T0; \
	UBFX  $const_CodeBits, E, $4, T1; \
	LSL   T1, ONES, T1; \
	BIC   T1, T0; \
	ADD   E>>const_Value, T0; \
	AND   $MASK, T0; \
	MOVWU (TABLE)(T0<<2), E

// func runNEON(l *Loop, s *spreader) uint8
TEXT ·runNEON(SB), NOSPLIT, $0-17
	MOVD l+0(FP), T0
	MOVD Loop_Src(T0), SRC
	MOVD Loop_Src+8(T0), LASTIN
	ADD  SRC, LASTIN
	SUB  $const_InputMargin, LASTIN
	MOVD Loop_At(T0), T1
	ADD  T1, SRC
	MOVD Loop_Dst(T0), START
	MOVD Loop_Dst+8(T0), LASTOUT
	ADD  START, LASTOUT
	SUB  $const_OutputMargin, LASTOUT
	MOVD Loop_N(T0), DST
	ADD  START, DST
	MOVD Loop_Bits(T0), BITS
	MOVD Loop_Have(T0), HAVE
	MOVD Loop_LitLen(T0), LITLEN
	MOVD Loop_Distance(T0), FAR
	MOVD $-1, ONES
	REFILL
	LOOKUP
	B    round

	PCALIGN $16
loop:
	CMP LASTIN, SRC
	BHI margin
	CMP LASTOUT, DST
	BHI margin
	REFILL

round:
	TBZ $12, E, other // Literal
	LITERALS
	TBZ $12, E, other
	LITERALS
	TBZ $12, E, other
	LITERALS
	B   loop

other:
	TBNZ $13, E, special // Special

match:
	VALUE(LENGTH)
	AND   $0xff, BITS, T0
	MOVWU (FAR)(T0<<2), E
	REFILL
	TBNZ  $13, E, longDistance

distance:
	VALUE(BACK)
	SUB START, DST, T1
	CMP T1, BACK
	BHI tooFar
	LOOKUP
	SUB BACK, DST, T0   // from where
	ADD DST, LENGTH     // up to where
	CMP $32, BACK
	BLO near

wide:
	FLDPQ (T0), (F0, F1)
	FSTPQ (F0, F1), (DST)
	ADD   $32, T0
	ADD   $32, DST
	CMP   LENGTH, DST
	BLO   wide
	MOVD  LENGTH, DST
	B     loop

near:
	CMP $16, BACK
	BLO spread

half:
	FMOVQ (T0), F0
	FMOVQ F0, (DST)
	ADD   $16, T0
	ADD   $16, DST
	CMP   LENGTH, DST
	BLO   half
	MOVD  LENGTH, DST
	B     loop

// The pattern is within 16 bytes: repeat it in two vectors.
spread:
	VLD1  (T0), [V0.B16]
	MOVD  s+8(FP), T1
	ADD   $spreader_whole, T1, T0
	MOVBU (T0)(BACK), T0
	ADD   BACK<<5, T1
	VLD1  (T1), [V1.B16, V2.B16]
	VTBL  V1.B16, [V0.B16], V1.B16
	VTBL  V2.B16, [V0.B16], V2.B16

again:
	FSTPQ (F1, F2), (DST)
	ADD   T0, DST
	CMP   LENGTH, DST
	BLO   again
	MOVD  LENGTH, DST
	B     loop

special:
	TBZ $14, E, end // Subtable
	SECOND(const_LitLenBits, LITLEN, const_LitLenTable-1)
	TBZ $12, E, notLiteral
	LITERALS
	B   loop

notLiteral:
	TBZ $13, E, match

end:
	LSR  $12, E, T0
	CMP  $(const_End>>12), T0
	BNE  badCode
	DROP
	MOVD $const_Ended, T0
	B    leave

longDistance:
	TBZ $14, E, badCode
	SECOND(const_DistanceBits, FAR, const_DistanceTable-1)
	TBZ $13, E, distance

badCode:
	MOVD $const_BadCode, T0
	B    leave

tooFar:
	MOVD $const_TooFar, T0
	B    leave

margin:
	MOVD $const_Margin, T0

leave:
	MOVB T0, ret+16(FP)
	MOVD l+0(FP), T0
	MOVD Loop_Src(T0), T1
	SUB  T1, SRC
	MOVD SRC, Loop_At(T0)
	SUB  START, DST
	MOVD DST, Loop_N(T0)
	MOVD BITS, Loop_Bits(T0)
	MOVD HAVE, Loop_Have(T0)
	RET
