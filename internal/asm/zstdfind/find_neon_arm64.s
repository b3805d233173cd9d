//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of generic.go. The names are those of the Go code.

#define S        R0
#define SRC      R1
#define AT       R2
#define ANCHOR   R3
#define LIMIT    R4
#define LATEST   R5
#define BEFORE   R6
#define OUT      R7
#define OUTEND   R8
#define BASE     R9
#define MUL64    R10
#define FROM     R11
#define N        R12
#define TABLE    R13
#define FIELDS   R14 // where the fields behind the arrays begin
#define SRCEND   R15
#define SRCEND8  R16 // SRCEND-8
#define WORD     R17
#define T0       R19
#define T1       R20
#define T2       R21
#define HERE     R22
#define THERE    R23

#define FIELD(F) (F-State_Out)(FIELDS)

// T0 = the slot of the eight bytes in W.
#define SLOT(W) \
	LSL $16, W, T0; \
	MUL MUL64, T0; \
	LSR $(64-const_TableLog), T0

// N = the number of equal bytes from FROM+4 and AT+4 on, plus 4.
#define EQUAL(next, rest, end) \
	ADD    SRC, AT, HERE; \
	ADD    $4, HERE; \
	ADD    SRC, FROM, THERE; \
	ADD    $4, THERE; \
next: \
	CMP    SRCEND8, HERE; \
	BHI    rest; \
	MOVD.P 8(HERE), T0; \
	MOVD.P 8(THERE), T1; \
	EOR    T1, T0; \
	CBZ    T0, next; \
	RBIT   T0, T0; \
	CLZ    T0, T0; \
	SUB    $8, HERE; \
	ADD    T0>>3, HERE; \
	B      end; \
rest: \
	CMP    SRCEND, HERE; \
	BHS    end; \
	MOVBU  (HERE), T0; \
	MOVBU.P 1(THERE), T1; \
	CMP    T1, T0; \
	BNE    end; \
	ADD    $1, HERE; \
	B      rest; \
end: \
	SUB    SRC, HERE, N; \
	SUB    AT, N

// func findNEON(s *State)
TEXT ·findNEON(SB), NOSPLIT, $0-8
	MOVD  s+0(FP), S
	MOVD  State_Src(S), SRC
	MOVD  State_Src+8(S), LIMIT
	ADD   SRC, LIMIT, SRCEND
	SUB   $8, SRCEND, SRCEND8
	SUB   $const_EndRoom, LIMIT
	ADD   $State_Table, S, TABLE
	MOVD  $State_Out, FIELDS
	ADD   S, FIELDS
	MOVD  FIELDS, OUT
	ADD   $(const_outCount*Match__size), OUT, OUTEND
	MOVD  $State_Base, T0
	MOVWU (S)(T0), BASE
	MOVD  FIELD(State_At), AT
	MOVD  FIELD(State_Anchor), ANCHOR
	MOVD  FIELD(State_Latest), LATEST
	MOVD  FIELD(State_Before), BEFORE
	MOVD  $const_hashMul, MUL64

loop:
	CMP LIMIT, AT
	BGE done
	CMP OUTEND, OUT
	BHS done

	PCALIGN $16
look:
	MOVD  (SRC)(AT), WORD
	SLOT(WORD)
	MOVWU (TABLE)(T0<<2), FROM
	ADDW  BASE, AT, T1
	MOVW  T1, (TABLE)(T0<<2)
	ADD   $2, AT, T1
	SUBS  LATEST, T1
	BLT   hashed
	LSR   $16, WORD, T0
	MOVWU (SRC)(T1), T2
	CMPW  T2, T0
	BEQ   latest

hashed:
	SUBS  BASE, FROM
	BLT   none
	MOVWU (SRC)(FROM), T2
	CMPW  T2, WORD
	BEQ   found

none:
	SUB ANCHOR, AT, T0
	LSR $const_speedUp, T0
	CMP $(const_stride-1), T0
	BGE stride
	ADD T0, AT
	ADD $1, AT
	CMP LIMIT, AT
	BLT look
	B   done

stride:
	LSR $const_strideLog, AT, T0
	ADD $const_stride, AT
	AND $-const_stride, AT
	AND $3, T0, T1
	CMP $3, T1
	BNE aligned
	LSR $2, T0
	ADD T0<<2, T0
	AND $(const_stride-1), T0
	ADD T0, AT
aligned:
	CMP LIMIT, AT
	BLT look
	B   done

latest:
	ADD  $2, AT
	MOVD T1, FROM
	B    extend

found:
	MOVD LATEST, BEFORE
	SUB  FROM, AT, LATEST

extend:
	EQUAL(next1, rest1, end1)

back:
	CMP   ANCHOR, AT
	BLE   emit
	CMP   $0, FROM
	BLE   emit
	ADD   SRC, AT, HERE
	ADD   SRC, FROM, THERE
	MOVBU -1(HERE), T0
	MOVBU -1(THERE), T1
	CMP   T1, T0
	BNE   emit
	SUB   $1, AT
	SUB   $1, FROM
	ADD   $1, N
	B     back

emit:
	SUB  ANCHOR, AT, T0
	MOVW T0, Match_Literals(OUT)
	MOVW N, Match_Length(OUT)
	SUB  FROM, AT, T0
	MOVW T0, Match_Distance(OUT)
	ADD  $Match__size, OUT
	ADD  N, AT
	MOVD AT, ANCHOR
	SUB  $2, AT, T1
	CMP  LIMIT, T1
	BGE  done
	MOVD (SRC)(T1), WORD
	SLOT(WORD)
	ADDW BASE, T1
	MOVW T1, (TABLE)(T0<<2)

again:
	CMP   LIMIT, AT
	BGE   done
	CMP   OUTEND, OUT
	BHS   done
	SUBS  BEFORE, AT, FROM
	BLT   look
	MOVWU (SRC)(AT), T0
	MOVWU (SRC)(FROM), T1
	CMPW  T1, T0
	BNE   look
	EQUAL(next2, rest2, end2)
	MOVW  ZR, Match_Literals(OUT)
	MOVW  N, Match_Length(OUT)
	MOVW  BEFORE, Match_Distance(OUT)
	ADD   $Match__size, OUT
	MOVD  LATEST, T0
	MOVD  BEFORE, LATEST
	MOVD  T0, BEFORE
	ADD   N, AT
	MOVD  AT, ANCHOR
	B     again

done:
	MOVD AT, FIELD(State_At)
	MOVD ANCHOR, FIELD(State_Anchor)
	MOVD LATEST, FIELD(State_Latest)
	MOVD BEFORE, FIELD(State_Before)
	SUB  FIELDS, OUT
	MOVD $Match__size, T0
	UDIV T0, OUT
	MOVD OUT, FIELD(State_N)
	RET
