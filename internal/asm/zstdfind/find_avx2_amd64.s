//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "next_avx2_amd64.h"

// The loop of generic.go. The names are those of the Go code.

#define S      R8
#define SRC    SI
#define AT     DI
#define ANCHOR R9
#define LIMIT  R10
#define LATEST R11
#define BEFORE R12
#define OUT    R13
#define BASE   R14
#define MUL    R15
#define FROM   DX
#define N      CX

#define OUTEND 0(SP)
#define END    8(SP)

// N = the number of equal bytes from FROM+4 and AT+4 on, plus 4. FROM is preserved.
#define EQUAL(next, differ, rest, one, end) \
	LEAQ   4(AT), N; \
	MOVQ   AT, BP; \
	SUBQ   FROM, BP; \
next: \
	LEAQ   8(N), AX; \
	CMPQ   AX, END; \
	JGT    rest; \
	MOVQ   N, BX; \
	SUBQ   BP, BX; \
	MOVQ   (SRC)(BX*1), BX; \
	XORQ   (SRC)(N*1), BX; \
	JNZ    differ; \
	MOVQ   AX, N; \
	JMP    next; \
differ: \
	TZCNTQ BX, BX; \
	SHRQ   $3, BX; \
	ADDQ   BX, N; \
	JMP    end; \
rest: \
	CMPQ   N, END; \
	JGE    end; \
	MOVQ   N, BX; \
	SUBQ   BP, BX; \
	MOVBLZX (SRC)(BX*1), BX; \
	CMPB   BX, (SRC)(N*1); \
	JNE    end; \
one: \
	INCQ   N; \
	JMP    rest; \
end: \
	SUBQ   AT, N

// func findAVX2(s *State)
TEXT ·findAVX2(SB), NOSPLIT, $16-8
	MOVQ s+0(FP), S
	MOVQ State_Src(S), SRC
	MOVQ State_Src+8(S), AX
	MOVQ AX, END
	LEAQ -const_EndRoom(AX), LIMIT
	MOVQ State_At(S), AT
	MOVQ State_Anchor(S), ANCHOR
	MOVQ State_Latest(S), LATEST
	MOVQ State_Before(S), BEFORE
	MOVL State_Base(S), BASE
	LEAQ State_Out(S), OUT
	LEAQ (State_Out+const_outCount*Match__size)(S), AX
	MOVQ AX, OUTEND
	MOVQ $const_hashMul, MUL

loop:
	CMPQ  AT, LIMIT
	JGE   done
	CMPQ  OUT, OUTEND
	JGE   done

look:
	MOVQ  (SRC)(AT*1), AX
	MOVQ  AX, BX
	SHLQ  $16, BX
	IMULQ MUL, BX
	SHRQ  $(64-const_TableLog), BX
	MOVL  State_Table(S)(BX*4), FROM
	LEAL  (BASE)(AT*1), CX
	MOVL  CX, State_Table(S)(BX*4)
	LEAQ  2(AT), BX
	SUBQ  LATEST, BX
	JLT   hashed
	MOVQ  AX, CX
	SHRQ  $16, CX
	CMPL  CX, (SRC)(BX*1)
	JEQ   latest

hashed:
	SUBQ  BASE, FROM
	JLT   none
	CMPL  AX, (SRC)(FROM*1)
	JEQ   found

none:
	MOVQ AT, AX
	SUBQ ANCHOR, AX
	SHRQ $const_speedUp, AX
	CMPQ AX, $(const_stride-1)
	JGE  stride
	LEAQ 1(AT)(AX*1), AT
	CMPQ AT, LIMIT
	JLT  look
	JMP  done

stride:
	LEAP(const_strideLog, aligned)
	CMPQ AT, LIMIT
	JLT  look
	JMP  done

latest:
	ADDQ $2, AT
	MOVQ BX, FROM
	JMP  extend

found:
	MOVQ LATEST, BEFORE
	MOVQ AT, LATEST
	SUBQ FROM, LATEST

extend:
	EQUAL(next1, differ1, rest1, one1, end1)

back:
	CMPQ    AT, ANCHOR
	JLE     emit
	TESTQ   FROM, FROM
	JLE     emit
	MOVBLZX -1(SRC)(AT*1), BX
	CMPB    BX, -1(SRC)(FROM*1)
	JNE     emit
	DECQ    AT
	DECQ    FROM
	INCQ    N
	JMP     back

emit:
	MOVQ AT, AX
	SUBQ ANCHOR, AX
	MOVL AX, Match_Literals(OUT)
	MOVL N, Match_Length(OUT)
	MOVQ AT, AX
	SUBQ FROM, AX
	MOVL AX, Match_Distance(OUT)
	ADDQ $Match__size, OUT
	ADDQ N, AT
	MOVQ AT, ANCHOR
	LEAQ -2(AT), CX
	CMPQ CX, LIMIT
	JGE  done
	MOVQ (SRC)(CX*1), BX
	SHLQ $16, BX
	IMULQ MUL, BX
	SHRQ $(64-const_TableLog), BX
	ADDL BASE, CX
	MOVL CX, State_Table(S)(BX*4)

again:
	CMPQ AT, LIMIT
	JGE  done
	CMPQ OUT, OUTEND
	JGE  done
	MOVQ AT, FROM
	SUBQ BEFORE, FROM
	JLT  look
	MOVL (SRC)(AT*1), AX
	CMPL AX, (SRC)(FROM*1)
	JNE  look
	EQUAL(next2, differ2, rest2, one2, end2)
	MOVL $0, Match_Literals(OUT)
	MOVL N, Match_Length(OUT)
	MOVL BEFORE, Match_Distance(OUT)
	ADDQ $Match__size, OUT
	XCHGQ LATEST, BEFORE
	ADDQ N, AT
	MOVQ AT, ANCHOR
	JMP  again

done:
	MOVQ AT, State_At(S)
	MOVQ ANCHOR, State_Anchor(S)
	MOVQ LATEST, State_Latest(S)
	MOVQ BEFORE, State_Before(S)
	LEAQ State_Out(S), AX
	SUBQ AX, OUT
	MOVQ OUT, AX
	XORL DX, DX
	MOVL $Match__size, CX
	DIVQ CX
	MOVQ AX, State_N(S)
	RET
