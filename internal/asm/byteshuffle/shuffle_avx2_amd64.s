//go:build !purego

#include "textflag.h"

// Byte shuffle for items of 2, 4 and 8 bytes.
//
// Both lanes of a register do the same: the low one for 16 items, the high one for the next 16. Below, "byte (i1 i0 b1 b0)"
// says which byte of a lane holds byte b of item i, by the bits of its number, highest first. VPUNPCK{L,H}BW of registers
// that differ in bit r of their number turns byte (w x y z), register (r) into byte (x y z r), register (w): four such
// steps transpose 16x16 bytes, and fewer do if some bits are in place already.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define DST4   R9

// The low lane from one place, the high one from another.
#define LANES(low, high, X, Y) \
	VMOVDQU low, X; \
	VINSERTI128 $1, high, Y, Y

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

// Bytes of 8 and 4 items that belong to the same plane, brought together.
DATA split2<>+0(SB)/8, $0x0e0c0a0806040200
DATA split2<>+8(SB)/8, $0x0f0d0b0907050301
GLOBL split2<>(SB), RODATA|NOPTR, $16
DATA split4<>+0(SB)/8, $0x0d0905010c080400
DATA split4<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL split4<>(SB), RODATA|NOPTR, $16

// 32 items of 2 bytes.
#define SHUFFLE2(s, d) \
	LANES(s+0(SRC), s+32(SRC), X0, Y0); \
	LANES(s+16(SRC), s+48(SRC), X1, Y1); \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPUNPCKLQDQ Y1, Y0, Y2; \
	VPUNPCKHQDQ Y1, Y0, Y3; \
	VMOVDQU Y2, d(DST); \
	VMOVDQU Y3, d(DST)(PITCH*1)

// func shuffle2AVX2(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle2AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ src+16(FP), SRC
	MOVQ groups+24(FP), GROUPS
	VBROADCASTI128 split2<>(SB), Y15
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	SHUFFLE2(0, 0)
	SHUFFLE2(64, 32)
	ADDQ $128, SRC
	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// 32 items of 4 bytes into A, B, C, D. Register (i3 i2), byte (i1 i0 b1 b0) → byte (b1 b0 i1 i0) → dwords unpacked
// twice → register (b1 b0), byte (i3 i2 i1 i0).
#define SHUFFLE4(s, A, B, C, D) \
	LANES(s+0(SRC), s+64(SRC), X0, Y0); \
	LANES(s+16(SRC), s+80(SRC), X1, Y1); \
	LANES(s+32(SRC), s+96(SRC), X2, Y2); \
	LANES(s+48(SRC), s+112(SRC), X3, Y3); \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3; \
	VPUNPCKLDQ Y2, Y0, Y4; \
	VPUNPCKHDQ Y2, Y0, Y6; \
	VPUNPCKLDQ Y3, Y1, Y5; \
	VPUNPCKHDQ Y3, Y1, Y7; \
	VPUNPCKLDQ Y5, Y4, A; \
	VPUNPCKHDQ Y5, Y4, B; \
	VPUNPCKLDQ Y7, Y6, C; \
	VPUNPCKHDQ Y7, Y6, D

// func shuffle4AVX2(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle4AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ src+16(FP), SRC
	MOVQ groups+24(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	VBROADCASTI128 split4<>(SB), Y15
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	SHUFFLE4(0, Y8, Y9, Y10, Y11)
	SHUFFLE4(128, Y0, Y1, Y2, Y3)
	VMOVDQU Y8, 0(DST)
	VMOVDQU Y0, 32(DST)
	VMOVDQU Y9, 0(DST)(PITCH*1)
	VMOVDQU Y1, 32(DST)(PITCH*1)
	VMOVDQU Y10, 0(DST)(PITCH*2)
	VMOVDQU Y2, 32(DST)(PITCH*2)
	VMOVDQU Y11, 0(DST)(PITCH3*1)
	VMOVDQU Y3, 32(DST)(PITCH3*1)
	ADDQ $256, SRC
	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// 32 items of 8 bytes. Register (i3 i2 i1), byte (i0 b2 b1 b0); the steps pair registers by i3, i2, i1, and by i0,
// which the first step moved to where i3 was. Register (b0 b2 b1) has byte (i3 i2 i1 i0).
#define SHUFFLE8(s, d) \
	LANES(s+0(SRC), s+128(SRC), X0, Y0); \
	LANES(s+16(SRC), s+144(SRC), X1, Y1); \
	LANES(s+32(SRC), s+160(SRC), X2, Y2); \
	LANES(s+48(SRC), s+176(SRC), X3, Y3); \
	LANES(s+64(SRC), s+192(SRC), X4, Y4); \
	LANES(s+80(SRC), s+208(SRC), X5, Y5); \
	LANES(s+96(SRC), s+224(SRC), X6, Y6); \
	LANES(s+112(SRC), s+240(SRC), X7, Y7); \
	UNPACK(Y0, Y4, Y8, Y12); \
	UNPACK(Y1, Y5, Y9, Y13); \
	UNPACK(Y2, Y6, Y10, Y14); \
	UNPACK(Y3, Y7, Y11, Y15); \
	UNPACK(Y8, Y10, Y0, Y2); \
	UNPACK(Y9, Y11, Y1, Y3); \
	UNPACK(Y12, Y14, Y4, Y6); \
	UNPACK(Y13, Y15, Y5, Y7); \
	UNPACK(Y0, Y1, Y8, Y9); \
	UNPACK(Y2, Y3, Y10, Y11); \
	UNPACK(Y4, Y5, Y12, Y13); \
	UNPACK(Y6, Y7, Y14, Y15); \
	UNPACK(Y8, Y12, Y0, Y4); \
	UNPACK(Y9, Y13, Y1, Y5); \
	UNPACK(Y10, Y14, Y2, Y6); \
	UNPACK(Y11, Y15, Y3, Y7); \
	VMOVDQU Y0, d(DST); \
	VMOVDQU Y4, d(DST)(PITCH*1); \
	VMOVDQU Y1, d(DST)(PITCH*2); \
	VMOVDQU Y5, d(DST)(PITCH3*1); \
	VMOVDQU Y2, d(DST4); \
	VMOVDQU Y6, d(DST4)(PITCH*1); \
	VMOVDQU Y3, d(DST4)(PITCH*2); \
	VMOVDQU Y7, d(DST4)(PITCH3*1)

// func shuffle8AVX2(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle8AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ src+16(FP), SRC
	MOVQ groups+24(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	LEAQ (DST)(PITCH*4), DST4
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	SHUFFLE8(0, 0)
	SHUFFLE8(256, 32)
	ADDQ $512, SRC
	ADDQ $64, DST
	ADDQ $64, DST4
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
