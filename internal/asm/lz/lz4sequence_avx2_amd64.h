// What encoders do with a match, POS with MATCH: it is extended to both sides and written, with the
// literals before it. POS and ANCHOR are behind it then, and what follows here is reached.

	XORL BACK, BACK
	MOVQ SRC, BEHIND
	SUBQ POS, BEHIND
	ADDQ MATCH, BEHIND

	CMPQ MATCH, $8
	JB   backBytes
	MOVQ -8(SRC)(POS*1), WORD
	XORQ -8(SRC)(MATCH*1), WORD
	LZCNTQ WORD, BACK // 64 if all eight are equal
	SHRQ $3, BACK
	MOVQ POS, LITERALS
	SUBQ ANCHOR, LITERALS
	CMPQ LITERALS, BACK
	CMOVQLT LITERALS, BACK
	CMPL BACK, $8
	JEQ  backBytes

#include "measure_avx2_amd64.h"

measured: // pos-back to temp
	MOVQ TEMP, MATCHEND
	MOVQ POS, LITERALS
	SUBQ BACK, LITERALS
	SUBQ LITERALS, TEMP
	SUBQ $4, TEMP
	SUBQ ANCHOR, LITERALS

	MOVQ LITERALS, WORD    // room for all of it and 64 bytes more?
	SHRQ $7, WORD
	ADDQ LITERALS, WORD
	ADDQ OUT, WORD
	MOVQ TEMP, BACK
	SHRQ $7, BACK
	LEAQ 80(WORD)(BACK*1), WORD
	SUBQ dst_base+16(FP), WORD
	CMPQ WORD, dst_len+24(FP)
	JGT  atRoom

	ADDQ SRC, ANCHOR
	VMOVDQU (ANCHOR), X0
	VMOVDQU X0, 1(OUT)
	MOVQ OUT, BACK         // the token
	SUBQ BEHIND, SRC       // the distance, for a moment
	CMPL LITERALS, $15
	JAE  manyLiterals
	LEAQ 1(OUT)(LITERALS*1), OUT
	SHLL $4, LITERALS
literalsDone:
	MOVW SRC, (OUT)
	ADDQ BEHIND, SRC
	ADDQ $2, OUT
	MOVQ MATCHEND, POS
	MOVQ MATCHEND, ANCHOR
	CMPL TEMP, $15
	JAE  longMatch
	ORL  TEMP, LITERALS
	MOVB LITERALS, (BACK)
