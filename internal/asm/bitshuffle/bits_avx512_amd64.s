//go:build !purego

#include "textflag.h"

// bits_avx2_amd64.s with registers of a whole line. Eight registers hold a group, so no scratch
// memory is needed.

#define DST    DI
#define SRC    SI
#define APART  AX
#define LEFT   BX
#define PITCH  CX
#define ROW    DX
#define ROW3   R8
#define STEP   R9
#define STEP3  R10
#define PLANES R11
#define DST4   R12
#define SRC4   R13

DATA nibbles<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL nibbles<>(SB), RODATA|NOPTR, $8
DATA pairs<>+0(SB)/8, $0x3333333333333333
GLOBL pairs<>(SB), RODATA|NOPTR, $8
DATA bits<>+0(SB)/8, $0x5555555555555555
GLOBL bits<>(SB), RODATA|NOPTR, $8

#define MASK4 Z16
#define MASK2 Z17
#define MASK1 Z18

#define LOAD_MASKS \
	VPBROADCASTQ nibbles<>(SB), MASK4; \
	VPBROADCASTQ pairs<>(SB), MASK2; \
	VPBROADCASTQ bits<>(SB), MASK1

// (first xor second) and third, for VPTERNLOGQ.
#define XORAND 0x28

// Swaps the odd groups of n bits of a with the even ones of b. Clobbers t.
#define SWAP(a, b, n, mask, t) \
	VPSRLQ $n, a, t; \
	VPTERNLOGQ $XORAND, mask, b, t; \
	VPXORQ t, b, b; \
	VPSLLQ $n, t, t; \
	VPXORQ t, a, a

// Z0 to Z7; clobbers Z8 to Z11.
#define TRANSPOSE \
	SWAP(Z0, Z4, 4, MASK4, Z8); \
	SWAP(Z1, Z5, 4, MASK4, Z9); \
	SWAP(Z2, Z6, 4, MASK4, Z10); \
	SWAP(Z3, Z7, 4, MASK4, Z11); \
	SWAP(Z0, Z2, 2, MASK2, Z8); \
	SWAP(Z1, Z3, 2, MASK2, Z9); \
	SWAP(Z4, Z6, 2, MASK2, Z10); \
	SWAP(Z5, Z7, 2, MASK2, Z11); \
	SWAP(Z0, Z1, 1, MASK1, Z8); \
	SWAP(Z2, Z3, 1, MASK1, Z9); \
	SWAP(Z4, Z5, 1, MASK1, Z10); \
	SWAP(Z6, Z7, 1, MASK1, Z11)

// Eight lines that are step bytes apart, from base and from base4, which is four lines further.
#define LOAD(base, base4, step, step3) \
	VMOVDQU64 (base), Z0; \
	VMOVDQU64 (base)(step*1), Z1; \
	VMOVDQU64 (base)(step*2), Z2; \
	VMOVDQU64 (base)(step3*1), Z3; \
	VMOVDQU64 (base4), Z4; \
	VMOVDQU64 (base4)(step*1), Z5; \
	VMOVDQU64 (base4)(step*2), Z6; \
	VMOVDQU64 (base4)(step3*1), Z7

#define STORE(base, base4, step, step3) \
	VMOVDQU64 Z0, (base); \
	VMOVDQU64 Z1, (base)(step*1); \
	VMOVDQU64 Z2, (base)(step*2); \
	VMOVDQU64 Z3, (base)(step3*1); \
	VMOVDQU64 Z4, (base4); \
	VMOVDQU64 Z5, (base4)(step*1); \
	VMOVDQU64 Z6, (base4)(step*2); \
	VMOVDQU64 Z7, (base4)(step3*1)

// func bitsAVX512(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)
TEXT ·bitsAVX512(SB), 0, $16-64
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	MOVQ step+32(FP), STEP
	MOVQ apart+40(FP), APART
	MOVQ planes+48(FP), PLANES
	LEAQ (ROW)(ROW*2), ROW3
	LEAQ (STEP)(STEP*2), STEP3
	LOAD_MASKS
	CMPQ groups+56(FP), $0
	JE   done
	TESTQ PLANES, PLANES
	JZ   done

plane:
	MOVQ groups+56(FP), LEFT
	MOVQ SRC, src0-8(SP)
	MOVQ DST, dst0-16(SP)
	LEAQ (DST)(ROW*4), DST4
	LEAQ (SRC)(STEP*4), SRC4

group:
	LOAD(SRC, SRC4, STEP, STEP3)
	TRANSPOSE
	STORE(DST, DST4, ROW, ROW3)
	ADDQ $64, SRC
	ADDQ $64, SRC4
	ADDQ $64, DST
	ADDQ $64, DST4
	DECQ LEFT
	JNZ  group
	MOVQ src0-8(SP), SRC
	MOVQ dst0-16(SP), DST
	ADDQ APART, SRC
	ADDQ PITCH, DST
	DECQ PLANES
	JNZ  plane

done:
	VZEROUPPER
	RET

// func bitsBackAVX512(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)
TEXT ·bitsBackAVX512(SB), 0, $16-64
	MOVQ dst+0(FP), DST
	MOVQ step+8(FP), STEP
	MOVQ apart+16(FP), APART
	MOVQ src+24(FP), SRC
	MOVQ pitch+32(FP), PITCH
	MOVQ row+40(FP), ROW
	MOVQ planes+48(FP), PLANES
	LEAQ (ROW)(ROW*2), ROW3
	LEAQ (STEP)(STEP*2), STEP3
	LOAD_MASKS
	CMPQ groups+56(FP), $0
	JE   done
	TESTQ PLANES, PLANES
	JZ   done

plane:
	MOVQ groups+56(FP), LEFT
	MOVQ SRC, src0-8(SP)
	MOVQ DST, dst0-16(SP)
	LEAQ (DST)(STEP*4), DST4
	LEAQ (SRC)(ROW*4), SRC4

group:
	LOAD(SRC, SRC4, ROW, ROW3)
	TRANSPOSE
	STORE(DST, DST4, STEP, STEP3)
	ADDQ $64, SRC
	ADDQ $64, SRC4
	ADDQ $64, DST
	ADDQ $64, DST4
	DECQ LEFT
	JNZ  group
	MOVQ src0-8(SP), SRC
	MOVQ dst0-16(SP), DST
	ADDQ PITCH, SRC
	ADDQ APART, DST
	DECQ PLANES
	JNZ  plane

done:
	VZEROUPPER
	RET
