//go:build !purego

#include "textflag.h"

#define DST    DI
#define SRC    SI
#define GROUPS CX
#define MASK   Y15

// func andAVX2(dst, src *byte, mask uint64, groups int)
TEXT ·andAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	VPBROADCASTQ mask+16(FP), MASK
	MOVQ groups+24(FP), GROUPS
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	VPAND 0(SRC), MASK, Y0
	VPAND 32(SRC), MASK, Y1
	VPAND 64(SRC), MASK, Y2
	VPAND 96(SRC), MASK, Y3
	VMOVDQU Y0, 0(DST)
	VMOVDQU Y1, 32(DST)
	VMOVDQU Y2, 64(DST)
	VMOVDQU Y3, 96(DST)
	ADDQ $128, SRC
	ADDQ $128, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
