//go:build !purego

#include "textflag.h"
#include "vectors_neon_arm64.h"

// The loops of undo.go, two vectors at a time.

#define AT    R0
#define TIMES R1

#define BEGIN \
	MOVD p+0(FP), AT; \
	MOVD vectors+8(FP), TIMES

#define LOAD VLD1 (AT), [V0.B16, V1.B16]
#define STORE VST1.P [V0.B16, V1.B16], 32(AT)

#define NEXT \
	STORE; \
	SUBS $1, TIMES; \
	BNE  next

// All bits change if the highest is clear, and only that one if it is set: all bits change, and
// then those below the highest again if it was set.
#define UNORDER(LANES, SHIFT, SIGN) \
	BEGIN; \
	MOVD first+16(FP), R2; \
	VDUP R2, V5.D2; \
	MOVD shift+24(FP), R3; \
	VDUP R3, V6.LANES; \
	VMOVI $255, V2.B16; \
	SHIFT(6, 2, 3); \
next: \
	LOAD; \
	VADD  V5.LANES, V0.LANES, V0.LANES; \
	VADD  V5.LANES, V1.LANES, V1.LANES; \
	SHIFT(6, 0, 0); \
	SHIFT(6, 1, 1); \
	SIGN(0, 16); \
	SIGN(1, 17); \
	VEOR  V2.B16, V0.B16, V0.B16; \
	VEOR  V2.B16, V1.B16, V1.B16; \
	VUSHR $1, V16.LANES, V16.LANES; \
	VUSHR $1, V17.LANES, V17.LANES; \
	VEOR  V16.B16, V0.B16, V0.B16; \
	VEOR  V17.B16, V1.B16, V1.B16; \
	VAND  V3.B16, V0.B16, V0.B16; \
	VAND  V3.B16, V1.B16, V1.B16; \
	NEXT; \
	RET

#define MULTIPLY(LANES, MUL) \
	BEGIN; \
	MOVD step+16(FP), R2; \
	VDUP R2, V5.D2; \
	MOVD first+24(FP), R3; \
	VDUP R3, V6.D2; \
next: \
	LOAD; \
	MUL(5, 0, 0); \
	MUL(5, 1, 1); \
	VADD V6.LANES, V0.LANES, V0.LANES; \
	VADD V6.LANES, V1.LANES, V1.LANES; \
	NEXT; \
	RET

// The products of the lower halves of X, and above them those of each with the other's upper one.
#define MUL64(X, NARROW, CROSS, X0, NARROW0, CROSS0) \
	VREV64 X.S4, CROSS.S4; \
	VXTN2S(X0, NARROW0); \
	VMUL4S(5, CROSS0, CROSS0); \
	VUADDLP4S(CROSS0, X0); \
	VSHL   $32, X.D2, X.D2; \
	VUMLAL2S(7, NARROW0, X0)

#define QUOTIENTS \
	BEGIN; \
	MOVD first+16(FP), R2; \
	VDUP R2, V5.D2; \
	MOVD by+24(FP), R3; \
	VDUP R3, V6.D2; \
	MOVD offset+32(FP), R4; \
	VDUP R4, V7.D2

#define BY32(BY) \
	QUOTIENTS; \
next: \
	LOAD; \
	VADD V5.S4, V0.S4, V0.S4; \
	VADD V5.S4, V1.S4, V1.S4; \
	VSXTL2S(0, 16); \
	VSXTL4S(0, 17); \
	VSXTL2S(1, 18); \
	VSXTL4S(1, 19); \
	VSCVTF2D(16, 16); \
	VSCVTF2D(17, 17); \
	VSCVTF2D(18, 18); \
	VSCVTF2D(19, 19); \
	BY(6, 16, 16); \
	BY(6, 17, 17); \
	BY(6, 18, 18); \
	BY(6, 19, 19); \
	VFADD2D(7, 16, 16); \
	VFADD2D(7, 17, 17); \
	VFADD2D(7, 18, 18); \
	VFADD2D(7, 19, 19); \
	VFCVTN2S(16, 0); \
	VFCVTN4S(17, 0); \
	VFCVTN2S(18, 1); \
	VFCVTN4S(19, 1); \
	NEXT; \
	RET

#define BY64(BY) \
	QUOTIENTS; \
next: \
	LOAD; \
	VADD V5.D2, V0.D2, V0.D2; \
	VADD V5.D2, V1.D2, V1.D2; \
	VSCVTF2D(0, 0); \
	VSCVTF2D(1, 1); \
	BY(6, 0, 0); \
	BY(6, 1, 1); \
	VFADD2D(7, 0, 0); \
	VFADD2D(7, 1, 1); \
	NEXT; \
	RET

#define ADDITION(LANES) \
	MOVD p+0(FP), AT; \
	MOVD others+8(FP), R2; \
	MOVD vectors+16(FP), TIMES; \
next: \
	LOAD; \
	VLD1.P 32(R2), [V2.B16, V3.B16]; \
	VADD   V2.LANES, V0.LANES, V0.LANES; \
	VADD   V3.LANES, V1.LANES, V1.LANES; \
	NEXT; \
	RET

#define STEP(BYTES, LANES) \
	VEXT $(16-BYTES), V2.B16, V7.B16, V16.B16; \
	VEXT $(16-BYTES), V3.B16, V7.B16, V17.B16; \
	VADD V16.LANES, V2.LANES, V2.LANES; \
	VADD V17.LANES, V3.LANES, V3.LANES

