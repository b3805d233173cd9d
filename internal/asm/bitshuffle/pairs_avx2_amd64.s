//go:build !purego

#include "textflag.h"

// Bit rows of items whose bytes come in pairs, directly from the items, as described in
// pairs_amd64.go.
//
// "byte (h2 h1 h0 j)" gives the bits of the number of a byte within a lane, highest first, as in
// package byteshuffle. The octets of half a group are numbered p4 to p0; p4 is the lane. An octet
// consists of lanes of 16 bytes, each with eight pairs h of bytes j. Scratch has 128 bytes for each
// pair of the octet: two registers for each half of the group.

#define DST     DI
#define SRC     SI
#define PITCH   CX
#define ROW     DX
#define ROW3    R8
#define OCT2    R9  // two octets
#define OCT6    R10
#define SCRATCH R11
#define A       AX
#define B       BX
#define C       R12
#define D       R13
#define LEFT    R14 // Go keeps g here only in functions of its own calling convention

// In the second pass forward and the first pass backward, where octets do not matter.
#define STEP  R9
#define STEP3 R10

// On the stack, for octets of up to 16 lanes: 256 bytes, 16 times 1024, the alignment, and one
// pointer.
#define ALIGN_SCRATCH \
	LEAQ scratch-16720(SP), SCRATCH; \
	ADDQ $63, SCRATCH; \
	ANDQ $~63, SCRATCH

#define TMP 0 // 256 bytes of scratch for registers that wait
#define PAIRS 256

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

// Bit k of byte p of register i moves to bit i of byte p of register k. Clobbers Y8 to Y11.
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

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

#define UNPACKW(a, b, low, high) \
	VPUNPCKLWD b, a, low; \
	VPUNPCKHWD b, a, high

// Three steps on registers 4, 2 and 1 apart, from Y0 to Y7 to Y8 to Y15.
#define STEPS(UNPACK) \
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

// The low lane from one place, the high one from another.
#define LANES(low, high, X, Y) \
	VMOVDQU low, X; \
	VINSERTI128 $1, high, Y, Y

// One lane of every second of 32 octets: byte (h2 h1 h0 j), register (p3 p2 p1) → byte (j p3 p2
// p1), register (h2 h1 h0).
#define GATHER(offset) \
	LANES((A), (C), X0, Y0); \
	LANES((A)(OCT2*1), (C)(OCT2*1), X1, Y1); \
	LANES((A)(OCT2*2), (C)(OCT2*2), X2, Y2); \
	LANES((A)(OCT6*1), (C)(OCT6*1), X3, Y3); \
	LANES((B), (D), X4, Y4); \
	LANES((B)(OCT2*1), (D)(OCT2*1), X5, Y5); \
	LANES((B)(OCT2*2), (D)(OCT2*2), X6, Y6); \
	LANES((B)(OCT6*1), (D)(OCT6*1), X7, Y7); \
	STEPS(UNPACK); \
	VMOVDQU Y8, offset+0(SCRATCH); \
	VMOVDQU Y9, offset+128(SCRATCH); \
	VMOVDQU Y10, offset+256(SCRATCH); \
	VMOVDQU Y11, offset+384(SCRATCH); \
	VMOVDQU Y12, offset+512(SCRATCH); \
	VMOVDQU Y13, offset+640(SCRATCH); \
	VMOVDQU Y14, offset+768(SCRATCH); \
	VMOVDQU Y15, offset+896(SCRATCH)

#define NEXT(distance) \
	ADDQ distance, A; \
	ADDQ distance, B; \
	ADDQ distance, C; \
	ADDQ distance, D

// One byte of all octets, for each of eight items i: byte (j p3 p2 p1), registers p0 → byte (p3 p2
// p1 p0) for one j.
#define COLUMNS(UNPACKED, offset) \
	VMOVDQU offset(A), Y0; \
	VMOVDQU offset(A)(STEP*1), Y1; \
	VMOVDQU offset(A)(STEP*2), Y2; \
	VMOVDQU offset(A)(STEP3*1), Y3; \
	VMOVDQU offset(B), Y4; \
	VMOVDQU offset(B)(STEP*1), Y5; \
	VMOVDQU offset(B)(STEP*2), Y6; \
	VMOVDQU offset(B)(STEP3*1), Y7; \
	UNPACKED offset+32(A), Y0, Y0; \
	UNPACKED offset+32(A)(STEP*1), Y1, Y1; \
	UNPACKED offset+32(A)(STEP*2), Y2, Y2; \
	UNPACKED offset+32(A)(STEP3*1), Y3, Y3; \
	UNPACKED offset+32(B), Y4, Y4; \
	UNPACKED offset+32(B)(STEP*1), Y5, Y5; \
	UNPACKED offset+32(B)(STEP*2), Y6, Y6; \
	UNPACKED offset+32(B)(STEP3*1), Y7, Y7

