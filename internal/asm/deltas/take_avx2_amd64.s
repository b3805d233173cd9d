//go:build !purego

#include "textflag.h"

// Differences from numbers before, from the last vector to the first.

#define LAST   SI
#define BEFORE DI
#define TIMES  CX

#define TAKE(SUB) \
	MOVQ last+0(FP), LAST; \
	MOVQ LAST, BEFORE; \
	SUBQ distance+8(FP), BEFORE; \
	MOVQ vectors+16(FP), TIMES; \
next: \
	VMOVDQU (LAST), Y0; \
	VMOVDQU 32(LAST), Y1; \
	SUB     (BEFORE), Y0, Y0; \
	SUB     32(BEFORE), Y1, Y1; \
	VMOVDQU Y0, (LAST); \
	VMOVDQU Y1, 32(LAST); \
	SUBQ    $64, LAST; \
	SUBQ    $64, BEFORE; \
	DECQ    TIMES; \
	JNZ     next; \
	VZEROUPPER; \
	RET

// func take8AVX2(last unsafe.Pointer, distance, vectors int)
TEXT ·take8AVX2(SB), NOSPLIT, $0-24
	TAKE(VPSUBB)

// func take16AVX2(last unsafe.Pointer, distance, vectors int)
TEXT ·take16AVX2(SB), NOSPLIT, $0-24
	TAKE(VPSUBW)

// func take32AVX2(last unsafe.Pointer, distance, vectors int)
TEXT ·take32AVX2(SB), NOSPLIT, $0-24
	TAKE(VPSUBD)

// func take64AVX2(last unsafe.Pointer, distance, vectors int)
TEXT ·take64AVX2(SB), NOSPLIT, $0-24
	TAKE(VPSUBQ)
