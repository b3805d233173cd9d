//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The code of rows_generic.go. The names are those of the Go code.

#define R      R8
#define SRC    SI
#define LEN    R9
#define AT     DI
#define NEXT   R10
#define BASE   R11
#define SHIFT  R12
#define MASK   R13
#define FIRST  CX
#define BEST   R14
#define FROM   DX
#define SLOT   R15

// BX = row, AX = tag (in the lower 8 bits), of the four bytes at at.
#define PLACE(at) \
	IMUL3L $const_hash4Mul, (SRC)(at*1), AX; \
	SHRXL  SHIFT, AX, AX; \
	MOVL   AX, BX; \
	SHRL   $const_tagBits, BX

// Inserts AT into row BX.
#define ADD(at) \
	MOVBLZX Rows_First(R)(BX*1), FIRST; \
	DECL    FIRST; \
	ANDL    $(const_RowSlots-1), FIRST; \
	MOVB    CL, Rows_First(R)(BX*1); \
	SHLL    $5, BX; \
	ORL     FIRST, BX; \
	MOVB    AL, Rows_Tags(R)(BX*1); \
	LEAL    (BASE)(at*1), AX; \
	MOVL    AX, Rows_At(R)(BX*4)

// func longestAVX2(r *Rows, at int, peek bool) (length, distance int)
TEXT ·longestAVX2(SB), NOSPLIT, $32-40
	MOVQ r+0(FP), R
	MOVQ at+8(FP), AT
	MOVQ Rows_Src(R), SRC
	MOVQ Rows_Src+8(R), LEN
	MOVQ Rows_Next(R), NEXT
	MOVL Rows_Base(R), BASE
	MOVL Rows_Shift(R), SHIFT
	CMPB peek+16(FP), $0
	JNE  look
	JMP  test

insert:
	MOVL (SRC)(NEXT*1), AX
	CMPL AX, -1(SRC)(NEXT*1)
	JEQ  inserted
	PLACE(NEXT)
	ADD(NEXT)

inserted:
	INCQ NEXT

test:
	CMPQ NEXT, AT
	JLT  insert
	LEAQ 1(AT), AX
	MOVQ AX, Rows_Next(R)

look:
	// The slots of the row with the tag, the latest in the lowest bit.
	PLACE(AT)
	MOVL      BX, SLOT
	SHLL      $5, SLOT
	VMOVD     AX, X0
	VPBROADCASTB X0, Y0
	VPCMPEQB  Rows_Tags(R)(SLOT*1), Y0, Y0
	VPMOVMSKB Y0, MASK
	VZEROUPPER
	MOVBLZX   Rows_First(R)(BX*1), FIRST
	RORL      CL, MASK
	MOVL      FIRST, 0(SP) // the first before this position is added
	MOVL      SLOT, 8(SP)
	MOVL      $3, BEST
	MOVQ      $0, distance+32(FP)
	TESTL     MASK, MASK
	JZ        none
	MOVQ      AX, 16(SP)
	MOVQ      BX, 24(SP)
	MOVQ      Rows_Attempts(R), NEXT // tries

try:
	TZCNTL MASK, SLOT
	BLSRL  MASK, MASK
	ADDL   0(SP), SLOT
	ANDL   $(const_RowSlots-1), SLOT
	ORL    8(SP), SLOT
	MOVL   Rows_At(R)(SLOT*4), FROM
	SUBQ   BASE, FROM
	JLT    done
	LEAQ   (AT)(BEST*1), AX
	CMPQ   AX, LEN
	JGE    done
	LEAQ   (FROM)(BEST*1), BX
	MOVL   -3(SRC)(BX*1), BX
	CMPL   BX, -3(SRC)(AX*1)
	JNE    next
	MOVL   (SRC)(FROM*1), BX
	CMPL   BX, (SRC)(AT*1)
	JNE    next

	// CX = how many bytes are equal
	LEAQ 4(AT), CX
	MOVQ AT, R15
	SUBQ FROM, R15

eight:
	LEAQ   8(CX), AX
	CMPQ   AX, LEN
	JGT    rest
	MOVQ   CX, BX
	SUBQ   R15, BX
	MOVQ   (SRC)(BX*1), BX
	XORQ   (SRC)(CX*1), BX
	JNZ    differ
	MOVQ   AX, CX
	JMP    eight

differ:
	TZCNTQ BX, BX
	SHRQ   $3, BX
	ADDQ   BX, CX
	JMP    counted

rest:
	CMPQ    CX, LEN
	JGE     counted
	MOVQ    CX, BX
	SUBQ    R15, BX
	MOVBLZX (SRC)(BX*1), BX
	CMPB    BX, (SRC)(CX*1)
	JNE     counted
	INCQ    CX
	JMP     rest

counted:
	SUBQ AT, CX
	CMPQ CX, BEST
	JLE  next
	MOVQ CX, BEST
	MOVQ R15, distance+32(FP)

next:
	DECQ  NEXT
	JZ    done
	TESTL MASK, MASK
	JNZ   try

done:
	MOVQ 16(SP), AX
	MOVQ 24(SP), BX

none:
	CMPB peek+16(FP), $0
	JNE  return
	MOVL (SRC)(AT*1), DX
	CMPL DX, -1(SRC)(AT*1)
	JEQ  return
	ADD(AT)

return:
	MOVQ BEST, length+24(FP)
	RET
