//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The rounds of generic.go. E is the entry of the next code. It is looked up before a match is
// copied and before the bits are refilled, because 11 bits are always left. Shifts and BZHI take
// their count from the lowest bits of a register, so E can serve as the number of bits to drop. For
// the same reason the upper bits of HAVE are undefined; the caller clears them.

#define E       AX
#define BITS    BX
#define BACK    CX
#define LENGTH  DX
#define SRC     SI
#define DST     DI
#define HAVE    R8
#define LASTIN  R9
#define LASTOUT R10
#define LITLEN  R11
#define FAR     R12
#define START   R13
#define T0      R14
#define T1      R15

// Make 56 bits available. Clobbers T0.
#define REFILL \
	MOVQ  (SRC), T0; \
	SHLXQ HAVE, T0, T0; \
	ORQ   T0, BITS; \
	MOVL  HAVE, T0; \
	NOTL  T0; \
	SHRL  $3, T0; \
	ANDL  $7, T0; \
	ADDQ  T0, SRC; \
	ORL   $56, HAVE

#define LOOKUP \
	MOVL BITS, T0; \
	ANDL $const_LitLenMask, T0; \
	MOVL (LITLEN)(T0*4), E

#define DROP \
	SHRXQ E, BITS, BITS; \
	SUBL  E, HAVE

// Drop and store the literals of E, and look up the next entry. Clobbers CX, DX, T0.
#define LITERALS \
	DROP; \
	MOVL E, DX; \
	MOVL E, CX; \
	SHRL $const_CodeBits, CX; \
	LOOKUP; \
	SHRL $const_Value, DX; \
	MOVW DX, (DST); \
	ANDL $3, CX; \
	ADDQ CX, DST

// R = the value of E and its extra bits, which are dropped. Clobbers E and T0.
#define VALUE(R) \
	BZHIQ   E, BITS, R; \
	DROP; \
	MOVL    E, T0; \
	SHRL    $const_CodeBits, T0; \
	SHRXQ   T0, R, R; \
	SHRL    $const_Value, E; \
	ADDQ    E, R

// E = the entry of the second table that E refers to; its index is behind FIRST bits. Clobbers T0,
// T1.
#define SECOND(FIRST, TABLE, MASK) \
	MOVQ    BITS, T0; \
	SHRQ    $FIRST, T0; \
	MOVL    E, T1; \
	SHRL    $const_CodeBits, T1; \
	ANDL    $const_CodeMask, T1; \
	BZHIQ   T1, T0, T0; \
	SHRL    $const_Value, E; \
	ADDL    E, T0; \
	ANDL    $MASK, T0; \
	MOVL    (TABLE)(T0*4), E

// func runAVX2(l *Loop, s *spreader) uint8
TEXT ·runAVX2(SB), NOSPLIT, $0-17
	MOVQ l+0(FP), AX
	MOVQ Loop_Src(AX), SRC
	MOVQ Loop_Src+8(AX), LASTIN
	LEAQ (-const_InputMargin)(SRC)(LASTIN*1), LASTIN
	ADDQ Loop_At(AX), SRC
	MOVQ Loop_Dst(AX), START
	MOVQ Loop_Dst+8(AX), LASTOUT
	LEAQ (-const_OutputMargin)(START)(LASTOUT*1), LASTOUT
	MOVQ Loop_N(AX), DST
	ADDQ START, DST
	MOVQ Loop_Bits(AX), BITS
	MOVQ Loop_Have(AX), HAVE
	MOVQ Loop_LitLen(AX), LITLEN
	MOVQ Loop_Distance(AX), FAR
	REFILL
	LOOKUP
	JMP  round

loop:
	CMPQ SRC, LASTIN
	JA   margin
	CMPQ DST, LASTOUT
	JA   margin
	REFILL

round:
	TESTL $const_Literal, E
	JZ    other
	LITERALS
	TESTL $const_Literal, E
	JZ    other
	LITERALS
	TESTL $const_Literal, E
	JZ    other
	LITERALS
	JMP   loop

other:
	TESTL $const_Special, E
	JNZ   special

match:
	VALUE(LENGTH)
	MOVBLZX BL, T0
	MOVL    (FAR)(T0*4), E
	REFILL
	TESTL   $const_Special, E
	JNZ     longDistance

distance:
	VALUE(BACK)
	MOVQ DST, T1
	SUBQ START, T1
	CMPQ BACK, T1
	JA   tooFar
	LOOKUP
	MOVQ DST, T0
	SUBQ BACK, T0           // from where
	ADDQ DST, LENGTH        // up to where
	CMPQ BACK, $32
	JB   near

wide:
	VMOVDQU (T0), Y0
	VMOVDQU Y0, (DST)
	ADDQ    $32, T0
	ADDQ    $32, DST
	CMPQ    DST, LENGTH
	JB      wide
	MOVQ    LENGTH, DST
	JMP     loop

near:
	CMPQ BACK, $16
	JB   spread

half:
	VMOVDQU (T0), X0
	VMOVDQU X0, (DST)
	ADDQ    $16, T0
	ADDQ    $16, DST
	CMPQ    DST, LENGTH
	JB      half
	MOVQ    LENGTH, DST
	JMP     loop

// The pattern is within 16 bytes: repeat it in a vector.
spread:
	MOVQ           s+8(FP), T1
	VBROADCASTI128 (T0), Y0
	MOVBLZX        spreader_whole(T1)(BACK*1), T0
	SHLL           $5, BACK
	VPSHUFB        spreader_from(T1)(BACK*1), Y0, Y0

again:
	VMOVDQU Y0, (DST)
	ADDQ    T0, DST
	CMPQ    DST, LENGTH
	JB      again
	MOVQ    LENGTH, DST
	JMP     loop

special:
	TESTL $const_Subtable, E
	JZ    end
	SECOND(const_LitLenBits, LITLEN, const_LitLenTable-1)
	TESTL $const_Literal, E
	JZ    notLiteral
	LITERALS
	JMP   loop

notLiteral:
	TESTL $const_Special, E
	JZ    match

end:
	MOVL E, T0
	ANDL $const_KindMask, T0
	CMPL T0, $const_End
	JNE  badCode
	DROP
	MOVL $const_Ended, CX
	JMP  leave

longDistance:
	TESTL $const_Subtable, E
	JZ    badCode
	SECOND(const_DistanceBits, FAR, const_DistanceTable-1)
	TESTL $const_Special, E
	JZ    distance

badCode:
	MOVL $const_BadCode, CX
	JMP  leave

tooFar:
	MOVL $const_TooFar, CX
	JMP  leave

margin:
	MOVL $const_Margin, CX

leave:
	MOVQ l+0(FP), AX
	SUBQ Loop_Src(AX), SRC
	MOVQ SRC, Loop_At(AX)
	SUBQ START, DST
	MOVQ DST, Loop_N(AX)
	MOVQ BITS, Loop_Bits(AX)
	MOVQ HAVE, Loop_Have(AX)
	MOVB CX, ret+16(FP)
	VZEROUPPER
	RET
