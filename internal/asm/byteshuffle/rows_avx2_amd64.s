//go:build !purego

#include "textflag.h"
#include "turn_avx2_amd64.h"

// Rows of items from planes, and copies of rows. 32 items at a time; the last of a row begin 32
// before its end, so that rows need not be a multiple. R8 and up are the planes, as far as they
// need registers; the number of rows that are left is in the argument.

#define DST  DI
#define PART AX // the next items: their offset in planes, then in memory
#define ROW  BX // offset in planes of the row's first item
#define LAST DX // offset within the row of the last 32 items
#define ITEM SI // offset within the row

#define PLANES2 \
	MOVQ 0(PART), R8; \
	MOVQ 8(PART), R9

#define PLANES4 \
	PLANES2; \
	MOVQ 16(PART), R10; \
	MOVQ 24(PART), R11

#define PLANES8 \
	PLANES4; \
	MOVQ 32(PART), R12; \
	MOVQ 40(PART), R13; \
	MOVQ 48(PART), R15; \
	MOVQ 56(PART), CX

#define LOAD2 \
	VMOVDQU (R8)(PART*1), Y0; \
	VMOVDQU (R9)(PART*1), Y1

#define LOAD4 \
	LOAD2; \
	VMOVDQU (R10)(PART*1), Y2; \
	VMOVDQU (R11)(PART*1), Y3

#define LOAD8 \
	LOAD4; \
	VMOVDQU (R12)(PART*1), Y4; \
	VMOVDQU (R13)(PART*1), Y5; \
	VMOVDQU (R15)(PART*1), Y6; \
	VMOVDQU (CX)(PART*1), Y7

// STORE is VMOVDQU, or VMOVNTDQ for memory that is not wanted in the cache.
#define STORE2(STORE) \
	LEAQ (DST)(ITEM*2), PART; \
	STORE Y4, 0(PART); \
	STORE Y5, 32(PART)

#define STORE4(STORE) \
	LEAQ (DST)(ITEM*4), PART; \
	STORE Y4, 0(PART); \
	STORE Y6, 32(PART); \
	STORE Y5, 64(PART); \
	STORE Y7, 96(PART)

#define STORE8(STORE) \
	LEAQ (DST)(ITEM*8), PART; \
	JOIN(X9, Y8, Y9, Y0, Y1); \
	JOIN(X11, Y10, Y11, Y2, Y3); \
	JOIN(X13, Y12, Y13, Y4, Y5); \
	JOIN(X15, Y14, Y15, Y6, Y7); \
	STORE Y0, 0(PART); \
	STORE Y2, 32(PART); \
	STORE Y4, 64(PART); \
	STORE Y6, 96(PART); \
	STORE Y1, 128(PART); \
	STORE Y3, 160(PART); \
	STORE Y5, 192(PART); \
	STORE Y7, 224(PART)

#define KERNEL(PLANES, LOAD, TURN, PUT, STORE) \
	MOVQ dst+0(FP), DST; \
	MOVQ planes+16(FP), PART; \
	PLANES; \
	XORQ ROW, ROW; \
	MOVQ items+32(FP), LAST; \
	SUBQ $32, LAST; \
row: \
	XORQ ITEM, ITEM; \
part: \
	CMPQ ITEM, LAST; \
	CMOVQGT LAST, ITEM; \
	LEAQ (ROW)(ITEM*1), PART; \
	LOAD; \
	TURN; \
	PUT(STORE); \
	ADDQ $32, ITEM; \
	CMPQ ITEM, items+32(FP); \
	JLT  part; \
	ADDQ dstPitch+8(FP), DST; \
	ADDQ srcPitch+24(FP), ROW; \
	DECQ rows+40(FP); \
	JNZ  row; \
	VZEROUPPER

// func rows2AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows2AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES2, LOAD2, TURN2, STORE2, VMOVDQU)
	RET

// func rows4AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows4AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES4, LOAD4, TURN4, STORE4, VMOVDQU)
	RET

// func rows8AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows8AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES8, LOAD8, TURN8, STORE8, VMOVDQU)
	RET

// func stream2AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·stream2AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES2, LOAD2, TURN2, STORE2, VMOVNTDQ)
	SFENCE
	RET

// func stream4AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·stream4AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES4, LOAD4, TURN4, STORE4, VMOVNTDQ)
	SFENCE
	RET

// func stream8AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·stream8AVX2(SB), NOSPLIT, $0-48
	KERNEL(PLANES8, LOAD8, TURN8, STORE8, VMOVNTDQ)
	SFENCE
	RET
