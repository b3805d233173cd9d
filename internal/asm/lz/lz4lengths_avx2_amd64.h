// The rarer parts of lz4sequence_avx2_amd64.h, and how encoders end. They need the label matched,
// where a sequence has been written.

backBytes: // within the first bytes of the source, or far back
	MOVQ POS, TEMP
	SUBQ BACK, TEMP
	CMPQ TEMP, ANCHOR
	JLE  measure
	CMPQ MATCH, BACK
	JEQ  measure
	MOVBLZX -1(SRC)(TEMP*1), WORD
	CMPB -1(BEHIND)(TEMP*1), WORD
	JNE  measure
	INCQ BACK
	JMP  backBytes

manyLiterals: // the token has been left room for
	INCQ OUT
	MOVL LITERALS, WORD
	SUBL $15, WORD
literals255:
	CMPL WORD, $255
	JB   literalsRest
	MOVB $255, (OUT)
	INCQ OUT
	SUBL $255, WORD
	JMP  literals255
literalsRest:
	MOVB WORD, (OUT)
	INCQ OUT
	ADDQ OUT, LITERALS     // where the copy ends
	SUBQ OUT, ANCHOR
literals32:
	VMOVDQU (ANCHOR)(OUT*1), Y0
	VMOVDQU Y0, (OUT)
	ADDQ $32, OUT
	CMPQ OUT, LITERALS
	JB   literals32
	MOVQ LITERALS, OUT
	MOVL $0xf0, LITERALS
	JMP  literalsDone

longMatch:
	ORL  $15, LITERALS
	MOVB LITERALS, (BACK)
	SUBL $15, TEMP
	CMPL TEMP, $255
	JB   lengthRest
#include "runs255_avx2_amd64.h"
lengthRest:
	MOVB TEMP, (OUT)
	INCQ OUT
	JMP  matched

atRoom:
	MOVL $1, TEMP
	JMP  leave
atLimit:
	XORL TEMP, TEMP
	JMP  leave
atMatched:
	MOVL $2, TEMP
leave:
	VZEROUPPER
	MOVQ c+0(FP), WORD
	MOVQ ANCHOR, 0(WORD)
	SUBQ dst_base+16(FP), OUT
	MOVQ OUT, 8(WORD)
	MOVQ POS, 16(WORD)
	MOVQ MATCH, 24(WORD)
	MOVQ STEP, 32(WORD)
	MOVQ ATTEMPT, 40(WORD)
	MOVQ TEMP, 48(WORD)
	RET
