//go:build !purego

#include "textflag.h"

// Singles and Doubles of undo.go, a vector at a time.

#define BIG   Y8  // the bits that large numbers have
#define MID   Y9
#define BASE  Y10
#define MAGIC Y11
#define ZERO  Y12

// The sign bits of numbers are in the latents inverted. The registers hold primary latents, what is
// negative, and the result.
#define PRODUCTS(SIGN, CONVERT, MUL, ADD) \
	MOVQ primary+0(FP), SI; \
	MOVQ secondary+8(FP), DI; \
	MOVQ vectors+16(FP), CX; \
	XORL AX, AX; \
	VPXOR ZERO, ZERO, ZERO; \
next: \
	VPXOR   (SI), MID, Y0; \
	SIGN(Y0, Y1); \
	VPXOR   Y1, Y0, Y0; \
	VPTEST  BIG, Y0; \
	JNZ     done; \
	CONVERT; \
	MUL     BASE, Y0, Y0; \
	VPAND   MID, Y1, Y1; \
	VPXOR   Y1, Y0, Y0; \
	SIGN(Y0, Y1); \
	VPOR    MID, Y1, Y1; \
	VPXOR   Y1, Y0, Y0; \
	ADD     (DI), Y0, Y0; \
	VPXOR   MID, Y0, Y0; \
	VMOVDQU Y0, (SI); \
	ADDQ    $32, SI; \
	ADDQ    $32, DI; \
	INCQ    AX; \
	CMPQ    AX, CX; \
	JLT     next; \
done: \
	MOVQ AX, ret+32(FP); \
	VZEROUPPER; \
	RET

#define SPREAD(SIGN, Y) VPSRAD $31, SIGN, Y
#define SPREAD64(SIGN, Y) VPCMPGTQ SIGN, ZERO, Y

// func singlesKernel(primary, secondary *uint32, vectors int, base float32) int
TEXT ·singlesKernel(SB), NOSPLIT, $0-40
	VBROADCASTSS base+24(FP), BASE
	VPCMPEQD MID, MID, MID
	VPSLLD $24, MID, BIG
	VPSLLD $31, MID, MID
#define CONVERT VCVTDQ2PS Y0, Y0
	PRODUCTS(SPREAD, CONVERT, VMULPS, VPADDD)

// The bits of 1<<52, whose lowest ones are those of a number that is added.
DATA magic<>+0(SB)/8, $0x4330000000000000
GLOBL magic<>(SB), RODATA|NOPTR, $8

// func doublesKernel(primary, secondary *uint64, vectors int, base float64) int
TEXT ·doublesKernel(SB), NOSPLIT, $0-40
	VBROADCASTSD base+24(FP), BASE
	VPBROADCASTQ magic<>(SB), MAGIC
	VPCMPEQD MID, MID, MID
	VPSLLQ $52, MID, BIG
	VPSLLQ $63, MID, MID
#define CONVERT64 VPOR MAGIC, Y0, Y0; VSUBPD MAGIC, Y0, Y0
	PRODUCTS(SPREAD64, CONVERT64, VMULPD, VPADDQ)
