//go:build !purego

#include "textflag.h"

#define DST    R0
#define SRC    R1
#define GROUPS R2

// func differencesNEON(dst, src *byte, groups int)
//
// The previous bytes are from the vector itself, and for its first byte from the vector before.
TEXT ·differencesNEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), DST
	MOVD src+8(FP), SRC
	MOVD groups+16(FP), GROUPS
	VEOR V1.B16, V1.B16, V1.B16
	CBZ  GROUPS, done

loop:
	VLD1.P 16(SRC), [V0.B16]
	VEXT   $15, V0.B16, V1.B16, V2.B16
	VSUB   V2.B16, V0.B16, V2.B16
	VST1.P [V2.B16], 16(DST)
	VMOV   V0.B16, V1.B16
	SUBS   $1, GROUPS
	BNE    loop

done:
	RET

// Adds to every byte the one n places before. V31 is zero; clobbers V1.
#define STEP(n) \
	VEXT $(16-n), V0.B16, V31.B16, V1.B16; \
	VADD V1.B16, V0.B16, V0.B16

// func sumsNEON(dst, src *byte, groups int)
//
// The sum of all bytes before a vector is in all bytes of V2.
TEXT ·sumsNEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), DST
	MOVD src+8(FP), SRC
	MOVD groups+16(FP), GROUPS
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V31.B16, V31.B16, V31.B16
	SUBS $4, GROUPS
	BLT  few

four: // each four neighbours are in four registers: sum these, and then the sums of fours
	VLD4.P 64(SRC), [V4.B16, V5.B16, V6.B16, V7.B16]
	VADD   V4.B16, V5.B16, V5.B16
	VADD   V5.B16, V6.B16, V6.B16
	VADD   V6.B16, V7.B16, V7.B16
	VMOV   V7.B16, V0.B16
	STEP(1)
	STEP(2)
	STEP(4)
	STEP(8)
	VEXT   $15, V0.B16, V31.B16, V1.B16
	VADD   V2.B16, V1.B16, V1.B16 // what is before each four
	VDUP   V0.B[15], V0.B16
	VADD   V0.B16, V2.B16, V2.B16
	VADD   V1.B16, V4.B16, V4.B16
	VADD   V1.B16, V5.B16, V5.B16
	VADD   V1.B16, V6.B16, V6.B16
	VADD   V1.B16, V7.B16, V7.B16
	VST4.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(DST)
	SUBS   $4, GROUPS
	BGE    four

few:
	ADDS $4, GROUPS
	BEQ  done

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEP(1)
	STEP(2)
	STEP(4)
	STEP(8)
	VADD   V2.B16, V0.B16, V3.B16
	VST1.P [V3.B16], 16(DST)
	VDUP   V0.B[15], V1.B16
	VADD   V1.B16, V2.B16, V2.B16
	SUBS   $1, GROUPS
	BNE    loop

done:
	RET
