//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC    SI
#define HEADS  DI
#define LINKS  R8
#define MASK   R9
#define BASE   R10
#define AT     R11
#define END    R12
#define FAR    0(SP) // the maximum distance
#define SHIFT  R14
#define BEFORE R15 // the bytes at the position before AT
#define WORD   AX
#define SLOT   BX
#define NOW    CX  // BASE + AT
#define LINK   DX  // the distance to the previous position
#define RUN    R13
#define OTHER  BP

// func enterAVX2(c *Chains, end int)
TEXT ·enterAVX2(SB), NOSPLIT, $8-16
	MOVQ c+0(FP), NOW
	MOVQ Chains_Src(NOW), SRC
	MOVQ Chains_Heads(NOW), HEADS
	MOVQ Chains_Heads+8(NOW), WORD
	DECL WORD
	LZCNTL WORD, SHIFT
	MOVQ Chains_Links(NOW), LINKS
	MOVQ Chains_Links+8(NOW), MASK
	DECQ MASK
	MOVQ Chains_Base(NOW), BASE
	MOVQ Chains_Next(NOW), AT
	MOVQ Chains_Run(NOW), RUN
	MOVQ end+8(FP), END
	MOVQ $65535, FAR
	MOVL (SRC)(AT*1), BEFORE
	NOTL BEFORE
	TESTQ AT, AT
	JE   loop
	MOVL -1(SRC)(AT*1), BEFORE

	PCALIGN $32
loop:
	MOVL (SRC)(AT*1), WORD
	CMPL WORD, BEFORE
	JEQ  run
	SARQ $63, RUN
	MOVL WORD, BEFORE
	IMUL3L $-1640531535, WORD, SLOT
	SHRXL SHIFT, SLOT, SLOT
	LEAL (BASE)(AT*1), NOW
	MOVL NOW, LINK
	SUBL (HEADS)(SLOT*4), LINK
	MOVL NOW, (HEADS)(SLOT*4)
	CMPL LINK, $65535
	CMOVLHI FAR, LINK
	MOVL AT, OTHER
	ANDL MASK, OTHER
	MOVW LINK, (LINKS)(OTHER*2)
	INCQ AT
	CMPQ AT, END
	JLT  loop

	JMP  done

run:
	TESTQ RUN, RUN
	JLT  leave
	IMUL3L $-1640531535, WORD, SLOT
	SHRXL SHIFT, SLOT, SLOT
within:
	INCQ RUN
	MOVL RUN, LINK
	CMPL LINK, $65535
	CMOVLHI FAR, LINK
	MOVL AT, OTHER
	ANDL MASK, OTHER
	MOVW LINK, (LINKS)(OTHER*2)
	INCQ AT
	CMPQ AT, END
	JGE  last
	CMPL (SRC)(AT*1), WORD
	JEQ  within
last:
	LEAL -1(BASE)(AT*1), NOW
	MOVL NOW, (HEADS)(SLOT*4)
	CMPQ AT, END
	JLT  loop
	JMP  done
leave:
	INCQ AT
	CMPQ AT, END
	JLT  loop

done:
	MOVQ c+0(FP), NOW
	MOVQ AT, Chains_Next(NOW)
	MOVQ RUN, Chains_Run(NOW)
	RET
