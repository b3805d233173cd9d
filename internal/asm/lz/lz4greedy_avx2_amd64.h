// The body of the greedy encoders. They differ in SLOTOF, which turns the bytes in WORD into a slot
// of the table, in EXCHANGE, which puts POS there and turns what was there before into a position,
// and in TOOFAR, which goes on where that is too far away.

	MOVQ c+0(FP), TEMP
	MOVQ 0(TEMP), ANCHOR
	MOVQ dst_base+16(FP), OUT
	ADDQ 8(TEMP), OUT
	MOVQ 16(TEMP), POS
	MOVQ 32(TEMP), STEP
	MOVQ 40(TEMP), ATTEMPT
	MOVQ 48(TEMP), WORD
	MOVQ table+8(FP), TABLE
	MOVQ src_base+40(FP), SRC
	MOVQ limit+64(FP), LIMIT
	MOVQ s+72(FP), TEMP
	MOVQ 0(TEMP), FACTOR
	MOVQ 16(TEMP), GROWTH
	CMPQ WORD, $2
	JEQ  follow

search:
	LEAQ (POS)(STEP*1), TEMP
	CMPQ TEMP, LIMIT
	JGT  atLimit
	PCALIGN $32
here:
	MOVQ (SRC)(POS*1), WORD
	SLOTOF
	EXCHANGE
	CMPL (SRC)(MATCH*1), WORD
	JEQ  found
next:
	MOVQ ATTEMPT, STEP
	SHRQ $6, STEP
	ADDQ GROWTH, ATTEMPT
	MOVQ TEMP, POS
	ADDQ STEP, TEMP
	CMPQ TEMP, LIMIT
	JLE  here
	JMP  atLimit

found:
	TOOFAR
#include "lz4sequence_avx2_amd64.h"

matched:
	CMPQ POS, LIMIT
	JGE  atMatched
	MOVQ s+72(FP), TEMP
	MOVQ 0(TEMP), FACTOR
	MOVQ 16(TEMP), GROWTH
follow:
	MOVQ 8(TEMP), ATTEMPT
	MOVQ -2(SRC)(POS*1), WORD
	SLOTOF
	LEAQ -2(POS), TEMP
	MOVW TEMP, (TABLE)(SLOT*2)
	MOVL $1, STEP
	JMP  search

#include "lz4lengths_avx2_amd64.h"
