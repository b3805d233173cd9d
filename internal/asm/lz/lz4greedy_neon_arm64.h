// The body of the greedy encoders. They differ in SLOTOF, which turns the bytes in WORD into a slot
// of the table, in EXCHANGE, which puts POS there and turns what was there before into a position,
// and in TOOFAR, which goes on where that is too far away.

	ENTER
	MOVD Cursor_Step(TEMP), STEP
	MOVD Cursor_Attempt(TEMP), ATTEMPT
	MOVD Cursor_Stage(TEMP), WORD
	MOVD s+72(FP), TEMP
	MOVD Search_Factor(TEMP), FACTOR
	MOVD Search_Attempt(TEMP), BEGIN
	MOVD Search_Growth(TEMP), GROWTH
	CMP  $const_Matched, WORD
	BEQ  follow

search:
	ADD STEP, POS, TEMP
	CMP LIMIT, TEMP
	BGT atLimit
	PCALIGN $16
here:
	MOVD  (SRC)(POS), WORD
	SLOTOF
	EXCHANGE
	MOVWU (SRC)(MATCH), OTHER
	CMPW  OTHER, WORD
	BEQ   found
next:
	LSR  $6, ATTEMPT, STEP
	ADD  GROWTH, ATTEMPT
	MOVD TEMP, POS
	ADD  STEP, TEMP
	CMP  LIMIT, TEMP
	BLE  here
	B    atLimit

found:
	TOOFAR
#include "lz4sequence_neon_arm64.h"

matched:
	CMP  LIMIT, POS
	BGE  atMatched
follow:
	MOVD BEGIN, ATTEMPT
	SUB  $2, POS, TEMP
	MOVD (SRC)(TEMP), WORD
	SLOTOF
	MOVH TEMP, (TABLE)(SLOT<<1)
	MOVD $1, STEP
	B    search

#include "lz4lengths_neon_arm64.h"
