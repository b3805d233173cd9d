//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "next_avx2_amd64.h"
#include "extend_avx2_amd64.h"

// The loop of double.go. The names are those of the Go code.

#define COVERED  16(SP) // the end of the positions to enter
#define FIRST    24(SP) // the first of two matches
#define FIRSTN   32(SP)

// BX = the hash of the bytes in AX for one of the tables. Clobbers T.
#define LONGHASH(T) \
	MOVQ  AX, BX; \
	IMULQ MUL, BX; \
	MOVL  Double_LongShift(S), T; \
	SHRXQ T, BX, BX
#define SHORTHASH(T) \
	MOVL  Double_Ignore(S), T; \
	SHLXQ T, AX, BX; \
	IMULQ MUL, BX; \
	MOVL  Double_ShortShift(S), T; \
	SHRXQ T, BX, BX

// Enters a position into both tables. Clobbers AX, BX and DX.
#define ENTER(at) \
	MOVQ (SRC)(at*1), AX; \
	LONGHASH(DX); \
	LEAL (BASE)(at*1), DX; \
	MOVL DX, Double_Long(S)(BX*4); \
	SHORTHASH(DX); \
	LEAL (BASE)(at*1), DX; \
	MOVL DX, Double_Short(S)(BX*4)

// Enters AT, whose bytes are in AX then. FROM and BP are what the tables had.
#define LOOK() \
	MOVQ (SRC)(AT*1), AX; \
	LEAL (BASE)(AT*1), CX; \
	LONGHASH(FROM); \
	MOVL Double_Long(S)(BX*4), FROM; \
	MOVL CX, Double_Long(S)(BX*4); \
	SHORTHASH(BP); \
	MOVL Double_Short(S)(BX*4), BP; \
	MOVL CX, Double_Short(S)(BX*4)

// Jumps if one of both is a match, with FROM set to it. Positions of earlier data are replaced by
// the first, and their matches ignored.
#define MATCH(found) \
	SUBQ  BASE, FROM; \
	SBBQ  CX, CX; \
	ANDNQ FROM, CX, FROM; \
	MOVQ  (SRC)(FROM*1), BX; \
	XORQ  AX, BX; \
	ORQ   CX, BX; \
	JEQ   found; \
	SUBQ  BASE, BP; \
	SBBQ  CX, CX; \
	ANDNQ BP, CX, FROM; \
	XORL  (SRC)(FROM*1), AX; \
	ORL   CX, AX; \
	JEQ   found

// func doubleAVX2(s *Double)
TEXT ·doubleAVX2(SB), NOSPLIT, $40-8
	MOVQ s+0(FP), S
	MOVQ Double_Src(S), SRC
	MOVQ Double_Src+8(S), AX
	MOVQ AX, END
	LEAQ -const_EndRoom(AX), LIMIT
	MOVQ Double_At(S), AT
	MOVQ Double_Anchor(S), ANCHOR
	MOVQ Double_Latest(S), LATEST
	MOVQ Double_Before(S), BEFORE
	MOVL Double_Base(S), BASE
	LEAQ Double_Out(S), OUT
	LEAQ (Double_Out+const_outCount*Match__size)(S), AX
	MOVQ AX, OUTEND
	MOVQ $const_hashMul, MUL

loop:
	CMPQ AT, LIMIT
	JGE  done
	CMPQ OUT, OUTEND
	JGE  done

look:
	LOOK()
	LEAQ 2(AT), BX
	SUBQ LATEST, BX
	JLT  tables
	MOVL 2(SRC)(AT*1), CX
	CMPL CX, (SRC)(BX*1)
	JEQ  latest

tables:
	MATCH(found)
	MOVQ AT, AX
	SUBQ ANCHOR, AX
	MOVL Double_Haste(S), BX
	SHRXQ BX, AX, AX
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
	EQUAL(whole0, more0, next0, differ0, rest0, one0, end0)
	JMP  extend

found:
	EQUAL(whole1, more1, next1, differ1, rest1, one1, end1)
	CMPB Double_Lazy(S), $0
	JNE  lazy

settled:
	MOVQ LATEST, BEFORE
	MOVQ AT, LATEST
	SUBQ FROM, LATEST

extend:
	BACK(back, stop)
	EMIT(LATEST)
	LEAQ (AT)(N*1), ANCHOR
	MOVQ Double_Reach(S), BX
	ADDQ AT, BX
	LEAQ 2(AT), BP
	MOVQ ANCHOR, AT
	CMPQ BX, ANCHOR
	CMOVQGT ANCHOR, BX
	CMPQ BX, LIMIT
	CMOVQGT LIMIT, BX
	MOVQ BX, COVERED
	CMPQ BP, BX
	JGE  covered

cover:
	ENTER(BP)
	ADDQ $2, BP
	CMPQ BP, COVERED
	JLT  cover

covered:
	LEAQ -2(AT), BP
	CMPQ BP, LIMIT
	JGE  done
	ENTER(BP)

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

lazy: // is the match of the next position longer by more than a byte, or not much farther?
	LEAQ 1(AT), BX
	CMPQ BX, LIMIT
	JGE  settled
	MOVQ BX, AT
	MOVQ N, FIRSTN
	MOVQ FROM, FIRST
	LOOK()
	MATCH(second)

keep:
	DECQ AT
	MOVQ FIRST, FROM
	MOVQ FIRSTN, N
	JMP  settled

second:
	EQUAL(whole3, more3, next3, differ3, rest3, one3, end3)
	MOVQ FIRSTN, AX
	INCQ AX
	CMPQ N, AX
	JGT  settled
	JLT  keep
	MOVQ AT, AX
	SUBQ FROM, AX
	LEAQ -1(AT), BX
	SUBQ FIRST, BX
	ADDQ BX, BX
	CMPQ AX, BX
	JLE  settled
	JMP  keep

done:
	MOVQ AT, Double_At(S)
	MOVQ ANCHOR, Double_Anchor(S)
	MOVQ LATEST, Double_Latest(S)
	MOVQ BEFORE, Double_Before(S)
	LEAQ Double_Out(S), AX
	COUNT()
	MOVQ AX, Double_N(S)
	VZEROUPPER
	RET
