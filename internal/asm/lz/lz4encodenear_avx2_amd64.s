//go:build !purego

#include "textflag.h"
#include "lz4registers_avx2_amd64.h"

// An entry of the table is a position.
#define SLOTOF MOVQ WORD, SLOT; IMULQ FACTOR, SLOT; SHRQ $(64-13), SLOT
#define EXCHANGE MOVWLZX (TABLE)(SLOT*2), MATCH; MOVW POS, (TABLE)(SLOT*2)
#define TOOFAR

// func encodeNearAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s
// *Search)
TEXT ·encodeNearAVX2(SB), NOSPLIT, $8-80
#include "lz4greedy_avx2_amd64.h"
