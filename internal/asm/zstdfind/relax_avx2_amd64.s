//go:build !purego

#include "textflag.h"

DATA steps<>+0(SB)/4, $0
DATA steps<>+4(SB)/4, $1
DATA steps<>+8(SB)/4, $2
DATA steps<>+12(SB)/4, $3
DATA steps<>+16(SB)/4, $4
DATA steps<>+20(SB)/4, $5
DATA steps<>+24(SB)/4, $6
DATA steps<>+28(SB)/4, $7
GLOBL steps<>(SB), RODATA|NOPTR, $32

// func relaxAVX2(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
TEXT ·relaxAVX2(SB), NOSPLIT, $0-52
	MOVQ prices+0(FP), R8
	MOVQ lengths+8(FP), R9
	MOVQ distances+16(FP), R10
	MOVQ costs+24(FP), SI
	MOVQ n+32(FP), CX
	MOVL base+40(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	MOVL length+44(FP), AX
	VMOVD AX, X1
	VPBROADCASTD X1, Y1
	MOVL distance+48(FP), AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	VMOVDQU steps<>(SB), Y8
	VPADDD  Y8, Y1, Y1
	VPCMPEQD Y9, Y9, Y9
	VPSRLD  $31, Y9, Y9
	VPSLLD  $3, Y9, Y9 // eight
	SUBQ    $8, CX
	JLT     tail

eight:
	VPADDD   (SI), Y0, Y4
	VMOVDQU  (R8), Y5
	VPCMPGTD Y4, Y5, Y6
	VPTEST   Y6, Y6
	JZ       skip
	VPMASKMOVD Y4, Y6, (R8)
	VPMASKMOVD Y1, Y6, (R9)
	VPMASKMOVD Y2, Y6, (R10)

skip:
	VPADDD Y9, Y1, Y1
	ADDQ   $32, SI
	ADDQ   $32, R8
	ADDQ   $32, R9
	ADDQ   $32, R10
	SUBQ   $8, CX
	JGE    eight

tail:
	ADDQ       $8, CX
	JZ         done
	VMOVD      CX, X7
	VPBROADCASTD X7, Y7
	VPCMPGTD   Y8, Y7, Y7 // the lanes in use
	VPMASKMOVD (SI), Y7, Y4
	VPMASKMOVD (R8), Y7, Y5
	VPADDD     Y0, Y4, Y4
	VPCMPGTD   Y4, Y5, Y6
	VPAND      Y7, Y6, Y6
	VPMASKMOVD Y4, Y6, (R8)
	VPMASKMOVD Y1, Y6, (R9)
	VPMASKMOVD Y2, Y6, (R10)

done:
	VZEROUPPER
	RET
