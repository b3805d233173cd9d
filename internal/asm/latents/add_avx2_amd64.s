//go:build !purego

#include "textflag.h"

// addGeneric in latents.go, four latents a turn. A load serves as many of them as surely have their
// bits in it.

#define SRC    SI
#define WIDTHS DI
#define OUT    R8
#define AT     R9
#define TURNS  R10
#define WORD   R11
#define WIDTH  R12
#define PART   R13
#define COUNT  CX
#define THREE  DX

#define LOAD \
	SHRXQ THREE, AT, WORD; \
	BZHIQ THREE, AT, COUNT; \
	MOVQ (SRC)(WORD*1), WORD; \
	SHRXQ COUNT, WORD, WORD

// A load of 64 bits behind any bit: the rest is in the byte behind.
#define LOADWIDE \
	MOVQ AT, PART; \
	SHRQ $3, PART; \
	MOVQ (SRC)(PART*1), WORD; \
	MOVBQZX 8(SRC)(PART*1), PART; \
	MOVL AT, COUNT; \
	ANDL $7, COUNT; \
	SHRXQ COUNT, WORD, WORD; \
	XORL $63, COUNT; \
	ADDQ PART, PART; \
	SHLXQ COUNT, PART, PART; \
	ORQ  PART, WORD

#define ONE(I, SIZE, ADD) \
	MOVBLZX (2*I+1)(WIDTHS), WIDTH; \
	BZHIQ WIDTH, WORD, PART; \
	ADDQ WIDTH, AT; \
	ADD  PART, SIZE*I(OUT)

#define SKIP SHRXQ WIDTH, WORD, WORD

#define BEGIN \
	MOVQ out+0(FP), OUT; \
	MOVQ widths+8(FP), WIDTHS; \
	MOVQ src+16(FP), SRC; \
	MOVQ at+24(FP), AT; \
	MOVQ turns+32(FP), TURNS; \
	MOVL $3, THREE

#define END(SIZE) \
	ADDQ $(4*SIZE), OUT; \
	ADDQ $8, WIDTHS; \
	DECQ TURNS; \
	JNZ  next; \
	MOVQ AT, ret+40(FP); \
	RET

#define BY14(SIZE, ADD) \
	BEGIN; \
next: \
	LOAD; \
	ONE(0, SIZE, ADD); \
	SKIP; \
	ONE(1, SIZE, ADD); \
	SKIP; \
	ONE(2, SIZE, ADD); \
	SKIP; \
	ONE(3, SIZE, ADD); \
	END(SIZE)

#define BY28(SIZE, ADD) \
	BEGIN; \
next: \
	LOAD; \
	ONE(0, SIZE, ADD); \
	SKIP; \
	ONE(1, SIZE, ADD); \
	LOAD; \
	ONE(2, SIZE, ADD); \
	SKIP; \
	ONE(3, SIZE, ADD); \
	END(SIZE)

#define EACH(SIZE, ADD, LOADED) \
	BEGIN; \
next: \
	LOADED; \
	ONE(0, SIZE, ADD); \
	LOADED; \
	ONE(1, SIZE, ADD); \
	LOADED; \
	ONE(2, SIZE, ADD); \
	LOADED; \
	ONE(3, SIZE, ADD); \
	END(SIZE)

// func add8by14AVX2(out *uint8, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add8by14AVX2(SB), NOSPLIT, $0-48
	BY14(1, ADDB)

// func add16by14AVX2(out *uint16, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add16by14AVX2(SB), NOSPLIT, $0-48
	BY14(2, ADDW)

// func add16by28AVX2(out *uint16, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add16by28AVX2(SB), NOSPLIT, $0-48
	BY28(2, ADDW)

// func add32by14AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add32by14AVX2(SB), NOSPLIT, $0-48
	BY14(4, ADDL)

// func add32by28AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add32by28AVX2(SB), NOSPLIT, $0-48
	BY28(4, ADDL)

// func add32by57AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add32by57AVX2(SB), NOSPLIT, $0-48
	EACH(4, ADDL, LOAD)

// func add64by14AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add64by14AVX2(SB), NOSPLIT, $0-48
	BY14(8, ADDQ)

// func add64by28AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add64by28AVX2(SB), NOSPLIT, $0-48
	BY28(8, ADDQ)

// func add64by57AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add64by57AVX2(SB), NOSPLIT, $0-48
	EACH(8, ADDQ, LOAD)

// func add64by64AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint
TEXT ·add64by64AVX2(SB), NOSPLIT, $0-48
	EACH(8, ADDQ, LOADWIDE)
