//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "next_avx2_amd64.h"
#include "extend_avx2_amd64.h"

// The loop of generic.go. The names are those of the Go code.
//
// Whether a position has a match, where from, and how far it reaches to both sides is hard to
// predict. So there is one branch for both candidates, and none for lengths up to 32 and up to 8
// bytes back.

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
	SUBQ  BASE, FROM
	SBBQ  CX, CX // all ones if there is no candidate
	ANDNQ FROM, CX, FROM
	XORL  (SRC)(FROM*1), AX
	ORL   AX, CX // 0 if the candidate matches
	LEAQ  2(AT), BX
	SUBQ  LATEST, BX
	JLT   hashed
	MOVL  2(SRC)(AT*1), BP
	XORL  (SRC)(BX*1), BP // 0 if the latest distance matches
	MOVL  BP, AX
	IMULQ CX, AX
	TESTQ AX, AX
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

hashed:
	MOVL  $1, BP
	TESTL CX, CX
	JNE   none

found:
	LEAQ    2(AT), AX
	TESTL   BP, BP
	CMOVQEQ BX, FROM
	CMOVQEQ AX, AT
	CMOVQNE LATEST, BEFORE
	MOVQ    AT, LATEST
	SUBQ    FROM, LATEST
	EQUAL(whole1, more1, next1, differ1, rest1, one1, end1)
	BACK(back, stop)
	EMIT(LATEST)
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
	EQUAL(whole2, more2, next2, differ2, rest2, one2, end2)
	FOLLOW()
	JMP  again

done:
	MOVQ AT, State_At(S)
	MOVQ ANCHOR, State_Anchor(S)
	MOVQ LATEST, State_Latest(S)
	MOVQ BEFORE, State_Before(S)
	LEAQ State_Out(S), AX
	COUNT()
	MOVQ AX, State_N(S)
	VZEROUPPER
	RET
