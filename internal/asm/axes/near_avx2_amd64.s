//go:build !purego

#include "textflag.h"

// Sums within rows, of numbers less than a vector apart. The next vector is loaded before one is
// written, as a row may end within it.

#define P     SI
#define ROWS  CX
#define BYTES BX
#define LEFT  DX
#define MASKS R8

#define SUM   X0
#define NEXT  X1
#define T     X2
#define CARRY X3
#define OLD   X4
#define LAST  X8
#define ONCE  X9
#define TWICE X10
#define FOUR  X11
#define EIGHT X12

// Behind the middle are no bytes, before it are all.
DATA masks<>+0(SB)/8, $-1
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $0
DATA masks<>+24(SB)/8, $0
GLOBL masks<>(SB), RODATA|NOPTR, $32

#define STEP(SHUFFLE, ADD) \
	VPSHUFB SHUFFLE, SUM, T; \
	ADD     T, SUM, SUM

#define STEPS64(ADD) STEP(ONCE, ADD)
#define STEPS32(ADD) STEPS64(ADD); STEP(TWICE, ADD)
#define STEPS16(ADD) STEPS32(ADD); STEP(FOUR, ADD)
#define STEPS8(ADD) STEPS16(ADD); STEP(EIGHT, ADD)

#define NEAR(ADD, STEPS) \
	MOVQ p+0(FP), P; \
	MOVQ rows+8(FP), ROWS; \
	MOVQ bytes+16(FP), BYTES; \
	MOVQ s+24(FP), R9; \
	VMOVDQU 0(R9), LAST; \
	VMOVDQU 16(R9), ONCE; \
	VMOVDQU 32(R9), TWICE; \
	VMOVDQU 48(R9), FOUR; \
	VMOVDQU 64(R9), EIGHT; \
	LEAQ masks<>+16(SB), MASKS; \
	VMOVDQU (P), NEXT; \
row: \
	VPXOR CARRY, CARRY, CARRY; \
	MOVQ  BYTES, LEFT; \
	SUBQ  $16, LEFT; \
	JLT   part; \
whole: \
	VMOVDQA NEXT, SUM; \
	VMOVDQU 16(P), NEXT; \
	STEPS(ADD); \
	ADD     CARRY, SUM, SUM; \
	VMOVDQU SUM, (P); \
	VPSHUFB LAST, SUM, CARRY; \
	ADDQ    $16, P; \
	SUBQ    $16, LEFT; \
	JGE     whole; \
part: \
	ADDQ $16, LEFT; \
	JZ   end; \
	VMOVDQA NEXT, SUM; \
	VMOVDQA NEXT, OLD; \
	VMOVDQU (P)(LEFT*1), NEXT; \
	STEPS(ADD); \
	ADD     CARRY, SUM, SUM; \
	MOVQ    MASKS, R9; \
	SUBQ    LEFT, R9; \
	VMOVDQU (R9), T; \
	VPBLENDVB T, SUM, OLD, SUM; \
	VMOVDQU SUM, (P); \
	ADDQ    LEFT, P; \
end: \
	DECQ ROWS; \
	JNZ  row; \
	RET

// func near8AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near8AVX2(SB), NOSPLIT, $0-32
	NEAR(VPADDB, STEPS8)

// func near16AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near16AVX2(SB), NOSPLIT, $0-32
	NEAR(VPADDW, STEPS16)

// func near32AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near32AVX2(SB), NOSPLIT, $0-32
	NEAR(VPADDD, STEPS32)

// func near64AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near64AVX2(SB), NOSPLIT, $0-32
	NEAR(VPADDQ, STEPS64)
