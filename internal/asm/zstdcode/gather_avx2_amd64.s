//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define TO    DI
#define RAW   SI
#define MATCH R8
#define LEFT  R9
#define LAST  R10 // the last position of raw with enough bytes behind it
#define RUN   CX
#define NEXT  DX

// func gatherAVX2(to, raw []byte, matches []Match) (done, n, from int)
TEXT ·gatherAVX2(SB), NOSPLIT, $0-96
	MOVQ to_base+0(FP), TO
	MOVQ raw_base+24(FP), RAW
	MOVQ raw_len+32(FP), LAST
	LEAQ -const_Slack(RAW)(LAST*1), LAST
	MOVQ matches_base+48(FP), MATCH
	MOVQ matches_len+56(FP), LEFT

loop:
	MOVL const_matchLiterals(MATCH), RUN
	VMOVDQU (RAW), Y0
	VMOVDQU Y0, (TO)
	CMPL RUN, $const_Slack
	JA   long

copied:
	MOVL const_matchLength(MATCH), AX
	ADDQ RUN, TO
	ADDQ RUN, RAW
	ADDQ AX, RAW
	ADDQ $const_matchSize, MATCH
	DECQ LEFT
	JZ   done
	CMPQ RAW, LAST
	JBE  loop

done:
	MOVQ matches_len+56(FP), AX
	SUBQ LEFT, AX
	MOVQ AX, done+72(FP)
	SUBQ to_base+0(FP), TO
	MOVQ TO, n+80(FP)
	SUBQ raw_base+24(FP), RAW
	MOVQ RAW, from+88(FP)
	VZEROUPPER
	RET

long:
	LEAQ (RAW)(RUN*1), NEXT
	CMPQ NEXT, LAST
	JA   done
	MOVL $const_Slack, AX

more:
	VMOVDQU (RAW)(AX*1), Y0
	VMOVDQU Y0, (TO)(AX*1)
	ADDQ $const_Slack, AX
	CMPQ AX, RUN
	JB   more
	JMP  copied
