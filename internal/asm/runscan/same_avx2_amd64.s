//go:build !purego

#include "textflag.h"

#define SRC    SI
#define GROUPS CX
#define A      Y13
#define B      Y14
#define C      Y15

// Sets the zero flag if six vectors equal the expected ones.
#define COMPARE(p, q, r) \
	VPXOR 0(SRC), p, Y0; \
	VPXOR 32(SRC), q, Y1; \
	VPXOR 64(SRC), r, Y2; \
	VPXOR 96(SRC), p, Y3; \
	VPXOR 128(SRC), q, Y4; \
	VPXOR 160(SRC), r, Y5; \
	VPOR  Y1, Y0, Y0; \
	VPOR  Y3, Y2, Y2; \
	VPOR  Y5, Y4, Y4; \
	VPOR  Y2, Y0, Y0; \
	VPOR  Y4, Y0, Y0; \
	VPTEST Y0, Y0

// func same1AVX2(src *byte, groups int) bool
TEXT ·same1AVX2(SB), NOSPLIT, $0-17
	MOVQ src+0(FP), SRC
	MOVQ groups+8(FP), GROUPS
	VMOVDQU 0(SRC), A

loop:
	COMPARE(A, A, A)
	JNZ  other
	ADDQ $192, SRC
	DECQ GROUPS
	JNZ  loop

other:
	SETEQ ret+16(FP)
	VZEROUPPER
	RET

// func same3AVX2(src *byte, groups int) bool
TEXT ·same3AVX2(SB), NOSPLIT, $0-17
	MOVQ src+0(FP), SRC
	MOVQ groups+8(FP), GROUPS
	VMOVDQU 0(SRC), A
	VMOVDQU 32(SRC), B
	VMOVDQU 64(SRC), C

loop:
	COMPARE(A, B, C)
	JNZ  other
	ADDQ $192, SRC
	DECQ GROUPS
	JNZ  loop

other:
	SETEQ ret+16(FP)
	VZEROUPPER
	RET
