//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC    R0
#define HEADS  R1
#define LINKS  R2
#define MASK   R3
#define BASE   R4
#define AT     R5
#define END    R6
#define FAR    R7  // the maximum distance
#define SHIFT  R8
#define BEFORE R9  // the bytes at the position before AT
#define WORD   R10
#define SLOT   R11
#define NOW    R12 // BASE + AT
#define LINK   R13 // the distance to the previous position
#define OTHER  R14
#define FACTOR R15
#define RUN    R16
#define C      R17

// func enterNEON(c *Chains, end int)
TEXT ·enterNEON(SB), NOSPLIT, $0-16
	MOVD  c+0(FP), C
	MOVD  Chains_Src(C), SRC
	MOVD  Chains_Heads(C), HEADS
	MOVD  Chains_Heads+8(C), WORD
	SUB   $1, WORD
	CLZW  WORD, SHIFT
	MOVD  Chains_Links(C), LINKS
	MOVD  Chains_Links+8(C), MASK
	SUB   $1, MASK
	MOVD  Chains_Base(C), BASE
	MOVD  Chains_Next(C), AT
	MOVD  Chains_Run(C), RUN
	MOVD  end+8(FP), END
	MOVD  $65535, FAR
	MOVD  $2654435761, FACTOR
	MOVWU (SRC)(AT), BEFORE
	MVNW  BEFORE, BEFORE
	CBZ   AT, loop
	SUB   $1, AT, OTHER
	MOVWU (SRC)(OTHER), BEFORE

	PCALIGN $16
loop:
	MOVWU (SRC)(AT), WORD
	CMPW  BEFORE, WORD
	BEQ   run
	ASR   $63, RUN
	MOVD  WORD, BEFORE
	MULW  FACTOR, WORD, SLOT
	LSRW  SHIFT, SLOT, SLOT
	ADDW  AT, BASE, NOW
	MOVWU (HEADS)(SLOT<<2), LINK
	SUBW  LINK, NOW, LINK
	MOVW  NOW, (HEADS)(SLOT<<2)
	CMPW  FAR, LINK
	CSELW HI, FAR, LINK, LINK
	ANDW  MASK, AT, OTHER
	MOVH  LINK, (LINKS)(OTHER<<1)
	ADD   $1, AT
	CMP   END, AT
	BLT   loop

	B    done

run:
	TBNZ $63, RUN, leave
	MULW FACTOR, WORD, SLOT
	LSRW SHIFT, SLOT, SLOT
within:
	ADD   $1, RUN
	CMP   FAR, RUN
	CSELW HI, FAR, RUN, LINK
	ANDW  MASK, AT, OTHER
	MOVH  LINK, (LINKS)(OTHER<<1)
	ADD   $1, AT
	CMP   END, AT
	BGE   last
	MOVWU (SRC)(AT), OTHER
	CMPW  WORD, OTHER
	BEQ   within
last:
	ADDW  AT, BASE, NOW
	SUBW  $1, NOW
	MOVW  NOW, (HEADS)(SLOT<<2)
	CMP   END, AT
	BLT   loop
	B     done
leave:
	ADD  $1, AT
	CMP  END, AT
	BLT  loop

done:
	MOVD AT, Chains_Next(C)
	MOVD RUN, Chains_Run(C)
	RET
