//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The rounds of generic.go, all four streams in step. W contains the loaded bits of a stream,
// shifted so that the unread bits come first, followed by a one bit. IP is where the next load
// begins. LSL uses only the lowest 6 bits of its count, so an entry can serve as the length of its
// own code.

#define W0    R0
#define W1    R1
#define W2    R2
#define W3    R3
#define IP0   R4
#define IP1   R5
#define IP2   R6
#define IP3   R7
#define OUT0  R8
#define OUT1  R9
#define OUT2  R10
#define OUT3  R11
#define TABLE R12
#define COUNT R13
#define SRC   R14
#define DST   R15
#define S     R16
#define T0    R19
#define T1    R20
#define T2    R21
#define T3    R22
#define U0    R23
#define U1    R24
#define U2    R25
#define U3    R26

#define PART(I) (Streams_Part+I*Part__size)

// W = the word at IP without its highest COUNTED bits.
#define LOAD(IP, W, COUNTED) \
	MOVD (IP), W; \
	ORR  $1, W; \
	LSL  COUNTED, W, W

// At entry: load the state of the part at P of the structure in S.
#define ENTER(P, IP, W, OUT) \
	MOVD P+Part_word(S), IP; \
	ADD  SRC, IP; \
	MOVD P+Part_used(S), T0; \
	LOAD(IP, W, T0); \
	MOVD P+Part_Out(S), OUT; \
	ADD  DST, OUT

// At exit: the number of zeros below the lowest one of W is the number of bits used of the word at
// IP.
#define LEAVE(P, IP, W, OUT) \
	RBIT W, T0; \
	CLZ  T0, T0; \
	SUB  SRC, IP; \
	MOVD IP, P+Part_word(S); \
	MOVD T0, P+Part_used(S); \
	SUB  DST, OUT; \
	MOVD OUT, P+Part_Out(S)

#define REFILL(IP, W, T) \
	RBIT W, T; \
	CLZ  T, T; \
	SUB  T>>3, IP; \
	AND  $7, T; \
	LOAD(IP, W, T)

// Stores one byte, K behind OUT.
#define SINGLE(W, OUT, T, K) \
	LSR   $(64-const_MaxBits), W, T; \
	MOVHU (TABLE)(T<<1), T; \
	LSL   T, W; \
	LSR   $8, T; \
	MOVB  T, K(OUT)

#define SINGLES(K) \
	SINGLE(W0, OUT0, T0, K); \
	SINGLE(W1, OUT1, T1, K); \
	SINGLE(W2, OUT2, T2, K); \
	SINGLE(W3, OUT3, T3, K)

// One byte or two.
#define DOUBLE(W, OUT, T, U) \
	LSR   $(64-const_MaxBits), W, T; \
	MOVWU (TABLE)(T<<2), T; \
	LSL   T, W; \
	LSR   $16, T, U; \
	MOVH  U, (OUT); \
	UBFX  $8, T, $8, T; \
	ADD   T, OUT

#define DOUBLES() \
	DOUBLE(W0, OUT0, T0, U0); \
	DOUBLE(W1, OUT1, T1, U1); \
	DOUBLE(W2, OUT2, T2, U2); \
	DOUBLE(W3, OUT3, T3, U3)

#define ENTERALL() \
	MOVD s+0(FP), S; \
	MOVD table+8(FP), TABLE; \
	MOVD n+16(FP), COUNT; \
	MOVD Streams_Src(S), SRC; \
	MOVD Streams_Dst(S), DST; \
	ENTER(PART(0), IP0, W0, OUT0); \
	ENTER(PART(1), IP1, W1, OUT1); \
	ENTER(PART(2), IP2, W2, OUT2); \
	ENTER(PART(3), IP3, W3, OUT3)

#define LEAVEALL() \
	LEAVE(PART(0), IP0, W0, OUT0); \
	LEAVE(PART(1), IP1, W1, OUT1); \
	LEAVE(PART(2), IP2, W2, OUT2); \
	LEAVE(PART(3), IP3, W3, OUT3)

#define REFILLALL() \
	REFILL(IP0, W0, T0); \
	REFILL(IP1, W1, T1); \
	REFILL(IP2, W2, T2); \
	REFILL(IP3, W3, T3)

// func singleRoundsNEON(s *Streams, table *Single, n int)
TEXT ·singleRoundsNEON(SB), NOSPLIT, $0-24
	ENTERALL()

loop:
	SINGLES(0)
	SINGLES(1)
	SINGLES(2)
	SINGLES(3)
	SINGLES(4)
	ADD  $5, OUT0
	ADD  $5, OUT1
	ADD  $5, OUT2
	ADD  $5, OUT3
	REFILLALL()
	SUBS $1, COUNT
	BNE  loop
	LEAVEALL()
	RET

// func doubleRoundsNEON(s *Streams, table *Double, n int)
TEXT ·doubleRoundsNEON(SB), NOSPLIT, $0-24
	ENTERALL()

loop:
	DOUBLES()
	DOUBLES()
	DOUBLES()
	DOUBLES()
	DOUBLES()
	REFILLALL()
	SUBS $1, COUNT
	BNE  loop
	LEAVEALL()
	RET
