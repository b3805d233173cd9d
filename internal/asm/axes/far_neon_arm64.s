//go:build !purego

#include "textflag.h"

// Sums of numbers that are a vector apart or more.

#define FROM     R0
#define DISTANCE R1
#define TIMES    R2
#define TO       R3

// The numbers within a distance are in two vectors, which overlap.
#define TWO(LANES) \
	MOVD p+0(FP), FROM; \
	MOVD distance+8(FP), DISTANCE; \
	MOVD times+16(FP), TIMES; \
	ADD  DISTANCE, FROM, TO; \
	SUB  $16, TO; \
	VLD1 (FROM), [V0.B16]; \
	VLD1 (TO), [V1.B16]; \
next: \
	ADD  DISTANCE, FROM; \
	ADD  DISTANCE, TO; \
	VLD1 (FROM), [V2.B16]; \
	VLD1 (TO), [V3.B16]; \
	VADD V2.LANES, V0.LANES, V0.LANES; \
	VADD V3.LANES, V1.LANES, V1.LANES; \
	VST1 [V0.B16], (FROM); \
	VST1 [V1.B16], (TO); \
	SUBS $1, TIMES; \
	BNE  next; \
	RET

#define FAR(LANES) \
	MOVD p+0(FP), FROM; \
	MOVD distance+8(FP), DISTANCE; \
	MOVD vectors+16(FP), TIMES; \
	ADD  DISTANCE, FROM, TO; \
next: \
	VLD1.P 16(FROM), [V0.B16]; \
	VLD1   (TO), [V1.B16]; \
	VADD   V1.LANES, V0.LANES, V0.LANES; \
	VST1.P [V0.B16], 16(TO); \
	SUBS   $1, TIMES; \
	BNE    next; \
	RET

// func two8NEON(p unsafe.Pointer, distance, times int)
TEXT ·two8NEON(SB), NOSPLIT, $0-24
	TWO(B16)

// func two16NEON(p unsafe.Pointer, distance, times int)
TEXT ·two16NEON(SB), NOSPLIT, $0-24
	TWO(H8)

// func two32NEON(p unsafe.Pointer, distance, times int)
TEXT ·two32NEON(SB), NOSPLIT, $0-24
	TWO(S4)

// func two64NEON(p unsafe.Pointer, distance, times int)
TEXT ·two64NEON(SB), NOSPLIT, $0-24
	TWO(D2)

// func far8NEON(p unsafe.Pointer, distance, vectors int)
TEXT ·far8NEON(SB), NOSPLIT, $0-24
	FAR(B16)

// func far16NEON(p unsafe.Pointer, distance, vectors int)
TEXT ·far16NEON(SB), NOSPLIT, $0-24
	FAR(H8)

// func far32NEON(p unsafe.Pointer, distance, vectors int)
TEXT ·far32NEON(SB), NOSPLIT, $0-24
	FAR(S4)

// func far64NEON(p unsafe.Pointer, distance, vectors int)
TEXT ·far64NEON(SB), NOSPLIT, $0-24
	FAR(D2)