#define STORE_TMP \
	VMOVDQU Y0, TMP+0(SCRATCH); \
	VMOVDQU Y1, TMP+32(SCRATCH); \
	VMOVDQU Y2, TMP+64(SCRATCH); \
	VMOVDQU Y3, TMP+96(SCRATCH); \
	VMOVDQU Y4, TMP+128(SCRATCH); \
	VMOVDQU Y5, TMP+160(SCRATCH); \
	VMOVDQU Y6, TMP+192(SCRATCH); \
	VMOVDQU Y7, TMP+224(SCRATCH)

// Rows may share a set of the cache, so a line of each is written at once: the first half comes
// from TMP.
#define LINE(offset, Y, to, to2) \
	VMOVDQU TMP+offset(SCRATCH), Y12; \
	VMOVDQU Y12, to; \
	VMOVDQU Y, to2

// The eight rows of one byte of the items.
#define ROWS(UNPACKED) \
	COLUMNS(UNPACKED, 0); \
	TRANSPOSE; \
	STORE_TMP; \
	COLUMNS(UNPACKED, 64); \
	TRANSPOSE; \
	LINE(0, Y0, (C), 32(C)); \
	LINE(32, Y1, (C)(ROW*1), 32(C)(ROW*1)); \
	LINE(64, Y2, (C)(ROW*2), 32(C)(ROW*2)); \
	LINE(96, Y3, (C)(ROW3*1), 32(C)(ROW3*1)); \
	LINE(128, Y4, (D), 32(D)); \
	LINE(160, Y5, (D)(ROW*1), 32(D)(ROW*1)); \
	LINE(192, Y6, (D)(ROW*2), 32(D)(ROW*2)); \
	LINE(224, Y7, (D)(ROW3*1), 32(D)(ROW3*1)); \
	ADDQ PITCH, C; \
	ADDQ PITCH, D

// func pairsAVX2(dst *byte, pitch, row int, src *byte, octet, lane, lanes, groups int)
TEXT ·pairsAVX2(SB), 0, $16720-64
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	LEAQ (ROW)(ROW*2), ROW3

group:
	MOVQ octet+32(FP), OCT2
	ADDQ OCT2, OCT2
	LEAQ (OCT2)(OCT2*2), OCT6
	ALIGN_SCRATCH
	ADDQ $PAIRS, SCRATCH
	MOVQ lanes+48(FP), LEFT
	MOVQ SRC, next-8(SP)

gather:
	MOVQ SRC, A
	LEAQ (A)(OCT2*4), B
	LEAQ (A)(OCT2*8), C
	LEAQ (B)(OCT2*8), D
	GATHER(0)
	NEXT(octet+32(FP))
	GATHER(32)
	MOVQ OCT2, A
	SHLQ $4, A
	ADDQ SRC, A // 32 octets further
	LEAQ (A)(OCT2*4), B
	LEAQ (A)(OCT2*8), C
	LEAQ (B)(OCT2*8), D
	GATHER(64)
	NEXT(octet+32(FP))
	GATHER(96)
	ADDQ lane+40(FP), SRC
	ADDQ $1024, SCRATCH
	DECQ LEFT
	JNZ  gather

	LOAD_MASKS
	MOVQ lanes+48(FP), LEFT
	MOVQ LEFT, STEP
	SHLQ $7, STEP
	LEAQ (STEP)(STEP*2), STEP3
	ALIGN_SCRATCH
	LEAQ PAIRS(SCRATCH), A
	LEAQ (A)(STEP*4), B
	MOVQ DST, C
	LEAQ (DST)(ROW*4), D

rows:
	ROWS(VPUNPCKLBW)
	ROWS(VPUNPCKHBW)
	ADDQ $128, A
	ADDQ $128, B
	DECQ LEFT
	JNZ  rows

	MOVQ octet+32(FP), SRC
	SHLQ $6, SRC
	ADDQ next-8(SP), SRC
	ADDQ $64, DST
	DECQ groups+56(FP)
	JNZ  group
	VZEROUPPER
	RET

