//go:build !purego

#include "textflag.h"

// Bit rows of planes, 128 items at a time: every eighth item goes to the same register, and bits
// are transposed across the eight registers.

#define DST    R0
#define PITCH  R1
#define ROW    R2
#define SRC    R3
#define STEP   R4
#define PLANES R5
#define GROUPS R6
#define LEFT   R7
#define LINE   R8   // where we are in row 0
#define AT     R9   // in the other rows
#define PLANE  R10  // and in the plane

#define MASK4 V29.B16
#define MASK2 V30.B16
#define MASK1 V31.B16

#define LOAD_MASKS \
	VMOVI $0x0f, MASK4; \
	VMOVI $0x33, MASK2; \
	VMOVI $0x55, MASK1

// Swaps the odd groups of n bits of a with the even ones of b. Clobbers V24 and V25.
#define SWAP(a, b, n, mask) \
	VSHL  $n, b.B16, V24.B16; \
	VUSHR $n, a.B16, V25.B16; \
	VBIF  mask, V24.B16, a.B16; \
	VBIT  mask, V25.B16, b.B16

// V0 to V7: bit k of byte p of register i moves to bit i of byte p of register k.
#define TRANSPOSE \
	SWAP(V0, V4, 4, MASK4); \
	SWAP(V1, V5, 4, MASK4); \
	SWAP(V2, V6, 4, MASK4); \
	SWAP(V3, V7, 4, MASK4); \
	SWAP(V0, V2, 2, MASK2); \
	SWAP(V1, V3, 2, MASK2); \
	SWAP(V4, V6, 2, MASK2); \
	SWAP(V5, V7, 2, MASK2); \
	SWAP(V0, V1, 1, MASK1); \
	SWAP(V2, V3, 1, MASK1); \
	SWAP(V4, V5, 1, MASK1); \
	SWAP(V6, V7, 1, MASK1)

// func bitsNEON(dst *byte, pitch, row int, src *byte, step, planes, groups int)
TEXT ·bitsNEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), DST
	MOVD pitch+8(FP), PITCH
	MOVD row+16(FP), ROW
	MOVD src+24(FP), SRC
	MOVD step+32(FP), STEP
	MOVD planes+40(FP), PLANES
	MOVD groups+48(FP), GROUPS
	LSL  $2, GROUPS // 128 items at a time
	CBZ  PLANES, done
	CBZ  GROUPS, done
	LOAD_MASKS

plane:
	MOVD DST, LINE
	MOVD SRC, PLANE
	MOVD GROUPS, LEFT

group:
	VLD4.P 64(PLANE), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD4.P 64(PLANE), [V20.B16, V21.B16, V22.B16, V23.B16]
	VUZP1  V20.B16, V16.B16, V0.B16
	VUZP1  V21.B16, V17.B16, V1.B16
	VUZP1  V22.B16, V18.B16, V2.B16
	VUZP1  V23.B16, V19.B16, V3.B16
	VUZP2  V20.B16, V16.B16, V4.B16
	VUZP2  V21.B16, V17.B16, V5.B16
	VUZP2  V22.B16, V18.B16, V6.B16
	VUZP2  V23.B16, V19.B16, V7.B16
	TRANSPOSE
	MOVD   LINE, AT
	VST1.P [V0.B16], (AT)(ROW)
	VST1.P [V1.B16], (AT)(ROW)
	VST1.P [V2.B16], (AT)(ROW)
	VST1.P [V3.B16], (AT)(ROW)
	VST1.P [V4.B16], (AT)(ROW)
	VST1.P [V5.B16], (AT)(ROW)
	VST1.P [V6.B16], (AT)(ROW)
	VST1.P [V7.B16], (AT)(ROW)
	ADD    $16, LINE
	SUBS   $1, LEFT
	BNE    group
	ADD    PITCH, DST
	ADD    STEP, SRC
	SUBS   $1, PLANES
	BNE    plane

done:
	RET

// func bitsBackNEON(dst *byte, step int, src *byte, pitch, row, planes, groups int)
TEXT ·bitsBackNEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), DST
	MOVD step+8(FP), STEP
	MOVD src+16(FP), SRC
	MOVD pitch+24(FP), PITCH
	MOVD row+32(FP), ROW
	MOVD planes+40(FP), PLANES
	MOVD groups+48(FP), GROUPS
	LSL  $2, GROUPS // 128 items at a time
	CBZ  PLANES, done
	CBZ  GROUPS, done
	LOAD_MASKS

plane:
	MOVD SRC, LINE
	MOVD DST, PLANE
	MOVD GROUPS, LEFT

group:
	MOVD   LINE, AT
	VLD1.P (AT)(ROW), [V0.B16]
	VLD1.P (AT)(ROW), [V1.B16]
	VLD1.P (AT)(ROW), [V2.B16]
	VLD1.P (AT)(ROW), [V3.B16]
	VLD1.P (AT)(ROW), [V4.B16]
	VLD1.P (AT)(ROW), [V5.B16]
	VLD1.P (AT)(ROW), [V6.B16]
	VLD1.P (AT)(ROW), [V7.B16]
	TRANSPOSE
	VZIP1  V4.B16, V0.B16, V16.B16
	VZIP1  V5.B16, V1.B16, V17.B16
	VZIP1  V6.B16, V2.B16, V18.B16
	VZIP1  V7.B16, V3.B16, V19.B16
	VZIP2  V4.B16, V0.B16, V20.B16
	VZIP2  V5.B16, V1.B16, V21.B16
	VZIP2  V6.B16, V2.B16, V22.B16
	VZIP2  V7.B16, V3.B16, V23.B16
	VST4.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(PLANE)
	VST4.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(PLANE)
	ADD    $16, LINE
	SUBS   $1, LEFT
	BNE    group
	ADD    STEP, DST
	ADD    PITCH, SRC
	SUBS   $1, PLANES
	BNE    plane

done:
	RET
