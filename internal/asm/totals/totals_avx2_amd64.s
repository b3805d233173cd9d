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

// Adds to sums the sum of eight rows. ROW3 is three times the distance of rows.
#define SUMS DX
#define ROW  BX
#define ROW3 R9
#define FAR  DI

#define ROWS8(LOAD, STEP) \
	MOVQ sums+0(FP), SUMS; \
	MOVQ p+8(FP), SRC; \
	MOVQ pitch+16(FP), ROW; \
	MOVQ groups+24(FP), LEFT; \
	LEAQ (ROW)(ROW*2), ROW3; \
	LEAQ (SRC)(ROW*4), FAR; \
next: \
	LOAD (SRC), Y0; \
	LOAD (SRC)(ROW*1), Y1; \
	LOAD (SRC)(ROW*2), Y2; \
	LOAD (SRC)(ROW3*1), Y3; \
	LOAD (FAR), Y4; \
	LOAD (FAR)(ROW*1), Y5; \
	LOAD (FAR)(ROW*2), Y6; \
	LOAD (FAR)(ROW3*1), Y7; \
	VADDPD Y1, Y0, Y0; \
	VADDPD Y3, Y2, Y2; \
	VADDPD Y5, Y4, Y4; \
	VADDPD Y7, Y6, Y6; \
	VADDPD Y2, Y0, Y0; \
	VADDPD Y6, Y4, Y4; \
	VADDPD Y4, Y0, Y0; \
	VADDPD (SUMS), Y0, Y0; \
	VMOVUPD Y0, (SUMS); \
	ADDQ $STEP, SRC; \
	ADDQ $STEP, FAR; \
	ADDQ $32, SUMS; \
	DECQ LEFT; \
	JNZ  next; \
	VZEROUPPER; \
	RET

// Adds a row to sums.
#define ROW1(LOAD, STEP) \
	MOVQ sums+0(FP), SUMS; \
	MOVQ p+8(FP), SRC; \
	MOVQ groups+16(FP), LEFT; \
next: \
	LOAD (SRC), Y0; \
	VADDPD (SUMS), Y0, Y0; \
	VMOVUPD Y0, (SUMS); \
	ADDQ $STEP, SRC; \
	ADDQ $32, SUMS; \
	DECQ LEFT; \
	JNZ  next; \
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

// func rows32AVX2(sums *float64, p *byte, pitch, groups int)
TEXT ·rows32AVX2(SB), NOSPLIT, $0-32
	ROWS8(VCVTPS2PD, 16)

// func rows64AVX2(sums *float64, p *byte, pitch, groups int)
TEXT ·rows64AVX2(SB), NOSPLIT, $0-32
	ROWS8(VMOVUPD, 32)

// func row32AVX2(sums *float64, p *byte, groups int)
TEXT ·row32AVX2(SB), NOSPLIT, $0-24
	ROW1(VCVTPS2PD, 16)

// func row64AVX2(sums *float64, p *byte, groups int)
TEXT ·row64AVX2(SB), NOSPLIT, $0-24
	ROW1(VMOVUPD, 32)

// func twiceAVX2(high, low, v *float64, groups int)
TEXT ·twiceAVX2(SB), NOSPLIT, $0-32
	MOVQ high+0(FP), DI
	MOVQ low+8(FP), DX
	MOVQ v+16(FP), SI
	MOVQ groups+24(FP), CX

next:
	VMOVUPD (DI), Y0
	VMOVUPD (SI), Y1
	VMOVUPD (DX), Y7
	VADDPD  Y1, Y0, Y2 // the sum
	VSUBPD  Y0, Y2, Y3 // the part of it that v is
	VSUBPD  Y3, Y2, Y4
	VSUBPD  Y4, Y0, Y4
	VSUBPD  Y3, Y1, Y5
	VADDPD  Y5, Y4, Y4 // what is lost
	VCMPPD  $7, Y4, Y4, Y6 // where that is a number
	VADDPD  Y4, Y7, Y5
	VBLENDVPD Y6, Y5, Y7, Y7
	VMOVUPD Y2, (DI)
	VMOVUPD Y7, (DX)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, DX
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET
