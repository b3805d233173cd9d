//go:build !purego

#include "textflag.h"
#include "lz4registers_avx2_amd64.h"

// While searching there is no match, so these registers are free.
#define BASE   MATCHEND
#define NOW    BEHIND  // BASE + POS
#define LONGER ATTEMPT // the position from which on steps are longer

#define LONGHALF 131072 // where the second half of the table begins

// The slot of the lower four bytes of WORD, 15 bits, and that of the lower seven.
#define SHORT IMUL3L $-1640531535, WORD, SLOT; SHRL $17, SLOT
#define LONG MOVQ $0x3779b97f4a7c1500, TEMP; IMULQ WORD, TEMP; SHRQ $49, TEMP

// func encodeMidAVX2(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base
// uint32)
TEXT ·encodeMidAVX2(SB), NOSPLIT, $8-76
	MOVQ c+0(FP), TEMP
	MOVQ 0(TEMP), ANCHOR
	MOVQ dst_base+16(FP), OUT
	ADDQ 8(TEMP), OUT
	MOVQ 16(TEMP), POS
	MOVQ table+8(FP), TABLE
	MOVQ src_base+40(FP), SRC
	MOVQ limit+64(FP), LIMIT

fresh: // a search begins at POS
	MOVL $1, STEP
	LEAQ 512(POS), LONGER
	MOVL base+72(FP), BASE

	PCALIGN $32
search:
	CMPQ POS, LIMIT
	JGT  searched
	MOVQ (SRC)(POS*1), WORD
	SHORT
	LONG
	MOVL (TABLE)(SLOT*4), BACK
	MOVL LONGHALF(TABLE)(TEMP*4), MATCH
	LEAL (BASE)(POS*1), NOW
	MOVL NOW, (TABLE)(SLOT*4)
	MOVL NOW, LONGHALF(TABLE)(TEMP*4)
	SUBL BASE, MATCH
	SUBL BASE, BACK
	MOVL MATCH, TEMP
	SARL $31, TEMP
	ANDNL MATCH, TEMP, TEMP // 0 if it is of an earlier source
	CMPL (SRC)(TEMP*1), WORD
	JEQ  seven
tryFour:
	MOVL BACK, TEMP
	SARL $31, TEMP
	ANDNL BACK, TEMP, TEMP
	CMPL (SRC)(TEMP*1), WORD
	JEQ  four
next:
	CMPQ POS, LONGER
	JGE  longer
	ADDQ STEP, POS
	JMP  search

longer: // 512 to a step
	SHLQ $9, STEP
	SUBQ STEP, LONGER // the start
	MOVQ POS, STEP
	SUBQ LONGER, STEP
	SHRQ $9, STEP
	INCQ STEP
	MOVQ STEP, TEMP
	SHLQ $9, TEMP
	ADDQ TEMP, LONGER
	ADDQ STEP, POS
	JMP  search

searched:
	SHLQ $9, STEP
	SUBQ STEP, LONGER
	MOVQ LONGER, STEP
	JMP  atLimit

seven:
	TESTL MATCH, MATCH
	JLT  tryFour
	MOVQ POS, NOW
	SUBQ MATCH, NOW
	CMPQ NOW, $65535
	JGT  tryFour
	MOVQ 1(SRC)(POS*1), WORD
	LONG
	LEAL 1(BASE)(POS*1), BACK
	MOVL BACK, LONGHALF(TABLE)(TEMP*4)
	JMP  found

four:
	TESTL BACK, BACK
	JLT  next
	MOVQ POS, NOW
	SUBQ BACK, NOW
	CMPQ NOW, $65535
	JGT  next
	MOVL BACK, MATCH
	MOVQ 1(SRC)(POS*1), WORD // are seven bytes the same from the next position on?
	LONG
	MOVL LONGHALF(TABLE)(TEMP*4), BACK
	LEAL 1(BASE)(POS*1), NOW
	MOVL NOW, LONGHALF(TABLE)(TEMP*4)
	SUBL BASE, BACK
	TESTL BACK, BACK
	JLT  found
	LEAQ 1(POS), NOW
	SUBQ BACK, NOW
	CMPQ NOW, $65535
	JGT  found
	XORQ (SRC)(BACK*1), WORD
	SHLQ $8, WORD
	JNE  found
	MOVL BACK, MATCH
	INCQ POS

found:
#include "lz4sequence_avx2_amd64.h"

matched:
	CMPQ POS, LIMIT
	JGT  atMatched
	MOVL base+72(FP), BASE
	MOVQ -2(SRC)(POS*1), WORD
	SHORT
	LONG
	LEAL -2(BASE)(POS*1), NOW
	MOVL NOW, (TABLE)(SLOT*4)
	MOVL NOW, LONGHALF(TABLE)(TEMP*4)
	JMP  fresh

#include "lz4lengths_avx2_amd64.h"
