//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC    SI
#define LINKS  DI
#define MASK   R8
#define POS    R9
#define LOW    R10
#define LENGTH R11 // of the best match
#define AT     R12 // the next earlier position
#define OLDEST R13
#define LEFT   R14 // positions to look at
#define BEHIND R15 // the earlier position that may match; then src less the distance
#define STOP   AX  // end of a match
#define WORD   BX  // the bytes at POS; within a match a temporary
#define TAIL   CX  // those where a longer match has to agree
#define SKEWED DX  // src plus how far from POS they are
#define LINK   BP  // of AT
#define START  BP  // of a match

#define S s+0(FP)

// func runAVX2(s *Search)
TEXT ·runAVX2(SB), NOSPLIT, $8-8
	MOVQ S, AX
	MOVQ Search_Src(AX), SRC
	MOVQ Search_Links(AX), LINKS
	MOVQ Search_Links+8(AX), MASK
	DECQ MASK
	MOVQ Search_Pos(AX), POS
	MOVQ Search_Low(AX), LOW
	MOVQ Search_Length(AX), LENGTH
	MOVQ Search_At(AX), AT
	MOVQ Search_Oldest(AX), OLDEST
	MOVQ Search_Depth(AX), LEFT
	MOVL (SRC)(POS*1), WORD

better:
	LEAQ -3(LOW)(LENGTH*1), SKEWED
	SUBQ POS, SKEWED
	ADDQ SRC, SKEWED
	MOVL (SKEWED)(POS*1), TAIL

	PCALIGN $32
look:
	CMPQ AT, OLDEST
	JLT  done
	MOVQ AT, LINK
	ANDQ MASK, LINK
	MOVWLZX (LINKS)(LINK*2), LINK
	DECQ LEFT
	JLT  done
	MOVQ AT, BEHIND
	SUBQ LINK, AT
	CMPL (SKEWED)(BEHIND*1), TAIL
	JNE  look
	CMPL (SRC)(BEHIND*1), WORD
	JNE  look
	ADDQ SRC, BEHIND
	SUBQ POS, BEHIND
	MOVQ S, START
	MOVQ Search_End(START), TAIL
	LEAQ 4(POS), STOP
forward8:
	LEAQ 8(STOP), START
	CMPQ START, TAIL
	JGT  forward1
	MOVQ (SRC)(STOP*1), START
	XORQ (BEHIND)(STOP*1), START
	JNE  differ
	ADDQ $8, STOP
	JMP  forward8
differ:
	TZCNTQ START, START
	SHRQ $3, START
	ADDQ START, STOP
	JMP  forwardDone
forward1:
	CMPQ STOP, TAIL
	JGE  forwardDone
	MOVBLZX (SRC)(STOP*1), START
	CMPB (BEHIND)(STOP*1), START
	JNE  forwardDone
	INCQ STOP
	JMP  forward1

forwardDone: // too short, even if it starts at LOW?
	MOVQ STOP, START
	SUBQ LOW, START
	CMPQ START, LENGTH
	JLE  better
	MOVQ POS, START
	CMPQ START, LOW
	JEQ  backDone
back8:
	LEAQ (BEHIND)(START*1), WORD
	SUBQ SRC, WORD
	CMPQ WORD, $8
	JLT  back1
	MOVQ -8(SRC)(START*1), WORD
	XORQ -8(BEHIND)(START*1), WORD
	LZCNTQ WORD, WORD // 64 if all are equal
	SHRQ $3, WORD
	SUBQ WORD, START
	CMPQ START, LOW
	JLE  backLow
	CMPQ WORD, $8
	JEQ  back8
	JMP  backDone
backLow:
	MOVQ LOW, START
	JMP  backDone
back1:
	CMPQ START, LOW
	JLE  backDone
	LEAQ (BEHIND)(START*1), WORD
	CMPQ WORD, SRC
	JEQ  backDone
	MOVBLZX -1(SRC)(START*1), WORD
	CMPB -1(BEHIND)(START*1), WORD
	JNE  backDone
	DECQ START
	JMP  back1

backDone:
	MOVL (SRC)(POS*1), WORD
	MOVQ STOP, SKEWED // the length, for a moment
	SUBQ START, SKEWED
	CMPQ SKEWED, LENGTH
	JLE  better
	MOVQ SKEWED, LENGTH
	MOVQ S, SKEWED
	MOVQ START, Search_Start(SKEWED)
	MOVQ LENGTH, Search_Length(SKEWED)
	SUBQ SRC, BEHIND
	NEGQ BEHIND
	MOVQ BEHIND, Search_Distance(SKEWED)
	CMPQ LENGTH, Search_Nice(SKEWED)
	JGE  done
	CMPQ STOP, TAIL
	JNE  better
done:
	RET
