//go:build !purego

#include "textflag.h"

// Copies of rows, 64 bytes at a time. The last of a row begin 64 before its end, so that rows need
// not be a multiple.

#define DST  DI
#define LAST DX // offset within the row of the last 64 bytes
#define ITEM SI // offset within the row
#define SRC   R8
#define AHEAD R9
#define ROWS  CX

#define COPY(FETCH, STORE) \
	MOVQ dst+0(FP), DST; \
	MOVQ src+16(FP), SRC; \
	MOVQ bytes+32(FP), LAST; \
	MOVQ rows+40(FP), ROWS; \
	MOVQ ahead+48(FP), AHEAD; \
	ADDQ SRC, AHEAD; \
	SUBQ $64, LAST; \
row: \
	XORQ ITEM, ITEM; \
part: \
	CMPQ ITEM, LAST; \
	CMOVQGT LAST, ITEM; \
	FETCH; \
	VMOVDQU 0(SRC)(ITEM*1), Y0; \
	VMOVDQU 32(SRC)(ITEM*1), Y1; \
	STORE Y0, 0(DST)(ITEM*1); \
	STORE Y1, 32(DST)(ITEM*1); \
	ADDQ $64, ITEM; \
	CMPQ ITEM, bytes+32(FP); \
	JLT  part; \
	ADDQ dstPitch+8(FP), DST; \
	ADDQ srcPitch+24(FP), SRC; \
	ADDQ srcPitch+24(FP), AHEAD; \
	DECQ ROWS; \
	JNZ  row; \
	VZEROUPPER

#define FETCH_NEXT PREFETCHT1 (AHEAD)(ITEM*1)
#define FETCH_NONE

// func copyRowsAVX2(dst *byte, dstPitch int, src *byte, srcPitch, bytes, rows, ahead int)
TEXT ·copyRowsAVX2(SB), NOSPLIT, $0-56
	COPY(FETCH_NEXT, VMOVDQU)
	RET

// func streamRowsAVX2(dst *byte, dstPitch int, src *byte, srcPitch, bytes, rows, ahead int)
TEXT ·streamRowsAVX2(SB), NOSPLIT, $0-56
	COPY(FETCH_NONE, VMOVNTDQ)
	SFENCE
	RET
