//go:build !purego

#include "textflag.h"
#include "registers_avx2_amd64.h"

// Hashes of five bytes, 12 bits: the factor is shifted instead of the word, to lose the upper three. Positions of 32 bits.
#define LOAD(SHIFT) MOVQ SHIFT(SRC)(POS*1), WORD
#define HASH MOVQ $0xcf1bbcdcbb000000, SLOT; IMULQ WORD, SLOT; SHRQ $52, SLOT
#define ENTER MOVL POS, (TABLE)(SLOT*4)
#define EXCHANGE MOVL (TABLE)(SLOT*4), MATCH; ENTER
#define TOOFAR(GO) MOVQ POS, BEHIND; SUBQ MATCH, BEHIND; CMPQ BEHIND, $65535; JGT GO

// func encodeFarAVX2(c *Cursor, table *[1 << FarBits]uint32, dst, src []byte, limit, attempt int)
TEXT ·encodeFarAVX2(SB), NOSPLIT, $8-80
#include "greedy_avx2_amd64.h"
