//go:build !purego

#include "textflag.h"
#include "vectors_neon_arm64.h"

// Singles and Doubles of undo.go, two vectors at a time.

#define PRIMARY   R0
#define SECONDARY R1
#define TIMES     R2
#define DONE      R3

// The sign bits of numbers are in the latents inverted. What is negative stays in V2 and V3; V4 has
// the bits that large numbers have.
#define PRODUCTS(LANES, SIGN, LARGE, CONVERT, MUL) \
	MOVD primary+0(FP), PRIMARY; \
	MOVD secondary+8(FP), SECONDARY; \
	MOVD vectors+16(FP), TIMES; \
	MOVD $0, DONE; \
next: \
	VLD1 (PRIMARY), [V0.B16, V1.B16]; \
	VEOR V6.B16, V0.B16, V0.B16; \
	VEOR V6.B16, V1.B16, V1.B16; \
	SIGN(0, 2); \
	SIGN(1, 3); \
	VEOR V2.B16, V0.B16, V0.B16; \
	VEOR V3.B16, V1.B16, V1.B16; \
	VORR V0.B16, V1.B16, V4.B16; \
	VUSHR $LARGE, V4.LANES, V4.LANES; \
	VMOV V4.D[0], R5; \
	VMOV V4.D[1], R6; \
	ORR  R5, R6; \
	CBNZ R6, done; \
	CONVERT(0, 0); \
	CONVERT(1, 1); \
	MUL(5, 0, 0); \
	MUL(5, 1, 1); \
	VAND V6.B16, V2.B16, V2.B16; \
	VAND V6.B16, V3.B16, V3.B16; \
	VEOR V2.B16, V0.B16, V0.B16; \
	VEOR V3.B16, V1.B16, V1.B16; \
	SIGN(0, 2); \
	SIGN(1, 3); \
	VORR V6.B16, V2.B16, V2.B16; \
	VORR V6.B16, V3.B16, V3.B16; \
	VLD1.P 32(SECONDARY), [V16.B16, V17.B16]; \
	VEOR V2.B16, V0.B16, V0.B16; \
	VEOR V3.B16, V1.B16, V1.B16; \
	VADD V16.LANES, V0.LANES, V0.LANES; \
	VADD V17.LANES, V1.LANES, V1.LANES; \
	VEOR V6.B16, V0.B16, V0.B16; \
	VEOR V6.B16, V1.B16, V1.B16; \
	VST1.P [V0.B16, V1.B16], 32(PRIMARY); \
	ADD  $1, DONE; \
	CMP  TIMES, DONE; \
	BLT  next; \
done: \
	MOVD DONE, ret+32(FP); \
	RET

// func singlesKernel(primary, secondary *uint32, vectors int, base float32) int
TEXT ·singlesKernel(SB), NOSPLIT, $0-40
	FMOVS base+24(FP), F5
	VDUP  V5.S[0], V5.S4
	VMOVI $255, V6.B16
	VSHL  $31, V6.S4, V6.S4
	PRODUCTS(S4, VSIGN4S, 24, VSCVTF4S, VFMUL4S)

// func doublesKernel(primary, secondary *uint64, vectors int, base float64) int
TEXT ·doublesKernel(SB), NOSPLIT, $0-40
	FMOVD base+24(FP), F5
	VDUP  V5.D[0], V5.D2
	VMOVI $255, V6.B16
	VSHL  $63, V6.D2, V6.D2
	PRODUCTS(D2, VSIGN2D, 53, VSCVTF2D, VFMUL2D)
