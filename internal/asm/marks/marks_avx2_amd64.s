//go:build !purego

#include "textflag.h"

#define AT    SI
#define LEFT  CX
#define ORDER Y4
#define MARK  Y5
#define NAN   Y6

#define EQUAL $0 // the predicate, false for NaN

// Replaces marks in 32 bytes at a time. Y5 and Y6 have mark and NaN in their first lanes.
#define REPLACE(BROADCAST, COMPARE, BLEND) \
	MOVQ p+0(FP), AT; \
	MOVQ groups+8(FP), LEFT; \
	MOVQ order+16(FP), DX; \
	VBROADCASTI128 (DX), ORDER; \
	BROADCAST X5, MARK; \
	BROADCAST X6, NAN; \
next: \
	VMOVDQU (AT), Y0; \
	VPSHUFB ORDER, Y0, Y0; \
	COMPARE EQUAL, MARK, Y0, Y1; \
	BLEND   Y1, NAN, Y0, Y0; \
	VMOVDQU Y0, (AT); \
	ADDQ $32, AT; \
	DECQ LEFT; \
	JNZ  next; \
	VZEROUPPER; \
	RET

// func float32AVX2(p *byte, groups int, order *[16]byte, mark uint32)
TEXT ·float32AVX2(SB), NOSPLIT, $0-28
	MOVL  mark+24(FP), AX
	VMOVD AX, X5
	MOVL  $0x7fc00000, AX
	VMOVD AX, X6
	REPLACE(VPBROADCASTD, VCMPPS, VBLENDVPS)

// func float64AVX2(p *byte, groups int, order *[16]byte, mark uint64)
TEXT ·float64AVX2(SB), NOSPLIT, $0-32
	MOVQ  mark+24(FP), AX
	VMOVQ AX, X5
	MOVQ  $0x7ff8000000000001, AX
	VMOVQ AX, X6
	REPLACE(VPBROADCASTQ, VCMPPD, VBLENDVPD)
