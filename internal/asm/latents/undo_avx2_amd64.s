//go:build !purego

#include "textflag.h"

// The loops of undo.go, a vector at a time.

// All bits change if the highest is clear, and only that one if it is set: all bits change, and
// then those below the highest again if it was set.
#define UNORDER(ADD, SHIFT, SIGN) \
	MOVQ p+0(FP), SI; \
	MOVQ vectors+8(FP), CX; \
	VPBROADCASTQ first+16(FP), Y5; \
	VMOVQ shift+24(FP), X6; \
	VPXOR Y4, Y4, Y4; \
	VPCMPEQD Y2, Y2, Y2; \
	SHIFT X6, Y2, Y3; \
next: \
	ADD     (SI), Y5, Y0; \
	SHIFT   X6, Y0, Y0; \
	SIGN(Y0, Y1); \
	VPXOR   Y2, Y0, Y0; \
	VPXOR   Y1, Y0, Y0; \
	VPAND   Y3, Y0, Y0; \
	VMOVDQU Y0, (SI); \
	ADDQ    $32, SI; \
	DECQ    CX; \
	JNZ     next; \
	VZEROUPPER; \
	RET

#define SIGN16(X, Y) VPSRAW $15, X, Y; VPSRLW $1, Y, Y
#define SIGN32(X, Y) VPSRAD $31, X, Y; VPSRLD $1, Y, Y
#define SIGN64(X, Y) VPCMPGTQ X, Y4, Y; VPSRLQ $1, Y, Y

// The shuffles that repeat the last number of each half.
DATA last8<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL last8<>(SB), RODATA|NOPTR, $8
DATA last16<>+0(SB)/8, $0x0f0e0f0e0f0e0f0e
GLOBL last16<>(SB), RODATA|NOPTR, $8

#define LAST8(X, Y) VPSHUFB Y6, X, Y
#define LAST32(X, Y) VPSHUFD $0xff, X, Y
#define LAST64(X, Y) VPSHUFD $0xee, X, Y

#define STEP(BYTES, ADD) \
	VPSLLDQ $BYTES, Y1, Y2; \
	ADD Y2, Y1, Y1

#define STEPS64(ADD) STEP(8, ADD)
#define STEPS32(ADD) STEP(4, ADD); STEPS64(ADD)
#define STEPS16(ADD) STEP(2, ADD); STEPS32(ADD)
#define STEPS8(ADD) STEP(1, ADD); STEPS16(ADD)

// Sums within halves, then the last of the lower half is added to the upper one. What is carried to
// the next vector takes one addition.
#define SUMS(ADD, SUB, STEPS, LAST) \
	MOVQ p+0(FP), SI; \
	MOVQ vectors+8(FP), CX; \
	VPBROADCASTQ sum+16(FP), Y5; \
	VPBROADCASTQ flip+24(FP), Y4; \
next: \
	VPXOR (SI), Y4, Y0; \
	VMOVDQA Y0, Y1; \
	STEPS(ADD); \
	VPERM2I128 $0x08, Y1, Y1, Y2; \
	LAST(Y2, Y2); \
	ADD Y2, Y1, Y1; \
	VPERMQ $0xff, Y1, Y3; \
	LAST(Y3, Y3); \
	SUB Y0, Y1, Y1; \
	ADD Y5, Y1, Y1; \
	VMOVDQU Y1, (SI); \
	ADD Y3, Y5, Y5; \
	ADDQ $32, SI; \
	DECQ CX; \
	JNZ  next; \
	VMOVQ X5, AX; \
	MOVQ AX, ret+32(FP); \
	VZEROUPPER; \
	RET

// func flipKernel(p unsafe.Pointer, vectors int, pattern uint64)
TEXT ·flipKernel(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ vectors+8(FP), CX
	VPBROADCASTQ pattern+16(FP), Y1

next:
	VPXOR   (SI), Y1, Y0
	VMOVDQU Y0, (SI)
	ADDQ    $32, SI
	DECQ    CX
	JNZ     next
	VZEROUPPER
	RET

// func unorder16Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder16Kernel(SB), NOSPLIT, $0-32
	UNORDER(VPADDW, VPSLLW, SIGN16)

// func unorder32Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder32Kernel(SB), NOSPLIT, $0-32
	UNORDER(VPADDD, VPSLLD, SIGN32)

// func unorder64Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder64Kernel(SB), NOSPLIT, $0-32
	UNORDER(VPADDQ, VPSLLQ, SIGN64)

// func sums8Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums8Kernel(SB), NOSPLIT, $0-40
	VPBROADCASTQ last8<>(SB), Y6
	SUMS(VPADDB, VPSUBB, STEPS8, LAST8)

// func sums16Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums16Kernel(SB), NOSPLIT, $0-40
	VPBROADCASTQ last16<>(SB), Y6
	SUMS(VPADDW, VPSUBW, STEPS16, LAST8)

// func sums32Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums32Kernel(SB), NOSPLIT, $0-40
	SUMS(VPADDD, VPSUBD, STEPS32, LAST32)

// func sums64Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums64Kernel(SB), NOSPLIT, $0-40
	SUMS(VPADDQ, VPSUBQ, STEPS64, LAST64)