// The columns of one byte of the items from its eight rows.
#define FROM_ROWS(offset) \
	VMOVDQU offset(C), Y0; \
	VMOVDQU offset(C)(ROW*1), Y1; \
	VMOVDQU offset(C)(ROW*2), Y2; \
	VMOVDQU offset(C)(ROW3*1), Y3; \
	VMOVDQU offset(D), Y4; \
	VMOVDQU offset(D)(ROW*1), Y5; \
	VMOVDQU offset(D)(ROW*2), Y6; \
	VMOVDQU offset(D)(ROW3*1), Y7; \
	TRANSPOSE

// Byte (p3 p2 p1 p0), registers j → byte (p2 p1 p0 j), register p3.
#define MERGE(wait, Y, to, to2) \
	VMOVDQU TMP+wait(SCRATCH), Y8; \
	UNPACK(Y8, Y, Y9, Y10); \
	VMOVDQU Y9, to; \
	VMOVDQU Y10, to2

#define PAIR(offset) \
	FROM_ROWS(offset/2); \
	STORE_TMP; \
	ADDQ PITCH, C; \
	ADDQ PITCH, D; \
	FROM_ROWS(offset/2); \
	SUBQ PITCH, C; \
	SUBQ PITCH, D; \
	MERGE(0, Y0, offset(A), offset+32(A)); \
	MERGE(32, Y1, offset(A)(STEP*1), offset+32(A)(STEP*1)); \
	MERGE(64, Y2, offset(A)(STEP*2), offset+32(A)(STEP*2)); \
	MERGE(96, Y3, offset(A)(STEP3*1), offset+32(A)(STEP3*1)); \
	MERGE(128, Y4, offset(B), offset+32(B)); \
	MERGE(160, Y5, offset(B)(STEP*1), offset+32(B)(STEP*1)); \
	MERGE(192, Y6, offset(B)(STEP*2), offset+32(B)(STEP*2)); \
	MERGE(224, Y7, offset(B)(STEP3*1), offset+32(B)(STEP3*1))

#define OCT  R9
#define OCT3 R10

// One lane of eight neighboring octets, and of eight octets 16 further on: byte (p2 p1 p0 j),
// register (h2 h1 h0) → byte (h2 h1 h0 j), register (p2 p1 p0).
#define SCATTER(offset) \
	VMOVDQU offset+0(SCRATCH), Y0; \
	VMOVDQU offset+128(SCRATCH), Y1; \
	VMOVDQU offset+256(SCRATCH), Y2; \
	VMOVDQU offset+384(SCRATCH), Y3; \
	VMOVDQU offset+512(SCRATCH), Y4; \
	VMOVDQU offset+640(SCRATCH), Y5; \
	VMOVDQU offset+768(SCRATCH), Y6; \
	VMOVDQU offset+896(SCRATCH), Y7; \
	STEPS(UNPACKW); \
	VMOVDQU X8, (A); \
	VMOVDQU X9, (A)(OCT*1); \
	VMOVDQU X10, (A)(OCT*2); \
	VMOVDQU X11, (A)(OCT3*1); \
	VMOVDQU X12, (B); \
	VMOVDQU X13, (B)(OCT*1); \
	VMOVDQU X14, (B)(OCT*2); \
	VMOVDQU X15, (B)(OCT3*1); \
	VEXTRACTI128 $1, Y8, (C); \
	VEXTRACTI128 $1, Y9, (C)(OCT*1); \
	VEXTRACTI128 $1, Y10, (C)(OCT*2); \
	VEXTRACTI128 $1, Y11, (C)(OCT3*1); \
	VEXTRACTI128 $1, Y12, (D); \
	VEXTRACTI128 $1, Y13, (D)(OCT*1); \
	VEXTRACTI128 $1, Y14, (D)(OCT*2); \
	VEXTRACTI128 $1, Y15, (D)(OCT3*1)

