//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The code of tree_generic.go. The names are those of the Go code; LOWER, UPPER and PAIR are
// addresses in Below.

#define T        R8
#define SRC      SI
#define AT       DI
#define MASK     R9
#define C        R10
#define LOWER    R11
#define UPPER    R12
#define LOWERLEN R13
#define UPPERLEN R14
#define BEST     R15
#define PAIR     DX
#define COMMON   CX

#define LIMIT 0(SP)
#define DEPTH 8(SP)
#define OUT   16(SP)
#define LEAST 24(SP)
#define ROOT  32(SP)
#define BASE  40(SP)

// Adds to COMMON the number of equal bytes from C+COMMON and AT+COMMON on.
#define EQUAL(next, differ, rest, end) \
next: \
	LEAQ    (AT)(COMMON*1), AX; \
	LEAQ    8(AX), BX; \
	CMPQ    BX, LIMIT; \
	JGT     rest; \
	LEAQ    (C)(COMMON*1), BX; \
	MOVQ    (SRC)(BX*1), BX; \
	XORQ    (SRC)(AX*1), BX; \
	JNZ     differ; \
	ADDQ    $8, COMMON; \
	JMP     next; \
differ: \
	TZCNTQ  BX, BX; \
	SHRQ    $3, BX; \
	ADDQ    BX, COMMON; \
	JMP     end; \
rest: \
	CMPQ    AX, LIMIT; \
	JGE     end; \
	LEAQ    (C)(COMMON*1), BX; \
	MOVBLZX (SRC)(BX*1), BX; \
	CMPB    BX, (SRC)(AX*1); \
	JNE     end; \
	INCQ    COMMON; \
	INCQ    AX; \
	JMP     rest; \
end: \

// Appends a match of COMMON bytes at C.
#define FOUND \
	MOVQ COMMON, BEST; \
	MOVQ OUT, BX; \
	MOVL COMMON, Candidate_Length(BX); \
	MOVQ AT, AX; \
	SUBQ C, AX; \
	MOVL AX, Candidate_Distance(BX); \
	ADDQ $Candidate__size, OUT

// func visitAVX2(t *Tree, at int)
TEXT ·visitAVX2(SB), NOSPLIT, $48-16
	MOVQ    t+0(FP), T
	MOVQ    at+8(FP), AT
	MOVQ    Tree_Src(T), SRC
	MOVQ    Tree_Nice(T), AX
	ADDQ    AT, AX
	MOVQ    Tree_Src+8(T), BX
	CMPQ    AX, BX
	CMOVQGT BX, AX
	MOVQ    AX, LIMIT
	LEAQ    Tree_Found(T), AX
	MOVQ    AX, OUT
	MOVL    $2, BEST

	MOVL   (SRC)(AT*1), AX
	MOVL   AX, BX
	SHLL   $8, BX
	IMUL3L $const_hash4Mul, BX, DX
	SHRL   $(32-const_ThreeLog), DX
	MOVL   Tree_Three(T)(DX*4), C
	MOVL   Tree_Base(T), CX
	LEAL   (CX)(AT*1), BP
	MOVL   BP, Tree_Three(T)(DX*4)
	IMUL3L $const_hash4Mul, AX, DX
	SHRL   $(32-const_TreeLog), DX
	MOVL   Tree_Roots(T)(DX*4), UPPER
	MOVL   BP, Tree_Roots(T)(DX*4)
	SUBQ   CX, UPPER
	MOVQ   UPPER, ROOT
	MOVQ   CX, BASE
	SUBQ   CX, C
	JLT    rooted
	XORL   (SRC)(C*1), AX
	SHLL   $8, AX
	JNZ    rooted
	MOVL   $3, COMMON
	EQUAL(next3, differ3, rest3, end3)
	FOUND

rooted:
	MOVQ    ROOT, C
	MOVQ    Tree_Below+8(T), MASK
	SHRQ    $1, MASK
	DECQ    MASK
	MOVQ    AT, AX
	XORL    BX, BX
	SUBQ    MASK, AX
	CMOVQLT BX, AX
	MOVQ    AX, LEAST
	MOVQ    AT, LOWER
	ANDQ    MASK, LOWER
	MOVQ    Tree_Below(T), AX
	LEAQ    (AX)(LOWER*8), LOWER
	LEAQ    4(LOWER), UPPER
	XORL    LOWERLEN, LOWERLEN
	XORL    UPPERLEN, UPPERLEN
	MOVQ    Tree_Depth(T), AX
	MOVQ    AX, DEPTH

walk:
	CMPQ    C, LEAST
	JLT     done
	DECQ    DEPTH
	JLT     done
	MOVQ    C, PAIR
	ANDQ    MASK, PAIR
	MOVQ    Tree_Below(T), AX
	LEAQ    (AX)(PAIR*8), PAIR
	MOVQ    LOWERLEN, COMMON
	CMPQ    UPPERLEN, COMMON
	CMOVQLT UPPERLEN, COMMON
	EQUAL(next, differ, rest, end)
	CMPQ    COMMON, BEST
	JLE     side
	FOUND

side:
	LEAQ    (AT)(COMMON*1), AX
	CMPQ    AX, LIMIT
	JEQ     same
	LEAQ    (C)(COMMON*1), BX
	MOVBLZX (SRC)(BX*1), BX
	MOVQ    BASE, BP
	ADDQ    BP, C
	CMPB    BX, (SRC)(AX*1)

	// Without a branch, since the side is unpredictable.
	SETCS   AX
	MOVBLZX AX, AX
	TESTL   AX, AX
	MOVQ    UPPER, BX
	CMOVQNE LOWER, BX
	MOVL    C, (BX)
	LEAQ    (PAIR)(AX*4), PAIR
	CMOVQNE PAIR, LOWER
	CMOVQNE COMMON, LOWERLEN
	CMOVQEQ PAIR, UPPER
	CMOVQEQ COMMON, UPPERLEN
	MOVL    (PAIR), C
	SUBQ    BP, C
	JMP     walk

same:
	MOVL (PAIR), AX
	MOVL 4(PAIR), BX
	MOVL AX, (LOWER)
	MOVL BX, (UPPER)
	JMP  return

done:
	MOVL $0, (LOWER)
	MOVL $0, (UPPER)

return:
	MOVQ OUT, AX
	LEAQ Tree_Found(T), BX
	SUBQ BX, AX
	SHRQ $3, AX
	MOVQ AX, Tree_N(T)
	RET
