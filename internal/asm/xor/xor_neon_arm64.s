//go:build !purego

#include "textflag.h"

// Running xor. Doubling shifts sum the words of a vector. All words of V2 contain the sum of all
// words before the vector.

#define DST    R0
#define SRC    R1
#define GROUPS R2

#define BEGIN \
	MOVD dst+0(FP), DST; \
	MOVD src+8(FP), SRC; \
	MOVD groups+16(FP), GROUPS; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V31.B16, V31.B16, V31.B16

// Every word gets the sum that ends n bytes before it. V31 is zero; clobbers V1.
#define STEP(n) \
	VEXT $(16-n), V0.B16, V31.B16, V1.B16; \
	VEOR V1.B16, V0.B16, V0.B16

// The last word, copied to all of V1, is added to the sum before.
#define FINISH \
	VEOR V2.B16, V0.B16, V3.B16; \
	VEOR V1.B16, V2.B16, V2.B16; \
	VST1.P [V3.B16], 16(DST); \
	SUBS $1, GROUPS

// Four vectors at a time: each four neighbours are in four registers. These are summed first, then
// the sums of fours by STEPS, and what is before each four is added to all. The sum is as above.
#define FOUR(T, N, STEPS, LAST) \
	SUBS $4, GROUPS; \
	BLT  few; \
four: \
	VLD4.P 64(SRC), [V4.T, V5.T, V6.T, V7.T]; \
	VEOR   V4.B16, V5.B16, V5.B16; \
	VEOR   V5.B16, V6.B16, V6.B16; \
	VEOR   V6.B16, V7.B16, V7.B16; \
	VMOV   V7.B16, V0.B16; \
	STEPS; \
	VEXT   $(16-N), V0.B16, V31.B16, V1.B16; \
	VEOR   V2.B16, V1.B16, V1.B16; \
	VDUP   LAST, V0.T; \
	VEOR   V0.B16, V2.B16, V2.B16; \
	VEOR   V1.B16, V4.B16, V4.B16; \
	VEOR   V1.B16, V5.B16, V5.B16; \
	VEOR   V1.B16, V6.B16, V6.B16; \
	VEOR   V1.B16, V7.B16, V7.B16; \
	VST4.P [V4.T, V5.T, V6.T, V7.T], 64(DST); \
	SUBS   $4, GROUPS; \
	BGE    four; \
few: \
	ADDS   $4, GROUPS; \
	BEQ    done

#define STEPS8 STEP(8)
#define STEPS4 STEP(4); STEPS8
#define STEPS2 STEP(2); STEPS4
#define STEPS1 STEP(1); STEPS2

// func running1NEON(dst, src *byte, groups int)
TEXT ·running1NEON(SB), NOSPLIT, $0-24
	BEGIN
	FOUR(B16, 1, STEPS1, V0.B[15])

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEPS1
	VDUP V0.B[15], V1.B16
	FINISH
	BNE  loop

done:
	RET

// func running2NEON(dst, src *byte, groups int)
TEXT ·running2NEON(SB), NOSPLIT, $0-24
	BEGIN
	FOUR(H8, 2, STEPS2, V0.H[7])

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEPS2
	VDUP V0.H[7], V1.H8
	FINISH
	BNE  loop

done:
	RET

// func running4NEON(dst, src *byte, groups int)
TEXT ·running4NEON(SB), NOSPLIT, $0-24
	BEGIN
	FOUR(S4, 4, STEPS4, V0.S[3])

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEPS4
	VDUP V0.S[3], V1.S4
	FINISH
	BNE  loop

done:
	RET

// func running8NEON(dst, src *byte, groups int)
TEXT ·running8NEON(SB), NOSPLIT, $0-24
	BEGIN
	FOUR(D2, 8, STEPS8, V0.D[1])

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEPS8
	VDUP V0.D[1], V1.D2
	FINISH
	BNE  loop

done:
	RET