// The first step of sums leaves the numbers as they are.
#define FIRST(BYTES, LANES) \
	VEXT $(16-BYTES), V0.B16, V7.B16, V16.B16; \
	VEXT $(16-BYTES), V1.B16, V7.B16, V17.B16; \
	VADD V16.LANES, V0.LANES, V2.LANES; \
	VADD V17.LANES, V1.LANES, V3.LANES

#define STEPS32 FIRST(4, S4); STEP(8, S4)
#define STEPS16 FIRST(2, H8); STEP(4, H8); STEP(8, H8)
#define STEPS8 FIRST(1, B16); STEP(2, B16); STEP(4, B16); STEP(8, B16)

// Sums within vectors. What is carried to the next one takes one addition.
#define SUMS(LANES, STEPS, LAST) \
	BEGIN; \
	MOVD sum+16(FP), R2; \
	VDUP R2, V5.D2; \
	MOVD flip+24(FP), R3; \
	VDUP R3, V4.D2; \
	VEOR V7.B16, V7.B16, V7.B16; \
next: \
	LOAD; \
	VEOR V4.B16, V0.B16, V0.B16; \
	VEOR V4.B16, V1.B16, V1.B16; \
	STEPS; \
	VSUB V0.LANES, V2.LANES, V0.LANES; \
	VSUB V1.LANES, V3.LANES, V1.LANES; \
	VDUP V2.LAST, V2.LANES; \
	VDUP V3.LAST, V3.LANES; \
	VADD V5.LANES, V0.LANES, V0.LANES; \
	VADD V2.LANES, V5.LANES, V5.LANES; \
	VADD V5.LANES, V1.LANES, V1.LANES; \
	VADD V3.LANES, V5.LANES, V5.LANES; \
	NEXT; \
	VMOV V5.D[0], R2; \
	MOVD R2, ret+32(FP); \
	RET

// func flipKernel(p unsafe.Pointer, vectors int, pattern uint64)
TEXT ·flipKernel(SB), NOSPLIT, $0-24
	BEGIN
	MOVD pattern+16(FP), R2
	VDUP R2, V2.D2

next:
	LOAD
	VEOR V2.B16, V0.B16, V0.B16
	VEOR V2.B16, V1.B16, V1.B16
	NEXT
	RET

// func unorder16Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder16Kernel(SB), NOSPLIT, $0-32
	UNORDER(H8, VUSHL8H, VSIGN8H)

// func unorder32Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder32Kernel(SB), NOSPLIT, $0-32
	UNORDER(S4, VUSHL4S, VSIGN4S)

// func unorder64Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)
TEXT ·unorder64Kernel(SB), NOSPLIT, $0-32
	UNORDER(D2, VUSHL2D, VSIGN2D)

// func multiply8Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply8Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(B16, VMUL16B)

// func multiply16Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply16Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(H8, VMUL8H)

// func multiply32Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply32Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(S4, VMUL4S)

// func multiply64Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply64Kernel(SB), NOSPLIT, $0-32
	BEGIN
	MOVD step+16(FP), R2
	VDUP R2, V5.D2
	MOVD first+24(FP), R3
	VDUP R3, V6.D2
	VXTN2S(5, 7)

next:
	LOAD
	MUL64(V0, V2, V3, 0, 2, 3)
	MUL64(V1, V16, V17, 1, 16, 17)
	VADD V6.D2, V0.D2, V0.D2
	VADD V6.D2, V1.D2, V1.D2
	NEXT
	RET

// func quotients32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·quotients32Kernel(SB), NOSPLIT, $0-40
	BY32(VFDIV2D)

// func quotients64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·quotients64Kernel(SB), NOSPLIT, $0-40
	BY64(VFDIV2D)

// func products32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·products32Kernel(SB), NOSPLIT, $0-40
	BY32(VFMUL2D)

// func products64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·products64Kernel(SB), NOSPLIT, $0-40
	BY64(VFMUL2D)

// func add32Kernel(p, others unsafe.Pointer, vectors int)
TEXT ·add32Kernel(SB), NOSPLIT, $0-24
	ADDITION(S4)

// func add64Kernel(p, others unsafe.Pointer, vectors int)
TEXT ·add64Kernel(SB), NOSPLIT, $0-24
	ADDITION(D2)

// func toSinglesKernel(p unsafe.Pointer, vectors int)
TEXT ·toSinglesKernel(SB), NOSPLIT, $0-16
	BEGIN

next:
	LOAD
	VFCVTN2S(0, 0)
	VFCVTN2S(1, 1)
	VFCVTL2S(0, 0)
	VFCVTL2S(1, 1)
	NEXT
	RET

// func sums8Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums8Kernel(SB), NOSPLIT, $0-40
	SUMS(B16, STEPS8, B[15])

// func sums16Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums16Kernel(SB), NOSPLIT, $0-40
	SUMS(H8, STEPS16, H[7])

// func sums32Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums32Kernel(SB), NOSPLIT, $0-40
	SUMS(S4, STEPS32, S[3])

// Kernel of two numbers gain nothing.
//
// func sums64Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64
TEXT ·sums64Kernel(SB), NOSPLIT, $0-40
	BEGIN
	MOVD sum+16(FP), R2
	MOVD flip+24(FP), R3

next:
	LDP   (AT), (R4, R5)
	LDP   16(AT), (R6, R7)
	EOR   R3, R4
	EOR   R3, R5
	EOR   R3, R6
	EOR   R3, R7
	ADD   R2, R4
	STP.P (R2, R4), 16(AT)
	ADD   R4, R5
	ADD   R5, R6
	STP.P (R5, R6), 16(AT)
	ADD   R6, R7, R2
	SUBS  $1, TIMES
	BNE   next
	MOVD  R2, ret+32(FP)
	RET
