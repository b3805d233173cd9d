//go:build !purego

#include "textflag.h"

#define SRC  SI
#define LEFT CX
#define OUT  DI
#define BIAS Y6 // inverts the highest bits
#define ONES Y7

// Adds 64 bytes at a time to two vectors of sums, of which STEP adds one vector at OFF.
#define SUM(STEP, ADD) \
	MOVQ p+0(FP), SRC; \
	MOVQ bytes+8(FP), LEFT; \
	MOVQ out+16(FP), OUT; \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y5, Y5, Y5; \
next: \
	STEP(0, Y2, Y0); \
	STEP(32, Y3, Y1); \
	ADDQ $64, SRC; \
	SUBQ $64, LEFT; \
	JNZ  next; \
	ADD  Y1, Y0, Y0; \
	VMOVDQU Y0, (OUT); \
	VZEROUPPER; \
	RET

#define UINT8(off, t, sum) \
	VMOVDQU off(SRC), t; \
	VPSADBW Y5, t, t; \
	VPADDQ  t, sum, sum

#define INT8(off, t, sum) \
	VPXOR   off(SRC), BIAS, t; \
	VPSADBW Y5, t, t; \
	VPADDQ  t, sum, sum

#define INT16(off, t, sum) \
	VPMADDWD off(SRC), ONES, t; \
	VPADDD   t, sum, sum

#define UINT16(off, t, sum) \
	VPXOR    off(SRC), BIAS, t; \
	VPMADDWD t, ONES, t; \
	VPADDD   t, sum, sum

#define INT32(off, t, sum) \
	VPMOVSXDQ off(SRC), t; \
	VPADDQ    t, sum, sum; \
	VPMOVSXDQ (off+16)(SRC), t; \
	VPADDQ    t, sum, sum

#define UINT32(off, t, sum) \
	VPMOVZXDQ off(SRC), t; \
	VPADDQ    t, sum, sum; \
	VPMOVZXDQ (off+16)(SRC), t; \
	VPADDQ    t, sum, sum

// Adds groups of eight floats to eight sums.
#define FLOATS(LOAD, SIZE) \
	MOVQ p+0(FP), SRC; \
	MOVQ groups+8(FP), LEFT; \
	MOVQ parts+16(FP), OUT; \
	VMOVUPD 0(OUT), Y0; \
	VMOVUPD 32(OUT), Y1; \
next: \
	LOAD 0(SRC), Y2; \
	LOAD (4*SIZE)(SRC), Y3; \
	VADDPD Y2, Y0, Y0; \
	VADDPD Y3, Y1, Y1; \
	ADDQ $(8*SIZE), SRC; \
	DECQ LEFT; \
	JNZ  next; \
	VMOVUPD Y0, 0(OUT); \
	VMOVUPD Y1, 32(OUT); \
	VZEROUPPER; \
	RET

// func int8AVX2(p *byte, bytes int, out *lanes)
TEXT ·int8AVX2(SB), NOSPLIT, $0-24
	MOVL $0x80808080, AX
	VMOVD AX, X6
	VPBROADCASTD X6, BIAS
	SUM(INT8, VPADDQ)

// func uint8AVX2(p *byte, bytes int, out *lanes)
TEXT ·uint8AVX2(SB), NOSPLIT, $0-24
	SUM(UINT8, VPADDQ)

// func int16AVX2(p *byte, bytes int, out *lanes)
TEXT ·int16AVX2(SB), NOSPLIT, $0-24
	MOVL $0x00010001, AX
	VMOVD AX, X7
	VPBROADCASTD X7, ONES
	SUM(INT16, VPADDD)

// func uint16AVX2(p *byte, bytes int, out *lanes)
TEXT ·uint16AVX2(SB), NOSPLIT, $0-24
	MOVL $0x00010001, AX
	VMOVD AX, X7
	VPBROADCASTD X7, ONES
	VPSLLW $15, ONES, BIAS
	SUM(UINT16, VPADDD)

// func int32AVX2(p *byte, bytes int, out *lanes)
TEXT ·int32AVX2(SB), NOSPLIT, $0-24
	SUM(INT32, VPADDQ)

// func uint32AVX2(p *byte, bytes int, out *lanes)
TEXT ·uint32AVX2(SB), NOSPLIT, $0-24
	SUM(UINT32, VPADDQ)

// func float32AVX2(p *byte, groups int, parts *[8]float64)
TEXT ·float32AVX2(SB), NOSPLIT, $0-24
	FLOATS(VCVTPS2PD, 4)

// func float64AVX2(p *byte, groups int, parts *[8]float64)
TEXT ·float64AVX2(SB), NOSPLIT, $0-24
	FLOATS(VMOVUPD, 8)
