//go:build !purego

#include "textflag.h"
#include "go_asm.h"

DATA weights<>+0(SB)/8, $0x191a1b1c1d1e1f20
DATA weights<>+8(SB)/8, $0x1112131415161718
DATA weights<>+16(SB)/8, $0x090a0b0c0d0e0f10
DATA weights<>+24(SB)/8, $0x0102030405060708
GLOBL weights<>(SB), RODATA|NOPTR, $32

DATA ones<>+0(SB)/8, $0x0001000100010001
GLOBL ones<>(SB), RODATA|NOPTR, $8

#define SRC      SI
#define GROUPS   CX
#define OUT      DI
#define BYTES    Y0
#define BEFORE   Y1
#define WEIGHTED Y2
#define WEIGHTS  Y3
#define ONES     Y4
#define ZERO     Y5

// func sumAVX2(src *byte, groups int, out *sums)
TEXT ·sumAVX2(SB), NOSPLIT, $0-24
	MOVQ         src+0(FP), SRC
	MOVQ         groups+8(FP), GROUPS
	MOVQ         out+16(FP), OUT
	VPXOR        BYTES, BYTES, BYTES
	VPXOR        BEFORE, BEFORE, BEFORE
	VPXOR        WEIGHTED, WEIGHTED, WEIGHTED
	VPXOR        ZERO, ZERO, ZERO
	VMOVDQU      weights<>(SB), WEIGHTS
	VPBROADCASTQ ones<>(SB), ONES

loop:
	VMOVDQU    (SRC), Y6
	VPADDD     BYTES, BEFORE, BEFORE
	VPSADBW    ZERO, Y6, Y7
	VPMADDUBSW WEIGHTS, Y6, Y6 // bytes without a sign times weights with one
	VPMADDWD   ONES, Y6, Y6
	VPADDD     Y7, BYTES, BYTES
	VPADDD     Y6, WEIGHTED, WEIGHTED
	ADDQ       $32, SRC
	DECQ       GROUPS
	JNZ        loop

	VMOVDQU BYTES, sums_bytes(OUT)
	VMOVDQU BEFORE, sums_before(OUT)
	VMOVDQU WEIGHTED, sums_weighted(OUT)
	VZEROUPPER
	RET
