//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "lz4registers_neon_arm64.h"

#define LONGTABLE ATTEMPT // the second half of the table
#define LONGSLOT  STEP
#define FOUR      MATCHEND // 32 bits: the earlier position of four bytes, or negative
#define SEVEN     LITERALS // that of seven bytes
#define NOW       BACK     // BASE + POS
#define START     BEGIN    // of the search
#define BASE      GROWTH
#define LONGMUL   R24
#define FARTHEST  R25

// The slot of the lower four bytes of WORD, 15 bits, and that of the lower seven.
#define SHORT MULW FACTOR, WORD, SLOT; LSRW $17, SLOT
#define LONG MUL LONGMUL, WORD, LONGSLOT; LSR $49, LONGSLOT

// func encodeMidNEON(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base
// uint32)
TEXT ·encodeMidNEON(SB), NOSPLIT, $0-76
	ENTER
	MOVWU base+72(FP), BASE
	MOVD  $0x9e3779b1, FACTOR
	MOVD  $0x3779b97f4a7c1500, LONGMUL
	MOVD  $65535, FARTHEST
	MOVD  $(4<<(const_HeadBits-1)), LONGTABLE
	ADD   TABLE, LONGTABLE

fresh: // a search begins at POS
	MOVD POS, START

	PCALIGN $16
search:
	CMP   LIMIT, POS
	BGT   searched
	MOVD  (SRC)(POS), WORD
	SHORT
	LONG
	MOVWU (TABLE)(SLOT<<2), FOUR
	MOVWU (LONGTABLE)(LONGSLOT<<2), SEVEN
	ADDW  BASE, POS, NOW
	MOVW  NOW, (TABLE)(SLOT<<2)
	MOVW  NOW, (LONGTABLE)(LONGSLOT<<2)
	SUBW  BASE, SEVEN
	SUBW  BASE, FOUR
	BICW  SEVEN->31, SEVEN, TEMP
	MOVWU (SRC)(TEMP), TEMP
	CMPW  TEMP, WORD
	BEQ   seven
tryFour:
	BICW  FOUR->31, FOUR, TEMP
	MOVWU (SRC)(TEMP), TEMP
	CMPW  TEMP, WORD
	BEQ   four
next: // 512 to a step
	SUB  START, POS, TEMP
	ADD  TEMP>>9, POS
	ADD  $1, POS
	B    search

searched:
	MOVD START, STEP
	B    atLimit

seven:
	TBNZ $31, SEVEN, tryFour
	SUB  SEVEN, POS, OTHER
	CMP  FARTHEST, OTHER
	BGT  tryFour
	MOVD SEVEN, MATCH
	ADD  $1, POS, TEMP
	MOVD (SRC)(TEMP), WORD
	LONG
	ADDW BASE, TEMP
	MOVW TEMP, (LONGTABLE)(LONGSLOT<<2)
	B    found

four:
	TBNZ  $31, FOUR, next
	SUB   FOUR, POS, OTHER
	CMP   FARTHEST, OTHER
	BGT   next
	MOVD  FOUR, MATCH
	ADD   $1, POS, TEMP // are seven bytes the same from the next position on?
	MOVD  (SRC)(TEMP), WORD
	LONG
	MOVWU (LONGTABLE)(LONGSLOT<<2), SEVEN
	ADDW  BASE, TEMP, NOW
	MOVW  NOW, (LONGTABLE)(LONGSLOT<<2)
	SUBW  BASE, SEVEN
	TBNZ  $31, SEVEN, found
	SUB   SEVEN, TEMP, OTHER
	CMP   FARTHEST, OTHER
	BGT   found
	MOVD  (SRC)(SEVEN), OTHER
	EOR   OTHER, WORD
	LSL   $8, WORD
	CBNZ  WORD, found
	MOVD  SEVEN, MATCH
	MOVD  TEMP, POS

found:
#include "lz4sequence_neon_arm64.h"

matched:
	CMP  LIMIT, POS
	BGT  atMatched
	SUB  $2, POS, TEMP
	MOVD (SRC)(TEMP), WORD
	SHORT
	LONG
	ADDW BASE, TEMP, NOW
	MOVW NOW, (TABLE)(SLOT<<2)
	MOVW NOW, (LONGTABLE)(LONGSLOT<<2)
	B    fresh

#include "lz4lengths_neon_arm64.h"
