//go:build !purego

#include "textflag.h"

// turnsGeneric in latents.go. The tier has BMI2, whose shifts take the lowest 6 bits of a register
// and whose BZHI takes the lowest byte: so a node is a count of bits as it is.

#define S0    AX
#define S1    BX
#define S2    CX
#define S3    DX
#define SRC   SI
#define TABLE DI
#define NODES R8
#define END   R9
#define AT    R10
#define WORD  R11
#define PART  R12
#define LOW   R13 // of the first two nodes
#define HIGH  R14 // of the last two
#define THREE R15

// A node takes the place of the state that it is for, and gives way to the next state: the upper
// half of its lower 32 bits, and what is read.
#define STATE(S, I, FROM) \
	BZHIQ S, FROM, PART; \
	MOVQ  S, 8*I(NODES); \
	SHRL  $16, S; \
	ADDL  PART, S

// func symbolsAVX2(nodes, table *Node, states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbolsAVX2(SB), NOSPLIT, $0-56
	MOVQ nodes+0(FP), NODES
	MOVQ table+8(FP), TABLE
	MOVQ states+16(FP), LOW
	MOVL 0(LOW), S0
	MOVL 4(LOW), S1
	MOVL 8(LOW), S2
	MOVL 12(LOW), S3
	MOVQ src+24(FP), SRC
	MOVQ at+32(FP), AT
	MOVQ turns+40(FP), END
	SHLQ $5, END
	ADDQ NODES, END
	MOVL $3, THREE

next:
	SHRXQ THREE, AT, WORD
	BZHIQ THREE, AT, PART
	MOVQ  (SRC)(WORD*1), WORD
	MOVQ  (TABLE)(S0*8), S0
	MOVQ  (TABLE)(S1*8), S1
	MOVQ  (TABLE)(S2*8), S2
	MOVQ  (TABLE)(S3*8), S3
	SHRXQ PART, WORD, WORD

	// What the four read is in the lowest byte of their sum.
	LEAQ    (S0)(S1*1), LOW
	LEAQ    (S2)(S3*1), HIGH
	ADDL    LOW, HIGH
	MOVBLZX HIGH, HIGH
	ADDQ    HIGH, AT

	SHRXQ LOW, WORD, HIGH
	SHRXQ S0, WORD, LOW
	STATE(S0, 0, WORD)
	SHRXQ S2, HIGH, WORD
	STATE(S1, 1, LOW)
	STATE(S2, 2, HIGH)
	STATE(S3, 3, WORD)
	ADDQ  $32, NODES
	CMPQ  NODES, END
	JNE   next

	MOVQ states+16(FP), LOW
	MOVL S0, 0(LOW)
	MOVL S1, 4(LOW)
	MOVL S2, 8(LOW)
	MOVL S3, 12(LOW)
	MOVQ AT, ret+48(FP)
	RET
