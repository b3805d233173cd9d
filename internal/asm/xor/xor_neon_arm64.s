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

// func running1NEON(dst, src *byte, groups int)
TEXT ·running1NEON(SB), NOSPLIT, $0-24
	BEGIN
	CBZ GROUPS, done

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEP(1)
	STEP(2)
	STEP(4)
	STEP(8)
	VDUP V0.B[15], V1.B16
	FINISH
	BNE  loop

done:
	RET

// func running2NEON(dst, src *byte, groups int)
TEXT ·running2NEON(SB), NOSPLIT, $0-24
	BEGIN
	CBZ GROUPS, done

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEP(2)
	STEP(4)
	STEP(8)
	VDUP V0.H[7], V1.H8
	FINISH
	BNE  loop

done:
	RET

// func running4NEON(dst, src *byte, groups int)
TEXT ·running4NEON(SB), NOSPLIT, $0-24
	BEGIN
	CBZ GROUPS, done

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEP(4)
	STEP(8)
	VDUP V0.S[3], V1.S4
	FINISH
	BNE  loop

done:
	RET

// func running8NEON(dst, src *byte, groups int)
TEXT ·running8NEON(SB), NOSPLIT, $0-24
	BEGIN
	CBZ GROUPS, done

loop:
	VLD1.P 16(SRC), [V0.B16]
	STEP(8)
	VDUP V0.D[1], V1.D2
	FINISH
	BNE  loop

done:
	RET
