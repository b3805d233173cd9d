// The body of the two greedy encoders. They differ in LOAD, which gets the bytes that are hashed, in HASH, which turns them into a slot of
// the table, in ENTER, which puts POS there, in EXCHANGE, which takes what was there before, and in TOOFAR, which refuses distant matches.

	MOVQ c+0(FP), TEMP
	MOVQ 0(TEMP), ANCHOR
	MOVQ dst_base+16(FP), OUT
	ADDQ 8(TEMP), OUT
	MOVQ 16(TEMP), POS
	MOVQ 32(TEMP), STEP
	MOVQ 40(TEMP), ATTEMPT
	MOVQ table+8(FP), TABLE
	MOVQ src_base+40(FP), SRC
	MOVQ limit+64(FP), LIMIT
	CMPQ 48(TEMP), $2
	JEQ  follow

	PCALIGN $32
search:
	LEAQ (POS)(STEP*1), TEMP
	CMPQ TEMP, LIMIT
	JGT  atLimit
	LOAD(0)
	HASH
	EXCHANGE
	CMPL (SRC)(MATCH*1), WORD
	JEQ  found
next:
	MOVQ ATTEMPT, STEP
	SHRQ $6, STEP
	INCQ ATTEMPT
	MOVQ TEMP, POS
	JMP  search

found:
	TOOFAR(next)
#include "sequence_avx2_amd64.h"

matched:
	CMPQ POS, LIMIT
	JGE  atMatched
follow:
	LOAD(-2)
	SUBQ $2, POS
	HASH
	ENTER
	ADDQ $2, POS
	LOAD(0)
	HASH
	EXCHANGE
	CMPL (SRC)(MATCH*1), WORD
	JEQ  again
fresh:
	MOVQ attempt+72(FP), ATTEMPT
	INCQ POS
	MOVL $1, STEP
	JMP  search

again: // a match right behind the last one
	TOOFAR(fresh)
	XORL BACK, BACK
	MOVQ SRC, BEHIND
	SUBQ POS, BEHIND
	ADDQ MATCH, BEHIND
	JMP  measure

#include "lengths_avx2_amd64.h"
