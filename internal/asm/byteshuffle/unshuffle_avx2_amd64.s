//go:build !purego

#include "textflag.h"

// Byte unshuffle for items of 2, 4 and 8 bytes. The notation is that of shuffle_avx2_amd64.s.
// Planes give register (b), byte (i3 i2 i1 i0), low lane items 0 to 15, high lane 16 to 31. Each
// step moves one bit of b behind the others and the highest of i to the register's number, until a
// lane has whole items in order.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define SRC4   R9

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

// The low lanes of A and B side by side in L, and the high lanes in H. XB is the low lane of B.
// Whole registers are stored in order of addresses, which is twice as fast as storing 16 scattered
// bytes at a time.
#define JOIN(XB, A, B, L, H) \
	VINSERTI128 $1, XB, A, L; \
	VPERM2I128 $0x31, B, A, H

// 32 items of 2 bytes.
#define UNSHUFFLE2(s, d) \
	VMOVDQU s(SRC), Y0; \
	VMOVDQU s(SRC)(PITCH*1), Y1; \
	UNPACK(Y0, Y1, Y2, Y3); \
	JOIN(X3, Y2, Y3, Y4, Y5); \
	VMOVDQU Y4, d+0(DST); \
	VMOVDQU Y5, d+32(DST)

// func unshuffle2AVX2(dst, src *byte, pitch, groups int)
TEXT ·unshuffle2AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	MOVQ pitch+16(FP), PITCH
	MOVQ groups+24(FP), GROUPS
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	UNSHUFFLE2(0, 0)
	UNSHUFFLE2(32, 64)
	ADDQ $64, SRC
	ADDQ $128, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// 32 items of 4 bytes. Register (b1 b0) → register (i3 i2), byte (i1 i0 b1 b0).
#define UNSHUFFLE4(s, d) \
	VMOVDQU s(SRC), Y0; \
	VMOVDQU s(SRC)(PITCH*1), Y1; \
	VMOVDQU s(SRC)(PITCH*2), Y2; \
	VMOVDQU s(SRC)(PITCH3*1), Y3; \
	UNPACK(Y0, Y2, Y4, Y6); \
	UNPACK(Y1, Y3, Y5, Y7); \
	UNPACK(Y4, Y5, Y0, Y1); \
	UNPACK(Y6, Y7, Y2, Y3); \
	JOIN(X1, Y0, Y1, Y4, Y5); \
	JOIN(X3, Y2, Y3, Y6, Y7); \
	VMOVDQU Y4, d+0(DST); \
	VMOVDQU Y6, d+32(DST); \
	VMOVDQU Y5, d+64(DST); \
	VMOVDQU Y7, d+96(DST)

// func unshuffle4AVX2(dst, src *byte, pitch, groups int)
TEXT ·unshuffle4AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	MOVQ pitch+16(FP), PITCH
	MOVQ groups+24(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	UNSHUFFLE4(0, 0)
	UNSHUFFLE4(32, 128)
	ADDQ $64, SRC
	ADDQ $256, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// 32 items of 8 bytes. Register (b2 b1 b0) → register 8+(i3 i2 i1), byte (i0 b2 b1 b0).
#define ITEMS8(s) \
	VMOVDQU s(SRC), Y0; \
	VMOVDQU s(SRC)(PITCH*1), Y1; \
	VMOVDQU s(SRC)(PITCH*2), Y2; \
	VMOVDQU s(SRC)(PITCH3*1), Y3; \
	VMOVDQU s(SRC4), Y4; \
	VMOVDQU s(SRC4)(PITCH*1), Y5; \
	VMOVDQU s(SRC4)(PITCH*2), Y6; \
	VMOVDQU s(SRC4)(PITCH3*1), Y7; \
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
	UNPACK(Y6, Y7, Y14, Y15)

#define UNSHUFFLE8(s, d) \
	ITEMS8(s); \
	JOIN(X9, Y8, Y9, Y0, Y1); \
	JOIN(X11, Y10, Y11, Y2, Y3); \
	JOIN(X13, Y12, Y13, Y4, Y5); \
	JOIN(X15, Y14, Y15, Y6, Y7); \
	VMOVDQU Y0, d+0(DST); \
	VMOVDQU Y2, d+32(DST); \
	VMOVDQU Y4, d+64(DST); \
	VMOVDQU Y6, d+96(DST); \
	VMOVDQU Y1, d+128(DST); \
	VMOVDQU Y3, d+160(DST); \
	VMOVDQU Y5, d+192(DST); \
	VMOVDQU Y7, d+224(DST)

// func unshuffle8AVX2(dst, src *byte, pitch, groups int)
TEXT ·unshuffle8AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	MOVQ pitch+16(FP), PITCH
	MOVQ groups+24(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	LEAQ (SRC)(PITCH*4), SRC4
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	UNSHUFFLE8(0, 0)
	UNSHUFFLE8(32, 256)
	ADDQ $64, SRC
	ADDQ $64, SRC4
	ADDQ $512, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// Stores four items of 8 bytes from each register at P and Q, and at the items behind them.
#define SCATTER(X, Y) \
	VMOVQ   X, (P); \
	VMOVHPD X, (P)(STRIDE*1); \
	VEXTRACTI128 $1, Y, X; \
	VMOVQ   X, (Q); \
	VMOVHPD X, (Q)(STRIDE*1); \
	LEAQ    (P)(STRIDE*2), P; \
	LEAQ    (Q)(STRIDE*2), Q

#define P      AX
#define Q      BX
#define STRIDE R10
#define HALVES R11

// func unshuffleEightsAVX2(dst *byte, stride int, src *byte, pitch, groups int)
TEXT ·unshuffleEightsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), P
	MOVQ stride+8(FP), STRIDE
	MOVQ src+16(FP), SRC
	MOVQ pitch+24(FP), PITCH
	MOVQ groups+32(FP), HALVES
	LEAQ (PITCH)(PITCH*2), PITCH3
	LEAQ (SRC)(PITCH*4), SRC4
	ADDQ HALVES, HALVES // 32 items at a time
	JZ   done

loop:
	ITEMS8(0)
	MOVQ STRIDE, Q
	SHLQ $4, Q
	ADDQ P, Q // the high lanes' items
	SCATTER(X8, Y8)
	SCATTER(X9, Y9)
	SCATTER(X10, Y10)
	SCATTER(X11, Y11)
	SCATTER(X12, Y12)
	SCATTER(X13, Y13)
	SCATTER(X14, Y14)
	SCATTER(X15, Y15)
	MOVQ Q, P
	ADDQ $32, SRC
	ADDQ $32, SRC4
	DECQ HALVES
	JNZ  loop

done:
	VZEROUPPER
	RET
