//go:build !purego

#include "textflag.h"

// Transposes 8x8 bits across eight registers: bit k of byte p of register i moves to bit i of byte
// p of register k. It is its own inverse.

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

#define MASK4 Y13
#define MASK2 Y14
#define MASK1 Y15

#define LOAD_MASKS \
	VPBROADCASTQ nibbles<>(SB), MASK4; \
	VPBROADCASTQ pairs<>(SB), MASK2; \
	VPBROADCASTQ bits<>(SB), MASK1

// Swaps the odd groups of n bits of a with the even ones of b. Clobbers t.
#define SWAP(a, b, n, mask, t) \
	VPSRLQ $n, a, t; \
	VPXOR  b, t, t; \
	VPAND  mask, t, t; \
	VPXOR  t, b, b; \
	VPSLLQ $n, t, t; \
	VPXOR  t, a, a

// Y0 to Y7; clobbers Y8 to Y11.
#define TRANSPOSE \
	SWAP(Y0, Y4, 4, MASK4, Y8); \
	SWAP(Y1, Y5, 4, MASK4, Y9); \
	SWAP(Y2, Y6, 4, MASK4, Y10); \
	SWAP(Y3, Y7, 4, MASK4, Y11); \
	SWAP(Y0, Y2, 2, MASK2, Y8); \
	SWAP(Y1, Y3, 2, MASK2, Y9); \
	SWAP(Y4, Y6, 2, MASK2, Y10); \
	SWAP(Y5, Y7, 2, MASK2, Y11); \
	SWAP(Y0, Y1, 1, MASK1, Y8); \
	SWAP(Y2, Y3, 1, MASK1, Y9); \
	SWAP(Y4, Y5, 1, MASK1, Y10); \
	SWAP(Y6, Y7, 1, MASK1, Y11)

// Eight lines that are STEP or ROW bytes apart, from base and from base4, which is four lines
// further.
#define LOAD(base, base4, step, step3, offset) \
	VMOVDQU offset(base), Y0; \
	VMOVDQU offset(base)(step*1), Y1; \
	VMOVDQU offset(base)(step*2), Y2; \
	VMOVDQU offset(base)(step3*1), Y3; \
	VMOVDQU offset(base4), Y4; \
	VMOVDQU offset(base4)(step*1), Y5; \
	VMOVDQU offset(base4)(step*2), Y6; \
	VMOVDQU offset(base4)(step3*1), Y7

#define STORE(base, base4, step, step3, offset) \
	VMOVDQU Y0, offset(base); \
	VMOVDQU Y1, offset(base)(step*1); \
	VMOVDQU Y2, offset(base)(step*2); \
	VMOVDQU Y3, offset(base)(step3*1); \
	VMOVDQU Y4, offset(base4); \
	VMOVDQU Y5, offset(base4)(step*1); \
	VMOVDQU Y6, offset(base4)(step*2); \
	VMOVDQU Y7, offset(base4)(step3*1)

// The first half of a line is from scratch, the second from a register: rows may share a set of the
// cache, so each line is written at once.
#define PAIR(from, Y, to, to2) \
	VMOVDQU from, Y12; \
	VMOVDQU Y12, to; \
	VMOVDQU Y, to2

// func bitsAVX2(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)
TEXT ·bitsAVX2(SB), 0, $16-64
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
	LOAD(SRC, SRC4, STEP, STEP3, 0)
	TRANSPOSE
	STORE(SRC, SRC4, STEP, STEP3, 0)
	LOAD(SRC, SRC4, STEP, STEP3, 32)
	TRANSPOSE
	PAIR((SRC), Y0, (DST), 32(DST))
	PAIR((SRC)(STEP*1), Y1, (DST)(ROW*1), 32(DST)(ROW*1))
	PAIR((SRC)(STEP*2), Y2, (DST)(ROW*2), 32(DST)(ROW*2))
	PAIR((SRC)(STEP3*1), Y3, (DST)(ROW3*1), 32(DST)(ROW3*1))
	PAIR((SRC4), Y4, (DST4), 32(DST4))
	PAIR((SRC4)(STEP*1), Y5, (DST4)(ROW*1), 32(DST4)(ROW*1))
	PAIR((SRC4)(STEP*2), Y6, (DST4)(ROW*2), 32(DST4)(ROW*2))
	PAIR((SRC4)(STEP3*1), Y7, (DST4)(ROW3*1), 32(DST4)(ROW3*1))
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

// func bitsBackAVX2(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)
TEXT ·bitsBackAVX2(SB), 0, $16-64
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
	LOAD(SRC, SRC4, ROW, ROW3, 0)
	TRANSPOSE
	STORE(DST, DST4, STEP, STEP3, 0)
	LOAD(SRC, SRC4, ROW, ROW3, 32)
	TRANSPOSE
	STORE(DST, DST4, STEP, STEP3, 32)
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
