//go:build !purego

#include "textflag.h"
#include "turn_avx2_amd64.h"

// Byte shuffle for items of 2, 4 and 8 bytes.
//
// Both lanes of a register do the same: the low one for 16 items, the high one for the next 16.
// Below, "byte (i1 i0 b1 b0)" gives the number of the byte within a lane that contains byte b of
// item i, by its bits, highest first. VPUNPCK{L,H}BW of registers that differ in bit r of their
// number turns byte (w x y z), register (r) into byte (x y z r), register (w). Four such steps
// transpose 16x16 bytes; fewer suffice if some bits are in place already.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define DST4   R9
#define WAIT   R10

// The low lane from one place, the high one from another.
#define LANES(low, high, X, Y) \
	VMOVDQU low, X; \
	VINSERTI128 $1, high, Y, Y

// Gathers the bytes of 8 and 4 items that belong to the same plane.
DATA split2<>+0(SB)/8, $0x0e0c0a0806040200
DATA split2<>+8(SB)/8, $0x0f0d0b0907050301
GLOBL split2<>(SB), RODATA|NOPTR, $16
DATA split4<>+0(SB)/8, $0x0d0905010c080400
DATA split4<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL split4<>(SB), RODATA|NOPTR, $16

// Both halves of a line of a plane are written in sequence: alternating between lines of different
// planes takes twice as long.

// 32 items of 2 bytes into A and B.
#define SHUFFLE2(s, A, B) \
	LANES(s+0(SRC), s+32(SRC), X0, Y0); \
	LANES(s+16(SRC), s+48(SRC), X1, Y1); \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPUNPCKLQDQ Y1, Y0, A; \
	VPUNPCKHQDQ Y1, Y0, B

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
	PREFETCHT0 64(DST)
	PREFETCHT0 64(DST)(PITCH*1)
	SHUFFLE2(0, Y2, Y3)
	SHUFFLE2(64, Y4, Y5)
	VMOVDQU Y2, 0(DST)
	VMOVDQU Y4, 32(DST)
	VMOVDQU Y3, 0(DST)(PITCH*1)
	VMOVDQU Y5, 32(DST)(PITCH*1)
	ADDQ $128, SRC
	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// 32 items of 4 bytes into A, B, C, D. Register (i3 i2), byte (i1 i0 b1 b0) → byte (b1 b0 i1 i0) →
// dwords unpacked twice → register (b1 b0), byte (i3 i2 i1 i0).
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
	PREFETCHT0 64(DST)
	PREFETCHT0 64(DST)(PITCH*1)
	PREFETCHT0 64(DST)(PITCH*2)
	PREFETCHT0 64(DST)(PITCH3*1)
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

// 32 items of 8 bytes. Register (i3 i2 i1), byte (i0 b2 b1 b0); the steps pair registers by i3, i2,
// i1, which is TURN8, and by i0, which the first step moved to where i3 was. Register (b0 b2 b1)
// has byte (i3 i2 i1 i0).
#define SHUFFLE8(s) \
	LANES(s+0(SRC), s+128(SRC), X0, Y0); \
	LANES(s+16(SRC), s+144(SRC), X1, Y1); \
	LANES(s+32(SRC), s+160(SRC), X2, Y2); \
	LANES(s+48(SRC), s+176(SRC), X3, Y3); \
	LANES(s+64(SRC), s+192(SRC), X4, Y4); \
	LANES(s+80(SRC), s+208(SRC), X5, Y5); \
	LANES(s+96(SRC), s+224(SRC), X6, Y6); \
	LANES(s+112(SRC), s+240(SRC), X7, Y7); \
	TURN8; \
	UNPACK(Y8, Y12, Y0, Y4); \
	UNPACK(Y9, Y13, Y1, Y5); \
	UNPACK(Y10, Y14, Y2, Y6); \
	UNPACK(Y11, Y15, Y3, Y7)

// The first half of a line is on the stack because no registers were left.
#define PAIR(from, Y, to, to2) \
	VMOVDQA from, Y8; \
	VMOVDQU Y8, to; \
	VMOVDQU Y, to2

// func shuffle8AVX2(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle8AVX2(SB), 0, $288-32
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ src+16(FP), SRC
	MOVQ groups+24(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	LEAQ (DST)(PITCH*4), DST4
	LEAQ wait-288(SP), WAIT
	ADDQ $31, WAIT
	ANDQ $~31, WAIT
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	PREFETCHT0 64(DST)
	PREFETCHT0 64(DST)(PITCH*1)
	PREFETCHT0 64(DST)(PITCH*2)
	PREFETCHT0 64(DST)(PITCH3*1)
	PREFETCHT0 64(DST4)
	PREFETCHT0 64(DST4)(PITCH*1)
	PREFETCHT0 64(DST4)(PITCH*2)
	PREFETCHT0 64(DST4)(PITCH3*1)
	SHUFFLE8(0)
	VMOVDQA Y0, 0(WAIT)
	VMOVDQA Y1, 32(WAIT)
	VMOVDQA Y2, 64(WAIT)
	VMOVDQA Y3, 96(WAIT)
	VMOVDQA Y4, 128(WAIT)
	VMOVDQA Y5, 160(WAIT)
	VMOVDQA Y6, 192(WAIT)
	VMOVDQA Y7, 224(WAIT)
	SHUFFLE8(256)
	PAIR(0(WAIT), Y0, (DST), 32(DST))
	PAIR(128(WAIT), Y4, (DST)(PITCH*1), 32(DST)(PITCH*1))
	PAIR(32(WAIT), Y1, (DST)(PITCH*2), 32(DST)(PITCH*2))
	PAIR(160(WAIT), Y5, (DST)(PITCH3*1), 32(DST)(PITCH3*1))
	PAIR(64(WAIT), Y2, (DST4), 32(DST4))
	PAIR(192(WAIT), Y6, (DST4)(PITCH*1), 32(DST4)(PITCH*1))
	PAIR(96(WAIT), Y3, (DST4)(PITCH*2), 32(DST4)(PITCH*2))
	PAIR(224(WAIT), Y7, (DST4)(PITCH3*1), 32(DST4)(PITCH3*1))
	ADDQ $512, SRC
	ADDQ $64, DST
	ADDQ $64, DST4
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
