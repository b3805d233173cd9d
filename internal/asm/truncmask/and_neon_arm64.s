//go:build !purego

#include "textflag.h"

#define DST    R0
#define SRC    R1
#define GROUPS R2
#define MASK   V31

// func andNEON(dst, src *byte, mask uint64, groups int)
TEXT ·andNEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), DST
	MOVD src+8(FP), SRC
	MOVD mask+16(FP), R3
	MOVD groups+24(FP), GROUPS
	VDUP R3, MASK.D2
	CBZ  GROUPS, done

loop:
	VLD1.P 64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VAND   MASK.B16, V0.B16, V0.B16
	VAND   MASK.B16, V1.B16, V1.B16
	VAND   MASK.B16, V2.B16, V2.B16
	VAND   MASK.B16, V3.B16, V3.B16
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(DST)
	SUBS   $1, GROUPS
	BNE    loop

done:
	RET
