//go:build !purego

#include "textflag.h"

#define DST    DI
#define A      SI
#define B      DX
#define GROUPS CX

// func bothAVX2(dst, a, b *byte, groups int)
TEXT ·bothAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ a+8(FP), A
	MOVQ b+16(FP), B
	MOVQ groups+24(FP), GROUPS
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	VMOVDQU 0(A), Y0
	VMOVDQU 32(A), Y1
	VMOVDQU 64(A), Y2
	VMOVDQU 96(A), Y3
	VPXOR 0(B), Y0, Y0
	VPXOR 32(B), Y1, Y1
	VPXOR 64(B), Y2, Y2
	VPXOR 96(B), Y3, Y3
	VMOVDQU Y0, 0(DST)
	VMOVDQU Y1, 32(DST)
	VMOVDQU Y2, 64(DST)
	VMOVDQU Y3, 96(DST)
	ADDQ $128, A
	ADDQ $128, B
	ADDQ $128, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
