//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The rounds of generic.go, all four streams in step. W contains the loaded bits of a stream,
// shifted so that the unread bits come first, followed by a one bit. IP is where the next load
// begins. SHLX uses only the lowest 6 bits of its count, so an entry can serve as the length of its
// own code.

#define W0    R8
#define W1    R9
#define W2    R10
#define W3    R11
#define IP0   R12
#define IP1   R13
#define IP2   R14
#define IP3   R15
#define OUT0  SI
#define OUT1  DI
#define OUT2  BX
#define OUT3  DX
#define TABLE BP

#define COUNT 0(SP)
#define SRC   8(SP)
#define DST   16(SP)

#define PART(I) (Streams_Part+I*Part__size)

// At entry: load the state of the part at P of the structure in AX.
#define ENTER(P, IP, W, OUT) \
	MOVQ  SRC, IP; \
	ADDQ  P+Part_word(AX), IP; \
	MOVQ  P+Part_used(AX), CX; \
	MOVQ  (IP), W; \
	ORQ   $1, W; \
	SHLXQ CX, W, W; \
	MOVQ  DST, OUT; \
	ADDQ  P+Part_Out(AX), OUT

// At exit: the number of zeros below the lowest one of W is the number of bits used of the word at
// IP.
#define LEAVE(P, IP, W, OUT) \
	TZCNTQ W, CX; \
	SUBQ   SRC, IP; \
	MOVQ   IP, P+Part_word(AX); \
	MOVQ   CX, P+Part_used(AX); \
	SUBQ   DST, OUT; \
	MOVQ   OUT, P+Part_Out(AX)

#define REFILL(IP, W) \
	TZCNTQ W, CX; \
	MOVQ   CX, AX; \
	SHRQ   $3, AX; \
	SUBQ   AX, IP; \
	ANDL   $7, CX; \
	MOVQ   (IP), W; \
	ORQ    $1, W; \
	SHLXQ  CX, W, W

// Stores one byte, K behind OUT. AH can be stored without a shift because OUT is not one of R8 to
// R15.
#define SINGLE(W, OUT, K) \
	MOVQ    W, AX; \
	SHRQ    $53, AX; \
	MOVWLZX (TABLE)(AX*2), AX; \
	SHLXQ   AX, W, W; \
	MOVB    AH, K(OUT)

#define SINGLES(K) \
	SINGLE(W0, OUT0, K); \
	SINGLE(W1, OUT1, K); \
	SINGLE(W2, OUT2, K); \
	SINGLE(W3, OUT3, K)

// One byte or two.
#define DOUBLE(W, OUT) \
	MOVQ    W, AX; \
	SHRQ    $53, AX; \
	MOVL    (TABLE)(AX*4), AX; \
	SHLXQ   AX, W, W; \
	MOVBLZX AH, CX; \
	SHRL    $16, AX; \
	MOVW    AX, (OUT); \
	ADDQ    CX, OUT

#define DOUBLES() \
	DOUBLE(W0, OUT0); \
	DOUBLE(W1, OUT1); \
	DOUBLE(W2, OUT2); \
	DOUBLE(W3, OUT3)

#define ENTERALL() \
	MOVQ s+0(FP), AX; \
	MOVQ table+8(FP), TABLE; \
	MOVQ n+16(FP), CX; \
	MOVQ CX, COUNT; \
	MOVQ Streams_Src(AX), CX; \
	MOVQ CX, SRC; \
	MOVQ Streams_Dst(AX), CX; \
	MOVQ CX, DST; \
	ENTER(PART(0), IP0, W0, OUT0); \
	ENTER(PART(1), IP1, W1, OUT1); \
	ENTER(PART(2), IP2, W2, OUT2); \
	ENTER(PART(3), IP3, W3, OUT3)

#define LEAVEALL() \
	MOVQ s+0(FP), AX; \
	LEAVE(PART(0), IP0, W0, OUT0); \
	LEAVE(PART(1), IP1, W1, OUT1); \
	LEAVE(PART(2), IP2, W2, OUT2); \
	LEAVE(PART(3), IP3, W3, OUT3)

#define REFILLALL() \
	REFILL(IP0, W0); \
	REFILL(IP1, W1); \
	REFILL(IP2, W2); \
	REFILL(IP3, W3)

// func singleRoundsAVX2(s *Streams, table *Single, n int)
TEXT ·singleRoundsAVX2(SB), NOSPLIT, $24-24
	ENTERALL()

loop:
	SINGLES(0)
	SINGLES(1)
	SINGLES(2)
	SINGLES(3)
	SINGLES(4)
	ADDQ $5, OUT0
	ADDQ $5, OUT1
	ADDQ $5, OUT2
	ADDQ $5, OUT3
	REFILLALL()
	DECQ COUNT
	JNZ  loop
	LEAVEALL()
	RET

// func doubleRoundsAVX2(s *Streams, table *Double, n int)
TEXT ·doubleRoundsAVX2(SB), NOSPLIT, $24-24
	ENTERALL()

loop:
	DOUBLES()
	DOUBLES()
	DOUBLES()
	DOUBLES()
	DOUBLES()
	REFILLALL()
	DECQ COUNT
	JNZ  loop
	LEAVEALL()
	RET
