//go:build !purego

#include "textflag.h"

// Byte unshuffle for items of 2, 4 and 8 bytes. The notation is that of shuffle_avx2_amd64.s. Planes give register (b),
// byte (i3 i2 i1 i0), low lane items 0 to 15, high lane 16 to 31. Each step moves one bit of b behind the others and the
// highest of i to the register's number, until a lane has whole items in order.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define SRC4   R9

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

// 16 bytes of each lane to where they belong.
#define STORE(X, Y, low, high) \
	VMOVDQU X, low; \
	VEXTRACTI128 $1, Y, high

// 32 items of 2 bytes.
#define UNSHUFFLE2(s, d) \
	VMOVDQU s(SRC), Y0; \
	VMOVDQU s(SRC)(PITCH*1), Y1; \
	UNPACK(Y0, Y1, Y2, Y3); \
	STORE(X2, Y2, d+0(DST), d+32(DST)); \
	STORE(X3, Y3, d+16(DST), d+48(DST))

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
	STORE(X0, Y0, d+0(DST), d+64(DST)); \
	STORE(X1, Y1, d+16(DST), d+80(DST)); \
	STORE(X2, Y2, d+32(DST), d+96(DST)); \
	STORE(X3, Y3, d+48(DST), d+112(DST))

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

// 32 items of 8 bytes. Register (b2 b1 b0) → register (i3 i2 i1), byte (i0 b2 b1 b0).
#define UNSHUFFLE8(s, d) \
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
	UNPACK(Y6, Y7, Y14, Y15); \
	STORE(X8, Y8, d+0(DST), d+128(DST)); \
	STORE(X9, Y9, d+16(DST), d+144(DST)); \
	STORE(X10, Y10, d+32(DST), d+160(DST)); \
	STORE(X11, Y11, d+48(DST), d+176(DST)); \
	STORE(X12, Y12, d+64(DST), d+192(DST)); \
	STORE(X13, Y13, d+80(DST), d+208(DST)); \
	STORE(X14, Y14, d+96(DST), d+224(DST)); \
	STORE(X15, Y15, d+112(DST), d+240(DST))

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
