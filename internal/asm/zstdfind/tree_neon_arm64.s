//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The code of tree_generic.go. The names are those of the Go code; LOWER, UPPER and PAIR are
// addresses in Below, HERE and THERE in Src.

#define T        R0
#define SRC      R1
#define AT       R2
#define MASK     R3
#define C        R4
#define LOWER    R5
#define UPPER    R6
#define LOWERLEN R7
#define UPPERLEN R8
#define BEST     R9
#define PAIR     R10
#define COMMON   R11
#define LIMIT    R12 // address
#define DEPTH    R13
#define OUT      R14
#define LEAST    R15
#define BASE     R16
#define BELOW    R17
#define HERE     R19
#define THERE    R20
#define T0       R21
#define T1       R22
#define LIMIT8   R23 // LIMIT-8
#define FIELDS   R24 // where the fields behind the arrays begin
#define START    R25 // SRC+AT

#define FIELD(F) (F-Tree_Below)(FIELDS)

// Adds to COMMON the number of equal bytes from C+COMMON and AT+COMMON on, and sets HERE and THERE
// behind them.
#define EQUAL(next, differ, rest, end) \
	ADD    START, COMMON, HERE; \
	ADD    SRC, C, THERE; \
	ADD    COMMON, THERE; \
next: \
	CMP    LIMIT8, HERE; \
	BGT    rest; \
	MOVD   (HERE), T0; \
	MOVD   (THERE), T1; \
	EOR    T1, T0; \
	CBNZ   T0, differ; \
	ADD    $8, HERE; \
	ADD    $8, THERE; \
	B      next; \
differ: \
	RBIT   T0, T0; \
	CLZ    T0, T0; \
	ADD    T0>>3, HERE; \
	ADD    T0>>3, THERE; \
	B      end; \
rest: \
	CMP    LIMIT, HERE; \
	BHS    end; \
	MOVBU  (HERE), T0; \
	MOVBU  (THERE), T1; \
	CMP    T1, T0; \
	BNE    end; \
	ADD    $1, HERE; \
	ADD    $1, THERE; \
	B      rest; \
end: \
	SUB    START, HERE, COMMON

// Appends a match of COMMON bytes at C.
#define FOUND \
	MOVD   COMMON, BEST; \
	SUB    C, AT, T0; \
	MOVW   COMMON, Candidate_Length(OUT); \
	MOVW   T0, Candidate_Distance(OUT); \
	ADD    $Candidate__size, OUT

// func visitNEON(t *Tree, at int)
TEXT ·visitNEON(SB), NOSPLIT, $0-16
	MOVD  t+0(FP), T
	MOVD  at+8(FP), AT
	MOVD  $Tree_Below, FIELDS
	ADD   T, FIELDS
	MOVD  FIELD(Tree_Src), SRC
	MOVD  FIELD(Tree_Src+8), T1
	MOVD  FIELD(Tree_Nice), LIMIT
	ADD   AT, LIMIT
	CMP   T1, LIMIT
	CSEL  GT, T1, LIMIT, LIMIT
	ADD   SRC, LIMIT
	SUB   $8, LIMIT, LIMIT8
	ADD   SRC, AT, START
	MOVWU FIELD(Tree_Base), BASE
	ADD   $(Tree_Found-Tree_Below), FIELDS, OUT
	MOVD  $2, BEST

	MOVWU (START), HERE
	MOVD  $const_hash4Mul, THERE
	ADDW  BASE, AT, DEPTH
	LSLW  $8, HERE, T0
	MULW  THERE, T0, T0
	LSRW  $(32-const_ThreeLog), T0, T0
	MOVD  $Tree_Three, T1
	ADD   T, T1
	MOVWU (T1)(T0<<2), C
	MOVW  DEPTH, (T1)(T0<<2)
	MULW  THERE, HERE, T0
	LSRW  $(32-const_TreeLog), T0, T0
	MOVWU (T)(T0<<2), UPPER // Roots come first
	MOVW  DEPTH, (T)(T0<<2)
	SUBS  BASE, C
	BLT   rooted
	MOVWU (SRC)(C), T0
	EORW  T0, HERE
	LSLW  $8, HERE
	CBNZW HERE, rooted
	MOVD  $3, COMMON
	EQUAL(next3, differ3, rest3, end3)
	FOUND

rooted:
	SUB  BASE, UPPER, C
	MOVD FIELD(Tree_Below), BELOW
	MOVD FIELD(Tree_Below+8), MASK
	LSR  $1, MASK
	SUB  $1, MASK
	SUBS MASK, AT, LEAST
	CSEL LT, ZR, LEAST, LEAST
	AND  MASK, AT, LOWER
	ADD  LOWER<<3, BELOW, LOWER
	ADD  $4, LOWER, UPPER
	MOVD $0, LOWERLEN
	MOVD $0, UPPERLEN
	MOVD FIELD(Tree_Depth), DEPTH

walk:
	CMP  LEAST, C
	BLT  done
	SUBS $1, DEPTH
	BLT  done
	AND  MASK, C, PAIR
	ADD  PAIR<<3, BELOW, PAIR
	CMP  LOWERLEN, UPPERLEN
	CSEL LT, UPPERLEN, LOWERLEN, COMMON
	EQUAL(next, differ, rest, end)
	CMP  BEST, COMMON
	BLE  side
	FOUND

side:
	CMP   LIMIT, HERE
	BEQ   same
	MOVBU (HERE), T0
	MOVBU (THERE), T1
	ADD   BASE, C
	ADD   $4, PAIR, HERE

	// Without a branch, since the side is unpredictable.
	CMP   T0, T1
	CSEL  LO, LOWER, UPPER, T0
	MOVW  C, (T0)
	CSEL  LO, HERE, PAIR, PAIR
	CSEL  LO, PAIR, LOWER, LOWER
	CSEL  LO, COMMON, LOWERLEN, LOWERLEN
	CSEL  LO, UPPER, PAIR, UPPER
	CSEL  LO, UPPERLEN, COMMON, UPPERLEN
	MOVWU (PAIR), C
	SUB   BASE, C
	B     walk

same:
	MOVWU (PAIR), T0
	MOVWU 4(PAIR), T1
	MOVW  T0, (LOWER)
	MOVW  T1, (UPPER)
	B     return

done:
	MOVW ZR, (LOWER)
	MOVW ZR, (UPPER)

return:
	ADD  $(Tree_Found-Tree_Below), FIELDS, T0
	SUB  T0, OUT
	LSR  $3, OUT
	MOVD OUT, FIELD(Tree_N)
	RET
