// The rarer parts of lz4sequence_neon_arm64.h, and how encoders end. They need the label matched,
// where a sequence has been written.

backBytes: // within the first bytes of the source, or far back
	SUB   BACK, POS, TEMP
	CMP   ANCHOR, TEMP
	BLE   measure
	CMP   BACK, MATCH
	BEQ   measure
	ADD   SRC, TEMP
	MOVBU -1(TEMP), WORD
	SUB   DISTANCE, TEMP
	MOVBU -1(TEMP), OTHER
	CMP   OTHER, WORD
	BNE   measure
	ADD   $1, BACK
	B     backBytes

#include "measurebytes_neon_arm64.h"

manyLiterals: // the token has been left room for
	ADD $1, OUT
	SUB $15, LITERALS, WORD
	MOVD $255, OTHER
literals255:
	CMP    $255, WORD
	BLO    literalsRest
	MOVB.P OTHER, 1(OUT)
	SUB    $255, WORD
	B      literals255
literalsRest:
	MOVB.P WORD, 1(OUT)
	ADD    OUT, LITERALS // where the copy ends
literals32:
	FLDPQ (ANCHOR), (F0, F1)
	FSTPQ (F0, F1), (OUT)
	ADD   $32, ANCHOR
	ADD   $32, OUT
	CMP   LITERALS, OUT
	BLO   literals32
	MOVD  LITERALS, OUT
	MOVD  $0xf0, LITERALS
	B     literalsDone

longMatch:
	ORR  $15, LITERALS
	MOVB LITERALS, (BACK)
	SUB  $15, TEMP
	CMP  $255, TEMP
	BLO  lengthRest
#include "runs255_neon_arm64.h"
lengthRest:
	MOVB.P TEMP, 1(OUT)
	B      matched

atRoom:
	MOVD $const_Found, TEMP
	B    leave
atLimit:
	MOVD $const_Searching, TEMP
	B    leave
atMatched:
	MOVD $const_Matched, TEMP
leave:
	MOVD c+0(FP), WORD
	MOVD TEMP, Cursor_Stage(WORD)
	MOVD ANCHOR, Cursor_Anchor(WORD)
	MOVD dst_base+16(FP), TEMP
	SUB  TEMP, OUT
	MOVD OUT, Cursor_Out(WORD)
	MOVD POS, Cursor_Pos(WORD)
	MOVD MATCH, Cursor_Match(WORD)
	MOVD STEP, Cursor_Step(WORD)
	MOVD ATTEMPT, Cursor_Attempt(WORD)
	RET
