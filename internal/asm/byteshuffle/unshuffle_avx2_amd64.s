//go:build !purego

#include "textflag.h"
#include "turn_avx2_amd64.h"

// Columns of 8 bytes of wider items. The steps are in turn_avx2_amd64.h.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define SRC4   R9

#define ITEMS8(s) \
	VMOVDQU s(SRC), Y0; \
	VMOVDQU s(SRC)(PITCH*1), Y1; \
	VMOVDQU s(SRC)(PITCH*2), Y2; \
	VMOVDQU s(SRC)(PITCH3*1), Y3; \
	VMOVDQU s(SRC4), Y4; \
	VMOVDQU s(SRC4)(PITCH*1), Y5; \
	VMOVDQU s(SRC4)(PITCH*2), Y6; \
	VMOVDQU s(SRC4)(PITCH3*1), Y7; \
	TURN8

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
