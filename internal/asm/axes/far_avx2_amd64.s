//go:build !purego

#include "textflag.h"

// Sums of numbers that are a vector apart or more.

#define FROM     SI
#define TO       DI
#define DISTANCE BX
#define TIMES    CX

// The numbers within a distance are in two vectors, which overlap.
#define PAIR(ADD, V, A, B, C, D, BYTES) \
	VMOVDQU (FROM), A; \
	VMOVDQU -BYTES(FROM)(DISTANCE*1), B; \
V: \
	ADDQ    DISTANCE, FROM; \
	VMOVDQU (FROM), C; \
	VMOVDQU -BYTES(FROM)(DISTANCE*1), D; \
	ADD     C, A, A; \
	ADD     D, B, B; \
	VMOVDQU A, (FROM); \
	VMOVDQU B, -BYTES(FROM)(DISTANCE*1); \
	DECQ    TIMES; \
	JNZ     V

#define TWO(ADD) \
	MOVQ p+0(FP), FROM; \
	MOVQ distance+8(FP), DISTANCE; \
	MOVQ times+16(FP), TIMES; \
	CMPQ DISTANCE, $32; \
	JLT  narrow; \
	PAIR(ADD, wide, Y0, Y1, Y2, Y3, 32); \
	VZEROUPPER; \
	RET; \
narrow: \
	PAIR(ADD, thin, X0, X1, X2, X3, 16); \
	RET

#define FAR(ADD) \
	MOVQ p+0(FP), FROM; \
	MOVQ distance+8(FP), DISTANCE; \
	MOVQ vectors+16(FP), TIMES; \
	LEAQ (FROM)(DISTANCE*1), TO; \
next: \
	VMOVDQU (FROM), Y0; \
	ADD     (TO), Y0, Y0; \
	VMOVDQU Y0, (TO); \
	ADDQ    $32, FROM; \
	ADDQ    $32, TO; \
	DECQ    TIMES; \
	JNZ     next; \
	VZEROUPPER; \
	RET

// func two8AVX2(p unsafe.Pointer, distance, times int)
TEXT ·two8AVX2(SB), NOSPLIT, $0-24
	TWO(VPADDB)

// func two16AVX2(p unsafe.Pointer, distance, times int)
TEXT ·two16AVX2(SB), NOSPLIT, $0-24
	TWO(VPADDW)

// func two32AVX2(p unsafe.Pointer, distance, times int)
TEXT ·two32AVX2(SB), NOSPLIT, $0-24
	TWO(VPADDD)

// func two64AVX2(p unsafe.Pointer, distance, times int)
TEXT ·two64AVX2(SB), NOSPLIT, $0-24
	TWO(VPADDQ)

// func far8AVX2(p unsafe.Pointer, distance, vectors int)
TEXT ·far8AVX2(SB), NOSPLIT, $0-24
	FAR(VPADDB)

// func far16AVX2(p unsafe.Pointer, distance, vectors int)
TEXT ·far16AVX2(SB), NOSPLIT, $0-24
	FAR(VPADDW)

// func far32AVX2(p unsafe.Pointer, distance, vectors int)
TEXT ·far32AVX2(SB), NOSPLIT, $0-24
	FAR(VPADDD)

// func far64AVX2(p unsafe.Pointer, distance, vectors int)
TEXT ·far64AVX2(SB), NOSPLIT, $0-24
	FAR(VPADDQ)
