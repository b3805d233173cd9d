//go:build !purego

#include "textflag.h"

// Differences from numbers before, from the last vectors to the first.

#define LAST   R0
#define BEFORE R1
#define TIMES  R2

#define TAKE(LANES) \
	MOVD last+0(FP), LAST; \
	MOVD distance+8(FP), BEFORE; \
	SUB  BEFORE, LAST, BEFORE; \
	MOVD vectors+16(FP), TIMES; \
next: \
	VLD1 (LAST), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1 (BEFORE), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VSUB V4.LANES, V0.LANES, V0.LANES; \
	VSUB V5.LANES, V1.LANES, V1.LANES; \
	VSUB V6.LANES, V2.LANES, V2.LANES; \
	VSUB V7.LANES, V3.LANES, V3.LANES; \
	VST1 [V0.B16, V1.B16, V2.B16, V3.B16], (LAST); \
	SUB  $64, LAST; \
	SUB  $64, BEFORE; \
	SUBS $1, TIMES; \
	BNE  next; \
	RET

// func take8NEON(last unsafe.Pointer, distance, vectors int)
TEXT ·take8NEON(SB), NOSPLIT, $0-24
	TAKE(B16)

// func take16NEON(last unsafe.Pointer, distance, vectors int)
TEXT ·take16NEON(SB), NOSPLIT, $0-24
	TAKE(H8)

// func take32NEON(last unsafe.Pointer, distance, vectors int)
TEXT ·take32NEON(SB), NOSPLIT, $0-24
	TAKE(S4)

// func take64NEON(last unsafe.Pointer, distance, vectors int)
TEXT ·take64NEON(SB), NOSPLIT, $0-24
	TAKE(D2)
