//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "lz4registers_neon_arm64.h"

// An entry of the table is a position.
#define SLOTOF MUL FACTOR, WORD, SLOT; LSR $(64-const_NearBits), SLOT
#define EXCHANGE MOVHU (TABLE)(SLOT<<1), MATCH; MOVH POS, (TABLE)(SLOT<<1)
#define TOOFAR

// func encodeNearNEON(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s
// *Search)
TEXT ·encodeNearNEON(SB), NOSPLIT, $0-80
#include "lz4greedy_neon_arm64.h"
