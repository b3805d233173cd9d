//go:build !purego

#include "textflag.h"

// Two vectors at a time, each with its own results; the last two end where the numbers end, so that
// these need not be a multiple.

#define SRC  SI
#define LAST DX // where the last two vectors begin
#define OUT  DI

#define MINMAX(KEYS, MIN, MAX) \
	MOVQ p+0(FP), SRC; \
	MOVQ bytes+8(FP), LAST; \
	MOVQ out+16(FP), OUT; \
	LEAQ -64(SRC)(LAST*1), LAST; \
	VMOVDQU 0(LAST), Y0; \
	VMOVDQU 32(LAST), Y2; \
	KEYS(Y0); \
	KEYS(Y2); \
	VMOVDQA Y0, Y1; \
	VMOVDQA Y2, Y3; \
	JMP check; \
next: \
	VMOVDQU 0(SRC), Y4; \
	VMOVDQU 32(SRC), Y5; \
	KEYS(Y4); \
	KEYS(Y5); \
	MIN Y4, Y0, Y0; \
	MAX Y4, Y1, Y1; \
	MIN Y5, Y2, Y2; \
	MAX Y5, Y3, Y3; \
	ADDQ $64, SRC; \
check: \
	CMPQ SRC, LAST; \
	JLT  next; \
	MIN Y2, Y0, Y0; \
	MAX Y3, Y1, Y1; \
	VMOVDQU Y0, 0(OUT); \
	VMOVDQU Y1, 32(OUT); \
	VZEROUPPER; \
	RET

#define AS_THEY_ARE(v)

// Inverts the bits of negative numbers except for the sign.
#define ORDERED(v) \
	VPSRAD $31, v, Y6; \
	VPSRLD $1, Y6, Y6; \
	VPXOR  Y6, v, v

// func int8AVX2(p *byte, bytes int, out *vectors)
TEXT ·int8AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINSB, VPMAXSB)

// func uint8AVX2(p *byte, bytes int, out *vectors)
TEXT ·uint8AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINUB, VPMAXUB)

// func int16AVX2(p *byte, bytes int, out *vectors)
TEXT ·int16AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINSW, VPMAXSW)

// func uint16AVX2(p *byte, bytes int, out *vectors)
TEXT ·uint16AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINUW, VPMAXUW)

// func int32AVX2(p *byte, bytes int, out *vectors)
TEXT ·int32AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINSD, VPMAXSD)

// func uint32AVX2(p *byte, bytes int, out *vectors)
TEXT ·uint32AVX2(SB), NOSPLIT, $0-24
	MINMAX(AS_THEY_ARE, VPMINUD, VPMAXUD)

// func float32AVX2(p *byte, bytes int, out *vectors)
TEXT ·float32AVX2(SB), NOSPLIT, $0-24
	MINMAX(ORDERED, VPMINSD, VPMAXSD)
