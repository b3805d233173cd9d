// What encoders do with a match, POS with MATCH: it is extended to both sides and written, with the
// literals before it. POS and ANCHOR are behind it then, and what follows here is reached.

	ADD  SRC, POS, TEMP
	SUB  POS, MATCH, DISTANCE
	ADD  SRC, DISTANCE, BEHIND
	NEG  DISTANCE, DISTANCE
	MOVD $0, BACK
	CMP  $8, MATCH
	BLO  backBytes
	MOVD -8(TEMP), WORD
	SUB  DISTANCE, TEMP, OTHER
	MOVD -8(OTHER), OTHER
	EOR  OTHER, WORD
	CLZ  WORD, BACK // 64 if all eight are equal
	LSR  $3, BACK
	SUB  ANCHOR, POS, LITERALS
	CMP  BACK, LITERALS
	CSEL LT, LITERALS, BACK, BACK
	CMP  $8, BACK
	BEQ  backBytes

#include "measure_neon_arm64.h"

measured: // pos-back to temp
	SUB  SRC, TEMP, MATCHEND
	SUB  BACK, POS, LITERALS
	SUB  LITERALS, MATCHEND, TEMP
	SUB  $4, TEMP
	SUB  ANCHOR, LITERALS

	ADD  LITERALS>>7, LITERALS, WORD // room for all of it and 64 bytes more?
	ADD  TEMP>>7, WORD
	ADD  $80, WORD
	ADD  OUT, WORD
	CMP  OUTLAST, WORD
	BHI  atRoom

	ADD   SRC, ANCHOR
	FMOVQ (ANCHOR), F0
	FMOVQ F0, 1(OUT)
	MOVD  OUT, BACK
	CMP   $15, LITERALS
	BHS   manyLiterals
	ADD   LITERALS, OUT
	ADD   $1, OUT
	LSL   $4, LITERALS
literalsDone:
	MOVH.P DISTANCE, 2(OUT)
	MOVD   MATCHEND, POS
	MOVD   MATCHEND, ANCHOR
	CMP    $15, TEMP
	BHS    longMatch
	ORR    TEMP, LITERALS
	MOVB   LITERALS, (BACK)
