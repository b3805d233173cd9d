//go:build !purego

#include "textflag.h"
#include "lz4registers_avx2_amd64.h"

// An entry of the table is the lower half of a position, which is assumed to be at most 65536
// before POS.
#define SLOTOF MOVQ WORD, SLOT; IMULQ FACTOR, SLOT; SHRQ $(64-14), SLOT
#define EXCHANGE MOVWLZX (TABLE)(SLOT*2), MATCH; MOVW POS, (TABLE)(SLOT*2); SUBL POS, MATCH; ORQ $-65536, MATCH; ADDQ POS, MATCH
#define TOOFAR LEAQ 65536(MATCH), SLOT; CMPQ SLOT, POS; JEQ next

// func encodeFarAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s
// *Search)
TEXT ·encodeFarAVX2(SB), NOSPLIT, $8-80
#include "lz4greedy_avx2_amd64.h"