// Two neighboring lanes of eight octets are the lanes of registers here, so whole registers are
// stored.
#define SCATTER2(offset) \
	LANES(offset+0(SCRATCH), offset+1024(SCRATCH), X0, Y0); \
	LANES(offset+128(SCRATCH), offset+1152(SCRATCH), X1, Y1); \
	LANES(offset+256(SCRATCH), offset+1280(SCRATCH), X2, Y2); \
	LANES(offset+384(SCRATCH), offset+1408(SCRATCH), X3, Y3); \
	LANES(offset+512(SCRATCH), offset+1536(SCRATCH), X4, Y4); \
	LANES(offset+640(SCRATCH), offset+1664(SCRATCH), X5, Y5); \
	LANES(offset+768(SCRATCH), offset+1792(SCRATCH), X6, Y6); \
	LANES(offset+896(SCRATCH), offset+1920(SCRATCH), X7, Y7); \
	STEPS(UNPACKW); \
	VMOVDQU Y8, (A); \
	VMOVDQU Y9, (A)(OCT*1); \
	VMOVDQU Y10, (A)(OCT*2); \
	VMOVDQU Y11, (A)(OCT3*1); \
	VMOVDQU Y12, (B); \
	VMOVDQU Y13, (B)(OCT*1); \
	VMOVDQU Y14, (B)(OCT*2); \
	VMOVDQU Y15, (B)(OCT3*1); \
	LEAQ (A)(OCT*8), A; \
	LEAQ (B)(OCT*8), B

// func pairsBackAVX2(dst *byte, octet, lane int, src *byte, pitch, row, lanes, groups int)
TEXT ·pairsBackAVX2(SB), 0, $16720-64
	MOVQ dst+0(FP), DST
	MOVQ src+24(FP), SRC
	MOVQ pitch+32(FP), PITCH
	MOVQ row+40(FP), ROW
	LEAQ (ROW)(ROW*2), ROW3

group:
	LOAD_MASKS
	MOVQ lanes+48(FP), LEFT
	MOVQ LEFT, STEP
	SHLQ $7, STEP
	LEAQ (STEP)(STEP*2), STEP3
	ALIGN_SCRATCH
	LEAQ PAIRS(SCRATCH), A
	LEAQ (A)(STEP*4), B
	MOVQ SRC, C
	LEAQ (SRC)(ROW*4), D

columns:
	PAIR(0)
	PAIR(64)
	LEAQ (C)(PITCH*2), C
	LEAQ (D)(PITCH*2), D
	ADDQ $128, A
	ADDQ $128, B
	DECQ LEFT
	JNZ  columns

	MOVQ octet+8(FP), OCT
	LEAQ (OCT)(OCT*2), OCT3
	ADDQ $PAIRS, SCRATCH
	MOVQ lanes+48(FP), LEFT
	MOVQ DST, next-8(SP)
	CMPQ lane+16(FP), $16
	JNE  scatter
	TESTQ $1, LEFT
	JNZ  scatter

scatter2:
	MOVQ DST, A
	LEAQ (A)(OCT*4), B
	SCATTER2(0)
	SCATTER2(32)
	SCATTER2(16)
	SCATTER2(48)
	SCATTER2(64)
	SCATTER2(96)
	SCATTER2(80)
	SCATTER2(112)
	ADDQ $32, DST
	ADDQ $2048, SCRATCH
	SUBQ $2, LEFT
	JNZ  scatter2
	JMP  next

scatter:
	MOVQ DST, A
	LEAQ (A)(OCT*4), B
	LEAQ (OCT)(OCT*1), D
	LEAQ (A)(D*8), C
	LEAQ (B)(D*8), D
	SCATTER(0)
	LEAQ (A)(OCT*8), A
	LEAQ (B)(OCT*8), B
	LEAQ (C)(OCT*8), C
	LEAQ (D)(OCT*8), D
	SCATTER(32)
	LEAQ (C)(OCT*8), A
	LEAQ (D)(OCT*8), B
	LEAQ (OCT)(OCT*1), D
	LEAQ (A)(D*8), C
	LEAQ (B)(D*8), D
	SCATTER(64)
	LEAQ (A)(OCT*8), A
	LEAQ (B)(OCT*8), B
	LEAQ (C)(OCT*8), C
	LEAQ (D)(OCT*8), D
	SCATTER(96)
	ADDQ lane+16(FP), DST
	ADDQ $1024, SCRATCH
	DECQ LEFT
	JNZ  scatter

next:
	MOVQ octet+8(FP), DST
	SHLQ $6, DST
	ADDQ next-8(SP), DST
	ADDQ $64, SRC
	DECQ groups+56(FP)
	JNZ  group
	VZEROUPPER
	RET
