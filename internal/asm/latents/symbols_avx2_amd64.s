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
#define NODE   R12
#define PART   R13
#define SUM    R14
#define LOWERS R15

// The next state is the upper half of the lower 32 bits of the node and what is read.
#define STATE(S, I, SIZE, STORE) \
	MOVQ  (NODES)(S*8), NODE; \
	BZHIQ NODE, WORD, PART; \
	SHRXQ NODE, WORD, WORD; \
	MOVL  NODE, S; \
	SHRL  $16, S; \
	ADDL  PART, S; \
	ADDL  NODE, SUM; \
	MOVW  NODE, 2*I(WIDTHS); \
	SHRQ  $32, NODE; \
	STORE(NODE, SIZE*I(OUT))

#define STORE8(R, TO) MOVB R, TO
#define STORE16(R, TO) MOVW R, TO
#define STORE32(R, TO) MOVL R, TO
#define STORE64(R, TO) MOVQ (LOWERS)(R*8), R; MOVQ R, TO

#define SYMBOLS(SIZE, STORE) \
	MOVQ out+0(FP), OUT; \
	MOVQ widths+8(FP), WIDTHS; \
	MOVQ nodes+16(FP), NODES; \
	MOVQ lowers+24(FP), LOWERS; \
	MOVQ states+32(FP), SUM; \
	MOVL 0(SUM), S0; \
	MOVL 4(SUM), S1; \
	MOVL 8(SUM), S2; \
	MOVL 12(SUM), S3; \
	MOVQ src+40(FP), SRC; \
	MOVQ at+48(FP), AT; \
next: \
	MOVQ AT, WORD; \
	SHRQ $3, WORD; \
	MOVQ (SRC)(WORD*1), WORD; \
	MOVL AT, PART; \
	ANDL $7, PART; \
	SHRXQ PART, WORD, WORD; \
	XORL SUM, SUM; \
	STATE(S0, 0, SIZE, STORE); \
	STATE(S1, 1, SIZE, STORE); \
	STATE(S2, 2, SIZE, STORE); \
	STATE(S3, 3, SIZE, STORE); \
	MOVBLZX SUM, SUM; \
	ADDQ SUM, AT; \
	ADDQ $(4*SIZE), OUT; \
	ADDQ $8, WIDTHS; \
	DECQ turns+56(FP); \
	JNZ  next; \
	MOVQ states+32(FP), SUM; \
	MOVL S0, 0(SUM); \
	MOVL S1, 4(SUM); \
	MOVL S2, 8(SUM); \
	MOVL S3, 12(SUM); \
	MOVQ AT, ret+64(FP); \
	RET

// func symbols8AVX2(
//	out *uint8, widths *uint16, nodes *Node, lowers *uint8,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols8AVX2(SB), NOSPLIT, $0-72
	SYMBOLS(1, STORE8)

// func symbols16AVX2(
//	out *uint16, widths *uint16, nodes *Node, lowers *uint16,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols16AVX2(SB), NOSPLIT, $0-72
	SYMBOLS(2, STORE16)

// func symbols32AVX2(
//	out *uint32, widths *uint16, nodes *Node, lowers *uint32,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols32AVX2(SB), NOSPLIT, $0-72
	SYMBOLS(4, STORE32)

// func symbols64AVX2(
//	out *uint64, widths *uint16, nodes *Node, lowers *uint64,
//	states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbols64AVX2(SB), NOSPLIT, $0-72
	SYMBOLS(8, STORE64)
