//go:build !purego

#include "textflag.h"

// A polynomial that is D bits before another, which is to say x^D times it, has the same remainder
// as two products of its halves with x^(D+32) and x^(D-32), reduced. Bits are in the order of the
// checksum, the highest power first; that makes products come out one bit low, so the constants are
// shifted up by one.
DATA by1024<>+0(SB)/8, $0x6992cea2
DATA by1024<>+8(SB)/8, $0xd3b6092
GLOBL by1024<>(SB), RODATA|NOPTR, $16
DATA by128<>+0(SB)/8, $0xf20c0dfe
DATA by128<>+8(SB)/8, $0x14cd00bd6
GLOBL by128<>(SB), RODATA|NOPTR, $16

#define SRC    R0
#define GROUPS R1
#define REST   R2
#define BY     V31

// Moves A on to the position of NEXT, and adds that. Clobbers T.
#define MOVEON(A, T, NEXT) \
	VPMULL  BY.D1, A.D1, T.Q1; \
	VPMULL2 BY.D2, A.D2, A.Q1; \
	VEOR    NEXT.B16, T.B16, T.B16; \
	VEOR    T.B16, A.B16, A.B16

// Adds A to B, which follows it. Clobbers A and V16.
#define MERGE(A, B) \
	VPMULL  BY.D1, A.D1, V16.Q1; \
	VPMULL2 BY.D2, A.D2, A.Q1; \
	VEOR    V16.B16, B.B16, B.B16; \
	VEOR    A.B16, B.B16, B.B16

// func foldNEON(rest *[16]byte, b *byte, groups int, state uint32)
TEXT ·foldNEON(SB), NOSPLIT, $0-28
	MOVD  rest+0(FP), REST
	MOVD  b+8(FP), SRC
	MOVD  groups+16(FP), GROUPS
	FMOVS state+24(FP), F16
	VLD1.P 64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(SRC), [V4.B16, V5.B16, V6.B16, V7.B16]
	VEOR  V16.B16, V0.B16, V0.B16
	MOVD  $by1024<>(SB), R3
	VLD1  (R3), [BY.B16]
	SUBS  $1, GROUPS
	BEQ   merge

loop:
	VLD1.P 64(SRC), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1.P 64(SRC), [V12.B16, V13.B16, V14.B16, V15.B16]
	MOVEON(V0, V16, V8)
	MOVEON(V1, V17, V9)
	MOVEON(V2, V18, V10)
	MOVEON(V3, V19, V11)
	MOVEON(V4, V20, V12)
	MOVEON(V5, V21, V13)
	MOVEON(V6, V22, V14)
	MOVEON(V7, V23, V15)
	SUBS  $1, GROUPS
	BNE   loop

merge:
	MOVD $by128<>(SB), R3
	VLD1 (R3), [BY.B16]
	MERGE(V0, V1)
	MERGE(V1, V2)
	MERGE(V2, V3)
	MERGE(V3, V4)
	MERGE(V4, V5)
	MERGE(V5, V6)
	MERGE(V6, V7)
	VST1 [V7.B16], (REST)
	RET
