//go:build !purego

#include "textflag.h"
#include "registers_avx2_amd64.h"

// Hashes of four bytes, 13 bits, and positions of 16 bits.
#define LOAD(SHIFT) MOVL SHIFT(SRC)(POS*1), WORD
#define HASH IMUL3L $-1640531535, WORD, SLOT; SHRL $19, SLOT
#define ENTER MOVW POS, (TABLE)(SLOT*2)
#define EXCHANGE MOVWLZX (TABLE)(SLOT*2), MATCH; ENTER
#define TOOFAR(GO)

// func encodeNearAVX2(c *Cursor, table *[1 << NearBits]uint16, dst, src []byte, limit, attempt int)
TEXT ·encodeNearAVX2(SB), NOSPLIT, $8-80
#include "greedy_avx2_amd64.h"
