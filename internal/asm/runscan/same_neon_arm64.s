//go:build !purego

#include "textflag.h"

#define SRC    R0
#define GROUPS R1

// Compares 64 bytes with the four registers and accumulates the differences in V0.
#define COMPARE(p, q, r, s) \
	VLD1.P 64(SRC), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VEOR p.B16, V4.B16, V4.B16; \
	VEOR q.B16, V5.B16, V5.B16; \
	VEOR r.B16, V6.B16, V6.B16; \
	VEOR s.B16, V7.B16, V7.B16; \
	VORR V5.B16, V4.B16, V4.B16; \
	VORR V7.B16, V6.B16, V6.B16; \
	VORR V4.B16, V0.B16, V0.B16; \
	VORR V6.B16, V0.B16, V0.B16

// func sameNEON(src *byte, groups int) bool
TEXT ·sameNEON(SB), NOSPLIT, $0-17
	MOVD src+0(FP), SRC
	MOVD groups+8(FP), GROUPS
	MOVD SRC, R2
	VLD1.P 64(R2), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1   (R2), [V20.B16, V21.B16]
	VEOR V0.B16, V0.B16, V0.B16

loop:
	COMPARE(V16, V17, V18, V19)
	COMPARE(V20, V21, V16, V17)
	COMPARE(V18, V19, V20, V21)
	VMOV V0.D[0], R3
	VMOV V0.D[1], R4
	ORR  R3, R4, R4
	CBNZ R4, done
	SUBS $1, GROUPS
	BNE  loop

done:
	CMP  $0, R4
	CSET EQ, R4
	MOVB R4, ret+16(FP)
	RET
