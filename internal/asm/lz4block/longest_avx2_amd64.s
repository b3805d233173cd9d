//go:build !purego

#include "textflag.h"

#define SRC    SI
#define LINKS  DI
#define END    R8  // matches end here at most
#define POS    R9
#define LOW    R10 // they start here at least
#define LENGTH R11 // of the best one
#define AT     R12 // the earlier position
#define OLDEST R13
#define LEFT   R14 // positions to look at
#define BEHIND R15 // src less the distance
#define STOP   AX  // end of a match; else a temporary
#define WORD   BX  // the bytes at POS; within a match a temporary
#define TAIL   CX  // those where a longer match has to agree
#define SKEWED DX  // src plus how far from POS they are
#define START  BP  // of a match

// func longestAVX2(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int)
// (start, longest, distance int)
TEXT ·longestAVX2(SB), NOSPLIT, $8-104
	MOVQ src_base+0(FP), SRC
	MOVQ links+24(FP), LINKS
	MOVQ end+32(FP), END
	MOVQ pos+40(FP), POS
	MOVQ low+48(FP), LOW
	MOVQ length+56(FP), LENGTH
	MOVQ at+64(FP), AT
	MOVQ depth+72(FP), LEFT
	MOVQ $0, start+80(FP)
	MOVQ $0, longest+88(FP)
	MOVQ $0, distance+96(FP)
	XORL STOP, STOP
	LEAQ -65535(POS), OLDEST
	TESTQ OLDEST, OLDEST
	CMOVQLT STOP, OLDEST
	MOVL (SRC)(POS*1), WORD

better:
	LEAQ -3(LOW)(LENGTH*1), SKEWED
	SUBQ POS, SKEWED
	ADDQ SRC, SKEWED
	MOVL (SKEWED)(POS*1), TAIL
	CMPQ longest+88(FP), $0
	JNE  follow

	PCALIGN $16
look:
	CMPQ AT, OLDEST
	JLT  done
	DECQ LEFT
	JLT  done
	CMPL (SKEWED)(AT*1), TAIL
	JEQ  candidate
follow:
	MOVWLZX AT, STOP
	MOVWLZX (LINKS)(STOP*2), STOP
	SUBQ STOP, AT
	JMP  look

candidate:
	CMPL (SRC)(AT*1), WORD
	JNE  follow
	MOVQ SRC, BEHIND
	ADDQ AT, BEHIND
	SUBQ POS, BEHIND
	LEAQ 4(POS), STOP
forward8:
	LEAQ 8(STOP), START
	CMPQ START, END
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
	CMPQ STOP, END
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
	JLE  follow
	MOVQ POS, START
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
	MOVQ STOP, TAIL
	SUBQ START, TAIL
	CMPQ TAIL, LENGTH
	JLE  notBetter
	MOVQ TAIL, LENGTH
	MOVQ START, start+80(FP)
	MOVQ LENGTH, longest+88(FP)
	MOVQ SRC, TAIL
	SUBQ BEHIND, TAIL
	MOVQ TAIL, distance+96(FP)
	CMPQ STOP, END
	JNE  better
done:
	RET

notBetter:
	MOVL (SKEWED)(POS*1), TAIL
	JMP  follow
