//go:build !purego

#include "textflag.h"

// How many bits numbers differ from the middle in: all but those that are as the first one.

#define DST   R0
#define SRC   R1
#define TIMES R2

// Instructions that the assembler does not know, by the numbers of registers: leading bits that are
// as the first, leading zeros, the sign in all bits, and lower halves.
#define VCLS16B(N, D) WORD $(0x4e204800 | N<<5 | D)
#define VCLS8H(N, D) WORD $(0x4e604800 | N<<5 | D)
#define VCLS4S(N, D) WORD $(0x4ea04800 | N<<5 | D)
#define VCLZ4S(N, D) WORD $(0x6ea04800 | N<<5 | D)
#define VSIGN4S(N, D) WORD $(0x4f210400 | N<<5 | D)

#define OPEN(MIDDLE, LANES, MOST) \
	MOVD  out+0(FP), DST; \
	MOVD  latents+8(FP), SRC; \
	MOVD  parts+16(FP), TIMES; \
	MOVD  MIDDLE, R3; \
	VDUP  R3, V30.LANES; \
	VMOVI MOST, V31.B16

#define NEXT \
	VSUB   V0.B16, V31.B16, V0.B16; \
	VST1.P [V0.B16], 16(DST); \
	SUBS   $1, TIMES; \
	BNE    next; \
	RET

// func lengths8Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths8Kernel(SB), NOSPLIT, $0-24
	OPEN($0x80, B16, $7)

next:
	VLD1.P 16(SRC), [V0.B16]
	VEOR   V30.B16, V0.B16, V0.B16
	VCLS16B(0, 0)
	NEXT

// func lengths16Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths16Kernel(SB), NOSPLIT, $0-24
	OPEN($0x8000, H8, $15)

next:
	VLD1.P 32(SRC), [V0.B16, V1.B16]
	VEOR   V30.B16, V0.B16, V0.B16
	VEOR   V30.B16, V1.B16, V1.B16
	VCLS8H(0, 0)
	VCLS8H(1, 1)
	VUZP1  V1.B16, V0.B16, V0.B16
	NEXT

// Counts of 32 bits become bytes.
#define PACK \
	VUZP1 V1.H8, V0.H8, V0.H8; \
	VUZP1 V3.H8, V2.H8, V2.H8; \
	VUZP1 V2.B16, V0.B16, V0.B16

// func lengths32Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths32Kernel(SB), NOSPLIT, $0-24
	OPEN($0x80000000, S4, $31)

next:
	VLD1.P 64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VEOR   V30.B16, V0.B16, V0.B16
	VEOR   V30.B16, V1.B16, V1.B16
	VEOR   V30.B16, V2.B16, V2.B16
	VEOR   V30.B16, V3.B16, V3.B16
	VCLS4S(0, 0)
	VCLS4S(1, 1)
	VCLS4S(2, 2)
	VCLS4S(3, 3)
	PACK
	NEXT

// Of 64 bits, whose upper halves are in X: what is 31 there goes on in the lower ones, of which the
// leading bits are counted by zeros.
#define COUNT(X, Y, X0, Y0) \
	VUZP1 Y.S4, X.S4, V4.S4; \
	VUZP2 Y.S4, X.S4, X.S4; \
	VEOR  V30.B16, X.B16, X.B16; \
	VSIGN4S(X0, Y0); \
	VEOR  Y.B16, V4.B16, V4.B16; \
	VCLS4S(X0, X0); \
	VCLZ4S(4, 4); \
	VCMEQ V29.S4, X.S4, Y.S4; \
	VAND  Y.B16, V4.B16, V4.B16; \
	VADD  V4.S4, X.S4, X.S4

// func lengths64Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths64Kernel(SB), NOSPLIT, $0-24
	OPEN($0x80000000, S4, $63)
	MOVD $31, R3
	VDUP R3, V29.S4

next:
	VLD1.P 64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(SRC), [V16.B16, V17.B16, V18.B16, V19.B16]
	COUNT(V0, V1, 0, 1)
	COUNT(V2, V3, 2, 3)
	COUNT(V16, V17, 16, 17)
	COUNT(V18, V19, 18, 19)
	VUZP1 V2.H8, V0.H8, V0.H8
	VUZP1 V18.H8, V16.H8, V16.H8
	VUZP1 V16.B16, V0.B16, V0.B16
	NEXT
