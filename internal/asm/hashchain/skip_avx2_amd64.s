//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC    SI
#define HEADS  DI
#define LINKS  R8
#define OLDEST R9  // the first position within the window
#define ZERO   R10
#define AT     R11
#define CHAINS R12
#define SLOT   R13
#define SHIFT  R14
#define STEP   R15
#define WORD   AX  // the bytes at AT
#define KNOWN  BX  // an earlier position, 0 if it is none
#define LINK   CX  // of KNOWN
#define TEMP   DX
#define LEFT   BP  // links to load

#define BASE   Chains_Base(CHAINS)
#define MASK   0(SP)
#define FAR    8(SP) // the maximum distance of a link

// The slot of WORD.
#define HASH \
	IMUL3L $-1640531535, WORD, SLOT; \
	SHRXL SHIFT, SLOT, SLOT

// Inserts AT and moves on.
#define INSERT \
	MOVL BASE, TEMP; \
	ADDL AT, TEMP; \
	MOVL (HEADS)(SLOT*4), KNOWN; \
	MOVL TEMP, (HEADS)(SLOT*4); \
	SUBL KNOWN, TEMP; \
	CMPL TEMP, $65535; \
	CMOVLHI FAR, TEMP; \
	MOVL AT, KNOWN; \
	ANDL MASK, KNOWN; \
	MOVW TEMP, (LINKS)(KNOWN*2); \
	INCQ AT

// func skipAVX2(c *Chains)
TEXT ·skipAVX2(SB), NOSPLIT, $24-8
	MOVQ c+0(FP), CHAINS
	MOVQ Chains_Src(CHAINS), SRC
	MOVQ Chains_Heads(CHAINS), HEADS
	MOVQ Chains_Heads+8(CHAINS), TEMP
	DECL TEMP
	LZCNTL TEMP, SHIFT
	MOVQ Chains_Links(CHAINS), LINKS
	MOVQ Chains_Links+8(CHAINS), TEMP
	DECQ TEMP
	MOVQ TEMP, MASK
	MOVQ $65535, FAR
	MOVQ Chains_Next(CHAINS), AT
	MOVQ Chains_Step(CHAINS), STEP
	XORL ZERO, ZERO

	PCALIGN $32
position:
	MOVL (SRC)(AT*1), WORD
	RORXL $8, WORD, TEMP
	CMPL TEMP, WORD
	JEQ  stop
	MOVQ AT, TEMP
	SUBQ Chains_Recent(CHAINS), TEMP
	JLT  notFirst
	CMPL (SRC)(TEMP*1), WORD
	JEQ  stop
notFirst:
	MOVQ AT, TEMP
	SUBQ Chains_Recent+8(CHAINS), TEMP
	JLT  notSecond
	CMPL (SRC)(TEMP*1), WORD
	JEQ  stop
notSecond:
	HASH
	MOVQ AT, OLDEST
	SUBQ Chains_Window(CHAINS), OLDEST
	CMOVQLT ZERO, OLDEST
	MOVQ Chains_Depth(CHAINS), LEFT
	MOVL (HEADS)(SLOT*4), KNOWN
	SUBL BASE, KNOWN
	CMOVLLT ZERO, KNOWN
pair: // two positions; nothing is lost if one is none and stops the loop
	MOVL KNOWN, TEMP
	ANDL MASK, TEMP
	MOVWLZX (LINKS)(TEMP*2), LINK
	CMPL (SRC)(KNOWN*1), WORD
	JEQ  stop
	SUBL LINK, KNOWN
	CMOVLMI ZERO, KNOWN
	MOVL KNOWN, TEMP
	ANDL MASK, TEMP
	MOVWLZX (LINKS)(TEMP*2), LINK
	CMPL (SRC)(KNOWN*1), WORD
	JEQ  stop
	SUBL LINK, KNOWN
	CMOVLMI ZERO, KNOWN
	CMPL KNOWN, OLDEST
	JLE  last
	SUBQ $2, LEFT
	JGT  pair
	JMP  insert
last:
	CMPL (SRC)(KNOWN*1), WORD
	JEQ  stop

insert:
	INSERT
	INCQ STEP
	MOVQ STEP, TEMP
	IMULQ Chains_Hurry(CHAINS), TEMP
	SHRQ $12, TEMP
	JNE  gap
next:
	CMPQ AT, Chains_Limit(CHAINS)
	JLT  position
stop:
	MOVQ AT, Chains_Next(CHAINS)
	MOVQ AT, Chains_At(CHAINS)
	MOVQ STEP, Chains_Step(CHAINS)
	RET

gap:
	ADDQ AT, TEMP
	MOVQ TEMP, Chains_At(CHAINS)
	CMPQ Chains_Run(CHAINS), $0
	JGE  all
	MOVQ TEMP, AT
	JMP  next
all:
	CMPQ AT, Chains_Limit(CHAINS)
	JGE  stop
	MOVL (SRC)(AT*1), WORD
	CMPL -1(SRC)(AT*1), WORD
	JEQ  run
	HASH
	INSERT
	CMPQ AT, Chains_At(CHAINS)
	JLT  all
	JMP  next
run:
	MOVQ AT, Chains_Next(CHAINS)
	MOVQ STEP, Chains_Step(CHAINS)
	RET
