//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC      R0
#define OUT      R1
#define TABLE    R2
#define LIMIT    R3
#define POS      R4
#define STEP     R5
#define LONGER   R6  // the position from which on steps are longer
#define ANCHOR   R7
#define DISTANCE R8
#define START    R9  // of the search
#define END      R10 // of the match
#define WORD     R11
#define SLOT     R12
#define TEMP     R13
#define OTHER    R14
#define COUNT    R15 // of literals
#define LENGTH   R16 // of the match
#define SRCEND   R17 // a match leaves one byte
#define OUTLAST  R19 // OUT and room for a match must be below
#define BASE     R20
#define SHIFT    R21
#define MULTIPLY R22
#define FARTHEST R23
#define PERIOD   R24 // positions until the step grows
#define MOST     R25
#define TWICE    R26

// See measure_neon_arm64.h and runs255_neon_arm64.h.
#define LEFT     1
#define MATCHEND END
#define SPARE    COUNT
#define SPARE2   LENGTH
#define REST     LENGTH
#define RUNEND   END

// The slot of WORD.
#define HASH \
	MULW MULTIPLY, WORD, SLOT; \
	LSRW SHIFT, SLOT, SLOT

// Inserts POS less BEFORE into the table.
#define ENTER(BEFORE) \
	SUB   $BEFORE, POS, TEMP; \
	MOVWU (SRC)(TEMP), WORD; \
	HASH; \
	ADDW  BASE, TEMP; \
	MOVW  TEMP, (TABLE)(SLOT<<2)

// func encodeBloscNEON(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)
TEXT ·encodeBloscNEON(SB), NOSPLIT, $0-72
	MOVD  e+0(FP), TEMP
	MOVWU BloscEncoder_Base(TEMP), BASE
	MOVWU BloscEncoder_Shift(TEMP), SHIFT
	MOVD  BloscEncoder_Skip(TEMP), OTHER
	MOVD  $1, PERIOD
	LSL   OTHER, PERIOD
	MOVD  BloscEncoder_Most(TEMP), MOST
	MOVD  BloscEncoder_Twice(TEMP), TWICE
	MOVD  BloscEncoder_Anchor(TEMP), ANCHOR
	MOVD  BloscEncoder_Pos(TEMP), POS
	MOVD  BloscEncoder_Out(TEMP), OUT
	MOVD  dst_base+16(FP), OUTLAST
	ADD   OUTLAST, OUT
	MOVD  dst_len+24(FP), OTHER
	ADD   OTHER, OUTLAST
	MOVD  table+8(FP), TABLE
	MOVD  src_base+40(FP), SRC
	MOVD  src_len+48(FP), SRCEND
	ADD   SRC, SRCEND
	SUB   $1, SRCEND
	MOVD  limit+64(FP), LIMIT
	MOVD  $0x9e3779b1, MULTIPLY
	MOVD  $73727, FARTHEST
	MOVD  $0, DISTANCE

fresh: // a search begins at POS
	MOVD $1, STEP
	ADD  PERIOD, POS, LONGER
	MOVD POS, START

	PCALIGN $16
search:
	CMP   LIMIT, POS
	BGE   atLimit
	MOVWU (SRC)(POS), WORD
	HASH
	MOVWU (TABLE)(SLOT<<2), OTHER
	ADDW  BASE, POS, TEMP
	MOVW  TEMP, (TABLE)(SLOT<<2)
	SUBW  BASE, OTHER
	BICW  OTHER->31, OTHER // 0 if it is of an earlier source
	MOVWU (SRC)(OTHER), TEMP
	CMPW  TEMP, WORD
	BEQ   found
next:
	CMP LONGER, POS
	BGE longer
	ADD STEP, POS
	B   search

longer:
	CMP MOST, STEP
	BGE longest
	ADD PERIOD, LONGER
	ADD $1, STEP
	ADD STEP, POS
	B   search
longest:
	MOVD $0x7fffffffffffffff, LONGER
	ADD  STEP, POS
	B    search

found:
	SUB OTHER, POS, DISTANCE
	CMP FARTHEST, DISTANCE
	BGT next

#include "measure_neon_arm64.h"

