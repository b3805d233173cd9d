//go:build !purego

#include "textflag.h"

// Running xor. Doubling shifts sum the words of a lane. The last word of each lane, copied to all
// words of the lane, is added to the high lane of the same vector and, from both lanes, to all
// following vectors. The carry takes one xor per vector, so the dependency chain is short.

#define DST    DI
#define SRC    SI
#define GROUPS CX
#define VEC    Y0
#define T      Y1
#define SUMS   Y2
#define CARRY  Y4
#define LAST   Y5

// One step within lanes: every word gets the sum that ends n bytes before it.
#define STEP(n) \
	VPSLLDQ $n, VEC, T; \
	VPXOR   T, VEC, VEC

#define BEGIN(last) \
	MOVQ dst+0(FP), DST; \
	MOVQ src+8(FP), SRC; \
	MOVQ groups+16(FP), GROUPS; \
	VBROADCASTI128 last, LAST; \
	VPXOR CARRY, CARRY, CARRY; \
	TESTQ GROUPS, GROUPS

// SUMS has the last word of each lane. The low lane's goes to the high one; their sum is added to
// the carry.
#define FINISH \
	VPSHUFB LAST, VEC, SUMS; \
	VPERM2I128 $0x08, SUMS, SUMS, T; \
	VPXOR   T, VEC, VEC; \
	VPXOR   CARRY, VEC, VEC; \
	VPERM2I128 $0x01, SUMS, SUMS, T; \
	VPXOR   SUMS, CARRY, CARRY; \
	VPXOR   T, CARRY, CARRY; \
	VMOVDQU VEC, (DST); \
	ADDQ $32, SRC; \
	ADDQ $32, DST; \
	DECQ GROUPS

DATA last1<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA last1<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL last1<>(SB), RODATA|NOPTR, $16
DATA last2<>+0(SB)/8, $0x0f0e0f0e0f0e0f0e
DATA last2<>+8(SB)/8, $0x0f0e0f0e0f0e0f0e
GLOBL last2<>(SB), RODATA|NOPTR, $16
DATA last4<>+0(SB)/8, $0x0f0e0d0c0f0e0d0c
DATA last4<>+8(SB)/8, $0x0f0e0d0c0f0e0d0c
GLOBL last4<>(SB), RODATA|NOPTR, $16
DATA last8<>+0(SB)/8, $0x0f0e0d0c0b0a0908
DATA last8<>+8(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL last8<>(SB), RODATA|NOPTR, $16

// func running1AVX2(dst, src *byte, groups int)
TEXT ·running1AVX2(SB), NOSPLIT, $0-24
	BEGIN(last1<>(SB))
	JZ done

loop:
	VMOVDQU (SRC), VEC
	STEP(1)
	STEP(2)
	STEP(4)
	STEP(8)
	FINISH
	JNZ loop

done:
	VZEROUPPER
	RET

// func running2AVX2(dst, src *byte, groups int)
TEXT ·running2AVX2(SB), NOSPLIT, $0-24
	BEGIN(last2<>(SB))
	JZ done

loop:
	VMOVDQU (SRC), VEC
	STEP(2)
	STEP(4)
	STEP(8)
	FINISH
	JNZ loop

done:
	VZEROUPPER
	RET

// func running4AVX2(dst, src *byte, groups int)
TEXT ·running4AVX2(SB), NOSPLIT, $0-24
	BEGIN(last4<>(SB))
	JZ done

loop:
	VMOVDQU (SRC), VEC
	STEP(4)
	STEP(8)
	FINISH
	JNZ loop

done:
	VZEROUPPER
	RET

// func running8AVX2(dst, src *byte, groups int)
TEXT ·running8AVX2(SB), NOSPLIT, $0-24
	BEGIN(last8<>(SB))
	JZ done

loop:
	VMOVDQU (SRC), VEC
	STEP(8)
	FINISH
	JNZ loop

done:
	VZEROUPPER
	RET
