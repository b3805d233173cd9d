//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define CHAINS R0
#define SRC    R1
#define HEADS  R2
#define LINKS  R3
#define OLDEST R4  // the first position within the window
#define AT     R5
#define SLOT   R6
#define SHIFT  R7
#define STEP   R8
#define WORD   R9  // the bytes at AT
#define KNOWN  R10 // an earlier position, 0 if it is none
#define LINK   R11 // of KNOWN
#define TEMP   R12
#define LEFT   R13 // links to load
#define BASE   R14
#define MASK   R15
#define FAR    R16 // the maximum distance of a link
#define FACTOR R17
#define FIRST  R19 // recent distances
#define SECOND R20
#define WINDOW R21
#define LIMIT  R22
#define NEXT   R23 // the end of a gap
#define HURRY  R24

// The slot of WORD.
#define HASH \
	MULW FACTOR, WORD, SLOT; \
	LSRW SHIFT, SLOT, SLOT

// Goes to stop if WORD is at a position.
#define COMPARE(POSITION) \
	MOVWU (SRC)(POSITION), TEMP; \
	CMPW  WORD, TEMP; \
	BEQ   stop

// Follows the link of KNOWN, which is compared meanwhile.
#define FOLLOW \
	ANDW  MASK, KNOWN, LINK; \
	MOVHU (LINKS)(LINK<<1), LINK; \
	COMPARE(KNOWN); \
	SUBS  LINK, KNOWN, KNOWN; \
	CSEL  LT, ZR, KNOWN, KNOWN

// Inserts AT and moves on.
#define INSERT \
	ADDW  AT, BASE, TEMP; \
	MOVWU (HEADS)(SLOT<<2), KNOWN; \
	MOVW  TEMP, (HEADS)(SLOT<<2); \
	SUBW  KNOWN, TEMP, TEMP; \
	CMPW  FAR, TEMP; \
	CSELW HI, FAR, TEMP, TEMP; \
	ANDW  MASK, AT, KNOWN; \
	MOVH  TEMP, (LINKS)(KNOWN<<1); \
	ADD   $1, AT

// func skipNEON(c *Chains)
TEXT ·skipNEON(SB), NOSPLIT, $0-8
	MOVD c+0(FP), CHAINS
	MOVD Chains_Src(CHAINS), SRC
	MOVD Chains_Heads(CHAINS), HEADS
	MOVD Chains_Heads+8(CHAINS), TEMP
	SUB  $1, TEMP
	CLZW TEMP, SHIFT
	MOVD Chains_Links(CHAINS), LINKS
	MOVD Chains_Links+8(CHAINS), MASK
	SUB  $1, MASK
	MOVD Chains_Base(CHAINS), BASE
	MOVD Chains_Next(CHAINS), AT
	MOVD Chains_Step(CHAINS), STEP
	MOVD Chains_Window(CHAINS), WINDOW
	MOVD Chains_Limit(CHAINS), LIMIT
	MOVD Chains_Hurry(CHAINS), HURRY
	MOVD Chains_Recent(CHAINS), FIRST
	MOVD Chains_Recent+8(CHAINS), SECOND
	MOVD $65535, FAR
	MOVD $2654435761, FACTOR

	PCALIGN $16
position:
	MOVWU (SRC)(AT), WORD
	RORW  $8, WORD, TEMP
	CMPW  WORD, TEMP
	BEQ   stop
	SUBS  FIRST, AT, KNOWN
	BLT   notFirst
	COMPARE(KNOWN)
notFirst:
	SUBS  SECOND, AT, KNOWN
	BLT   notSecond
	COMPARE(KNOWN)
notSecond:
	HASH
	SUBS  WINDOW, AT, OLDEST
	CSEL  LT, ZR, OLDEST, OLDEST
	MOVD  Chains_Depth(CHAINS), LEFT
	MOVWU (HEADS)(SLOT<<2), KNOWN
	SUBS  BASE, KNOWN, KNOWN
	CSEL  LT, ZR, KNOWN, KNOWN
pair: // two positions; nothing is lost if one is none and stops the loop
	FOLLOW
	FOLLOW
	CMP   OLDEST, KNOWN
	BLE   last
	SUBS  $2, LEFT
	BGT   pair
	B     insert
last:
	COMPARE(KNOWN)

insert:
	INSERT
	ADD   $1, STEP
	MUL   HURRY, STEP, NEXT
	LSR   $12, NEXT
	CBNZ  NEXT, gap
next:
	CMP   LIMIT, AT
	BLT   position
stop:
	MOVD  AT, Chains_Next(CHAINS)
	MOVD  AT, Chains_At(CHAINS)
	MOVD  STEP, Chains_Step(CHAINS)
	RET

gap:
	ADD   AT, NEXT
	MOVD  Chains_Run(CHAINS), TEMP
	TBZ   $63, TEMP, all
	MOVD  NEXT, AT
	B     next
all:
	CMP   LIMIT, AT
	BGE   stop
	MOVWU (SRC)(AT), WORD
	SUB   $1, AT, TEMP
	MOVWU (SRC)(TEMP), TEMP
	CMPW  WORD, TEMP
	BEQ   run
	HASH
	INSERT
	CMP   NEXT, AT
	BLT   all
	B     next
run:
	MOVD  AT, Chains_Next(CHAINS)
	MOVD  NEXT, Chains_At(CHAINS)
	MOVD  STEP, Chains_Step(CHAINS)
	RET
