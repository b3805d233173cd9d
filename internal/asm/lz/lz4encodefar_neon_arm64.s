//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "lz4registers_neon_arm64.h"

// An entry of the table is the lower half of a position, which is assumed to be at most 65536
// before POS.
#define SLOTOF MUL FACTOR, WORD, SLOT; LSR $(64-const_TableBits), SLOT
#define EXCHANGE MOVHU (TABLE)(SLOT<<1), MATCH; MOVH POS, (TABLE)(SLOT<<1); SUB POS, MATCH; ORR $~0xffff, MATCH; ADD POS, MATCH
#define TOOFAR SUB MATCH, POS, OTHER; CMP $65536, OTHER; BEQ next

// func encodeFarNEON(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s
// *Search)
TEXT ·encodeFarNEON(SB), NOSPLIT, $0-80
#include "lz4greedy_neon_arm64.h"