measured: // POS to TEMP, of which the last byte is left off
	SUB SRC, TEMP, END
	SUB $1, END
	SUB POS, END, LENGTH
	CMP $8, LENGTH
	BLT short

take:
	SUB ANCHOR, POS, COUNT
	ADD COUNT>>5, COUNT, WORD // room for all of it and 64 bytes more?
	ADD LENGTH>>7, WORD
	ADD $80, WORD
	ADD OUT, WORD
	CMP OUTLAST, WORD
	BHI atRoom

	ADD  SRC, ANCHOR
	SUBS $32, COUNT
	BGE  run32
runRest:
	ADDS  $31, COUNT
	BLT   runsDone
	FLDPQ (ANCHOR), (F0, F1)
	MOVB.P COUNT, 1(OUT)
	FSTPQ (F0, F1), (OUT)
	ADD   COUNT, OUT
	ADD   $1, OUT
runsDone:
	MOVD END, POS
	MOVD END, ANCHOR
	SUB  $2, LENGTH   // the length field
	SUB  $1, DISTANCE // the distance field
	MOVD $8191, TEMP
	CMP  TEMP, DISTANCE
	BGE  far
	LSR  $8, DISTANCE, WORD
	CMP  $7, LENGTH
	BGE  long
	ORR  LENGTH<<5, WORD
	MOVB WORD, (OUT)
	MOVB DISTANCE, 1(OUT)
	ADD  $2, OUT

matched:
	CMP LIMIT, POS
	BGE atMatched
	ENTER(2)
	CBZ TWICE, fresh
	ENTER(1)
	B   fresh

short: // up to 7 bytes
	CMP  $6, LENGTH
	BLT  refuse
	MOVD $8191, TEMP
	CMP  TEMP, DISTANCE
	BLE  take
refuse:
	ADD $1, POS
	B   fresh

run32:
	MOVD $31, WORD
	MOVB.P WORD, 1(OUT)
	FLDPQ (ANCHOR), (F0, F1)
	FSTPQ (F0, F1), (OUT)
	ADD   $32, ANCHOR
	ADD   $32, OUT
	SUBS  $32, COUNT
	BGE   run32
	B     runRest

far:
	SUB $8191, DISTANCE
	CMP $7, LENGTH
	BGE longFar
	LSL $5, LENGTH
	ORR $31, LENGTH
	MOVB.P LENGTH, 1(OUT)
	B   farDistance

longFar:
	MOVD   $255, WORD
	MOVB.P WORD, 1(OUT)
	SUB    $7, LENGTH
longFar255:
	CMP    $255, LENGTH
	BLT    longFarRest
	MOVB.P WORD, 1(OUT)
	SUB    $255, LENGTH
	B      longFar255
longFarRest:
	MOVB.P LENGTH, 1(OUT)
farDistance:
	MOVD $255, WORD
	MOVB WORD, (OUT)
	MOVB DISTANCE, 2(OUT)
	LSR  $8, DISTANCE
	MOVB DISTANCE, 1(OUT)
	ADD  $3, OUT
	B    matched

long:
	ORR    $0xe0, WORD
	MOVB.P WORD, 1(OUT)
	SUB    $7, LENGTH
	CMP    $255, LENGTH
	BLT    longRest
#include "runs255_neon_arm64.h"
longRest:
	MOVB LENGTH, (OUT)
	MOVB DISTANCE, 1(OUT)
	ADD  $2, OUT
	B    matched

#include "measurebytes_neon_arm64.h"

atRoom:
	MOVD $const_Found, TEMP
	B    leave
atLimit:
	MOVD $const_Searching, TEMP
	B    leave
atMatched:
	MOVD $const_Matched, TEMP
leave:
	MOVD e+0(FP), WORD
	MOVD TEMP, BloscEncoder_Stage(WORD)
	MOVD ANCHOR, BloscEncoder_Anchor(WORD)
	MOVD dst_base+16(FP), TEMP
	SUB  TEMP, OUT
	MOVD OUT, BloscEncoder_Out(WORD)
	MOVD POS, BloscEncoder_Pos(WORD)
	MOVD START, BloscEncoder_Start(WORD)
	MOVD DISTANCE, BloscEncoder_Distance(WORD)
	RET
