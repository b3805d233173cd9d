//go:build !purego

#include "textflag.h"

// turnsGeneric in latents.go. The tier has BMI2, whose shifts take the lowest 6 bits of a register
// and whose BZHI takes the lowest byte: so a node is a count of bits as it is.

#define S0     AX
#define S1     BX
#define S2     CX
#define S3     DX
#define SRC    SI
#define NODES  DI
#define OUT    R8
#define WIDTHS R9
#define AT     R10
#define WORD   R11
#define PART   R12
#define LOW    R13 // of the first two nodes
#define HIGH   R14 // of the last two
#define HALF   R15 // 16, or where lower ends are

// A node takes the place of the state that it is for, and gives way to the next state: the upper
// half of its lower 32 bits, and what is read.
#define STATE(S, I, SIZE, STORE, NEXT) \
	BZHIQ S, WORD, PART; \
	MOVW  S, 2*I(WIDTHS); \
	STORE(S, SIZE*I(OUT)); \
	NEXT(S); \
	ADDL  PART, S

#define STORE8(S, TO) MOVQ S, HIGH; SHRQ $32, HIGH; MOVB HIGH, TO
#define STORE16(S, TO) MOVQ S, HIGH; SHRQ $32, HIGH; MOVW HIGH, TO
#define STORE32(S, TO) MOVQ S, HIGH; SHRQ $32, HIGH; MOVL HIGH, TO
#define STORE64(S, TO) MOVQ S, HIGH; SHRQ $32, HIGH; MOVQ (HALF)(HIGH*8), HIGH; MOVQ HIGH, TO

#define NEXT(S) SHRXL HALF, S, S
#define NEXT64(S) SHRL $16, S

#define SYMBOLS(SIZE, STORE, NEXT) \
	MOVQ out+0(FP), OUT; \
	MOVQ widths+8(FP), WIDTHS; \
	MOVQ nodes+16(FP), NODES; \
	MOVQ states+32(FP), LOW; \
	MOVL 0(LOW), S0; \
	MOVL 4(LOW), S1; \
	MOVL 8(LOW), S2; \
	MOVL 12(LOW), S3; \
	MOVQ src+40(FP), SRC; \
	MOVQ at+48(FP), AT; \
next: \
	MOVQ AT, WORD; \
	SHRQ $3, WORD; \
	MOVQ (SRC)(WORD*1), WORD; \
	MOVL AT, PART; \
	ANDL $7, PART; \
	SHRXQ PART, WORD, WORD; \
	MOVQ (NODES)(S0*8), S0; \
	MOVQ (NODES)(S1*8), S1; \
	MOVQ (NODES)(S2*8), S2; \
	MOVQ (NODES)(S3*8), S3; \
	LEAQ (S0)(S1*1), LOW; \
	LEAQ (S2)(S3*1), HIGH; \
	ADDL LOW, HIGH; \
	MOVBLZX HIGH, HIGH; \
	ADDQ HIGH, AT; \
	SHRXQ LOW, WORD, LOW; \
	BZHIQ S0, WORD, PART; \
	SHRXQ S0, WORD, WORD; \
	MOVW  S0, 0(WIDTHS); \
	STORE(S0, 0(OUT)); \
	NEXT(S0); \
	ADDL  PART, S0; \
	STATE(S1, 1, SIZE, STORE, NEXT); \
	MOVQ  LOW, WORD; \
	SHRXQ S2, LOW, LOW; \
	STATE(S2, 2, SIZE, STORE, NEXT); \
	MOVQ  LOW, WORD; \
	STATE(S3, 3, SIZE, STORE, NEXT); \
	ADDQ $(4*SIZE), OUT; \
	ADDQ $8, WIDTHS; \
	DECQ turns+56(FP); \
	JNZ  next; \
	MOVQ states+32(FP), LOW; \
	MOVL S0, 0(LOW); \
	MOVL S1, 4(LOW); \
	MOVL S2, 8(LOW); \
	MOVL S3, 12(LOW); \
	MOVQ AT, ret+64(FP); \
	RET

// func symbols8AVX2(
//	out *uint8, widths *uint16, nodes *Node, lowers *uint8,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols8AVX2(SB), NOSPLIT, $0-72
	MOVL $16, HALF
	SYMBOLS(1, STORE8, NEXT)

// func symbols16AVX2(
//	out *uint16, widths *uint16, nodes *Node, lowers *uint16,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols16AVX2(SB), NOSPLIT, $0-72
	MOVL $16, HALF
	SYMBOLS(2, STORE16, NEXT)

// func symbols32AVX2(
//	out *uint32, widths *uint16, nodes *Node, lowers *uint32,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols32AVX2(SB), NOSPLIT, $0-72
	MOVL $16, HALF
	SYMBOLS(4, STORE32, NEXT)

// func symbols64AVX2(
//	out *uint64, widths *uint16, nodes *Node, lowers *uint64,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols64AVX2(SB), NOSPLIT, $0-72
	MOVQ lowers+24(FP), HALF
	SYMBOLS(8, STORE64, NEXT64)
