//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define SRC      SI
#define OUT      DI
#define TABLE    R8
#define BASE     R9
#define POS      R10
#define STEP     R11
#define LONGER   R12 // the position from which on steps are longer
#define ANCHOR   R13
#define SHIFT    R14
#define BEHIND   R15 // src less the distance of the match; else a temporary
#define END      BP  // of the match; else a temporary
#define TEMP     AX
#define WORD     BX
#define SLOT     CX
#define KNOWN    DX  // a position with the same hash; then the distance
#define COUNT    CX  // of literals

#define MATCHEND END // see measure_avx2_amd64.h
#define LEFT     1   // bytes that a match leaves at the end of the source
#define RUNEND   END // see runs255_avx2_amd64.h

#define START 0(SP)
#define E     e+0(FP)

// The slot of WORD.
#define HASH \
	IMUL3L $-1640531535, WORD, SLOT; \
	SHRXL SHIFT, SLOT, SLOT

// Inserts POS less BEFORE into the table.
#define ENTER(BEFORE) \
	MOVL -BEFORE(SRC)(POS*1), WORD; \
	HASH; \
	LEAL -BEFORE(BASE)(POS*1), TEMP; \
	MOVL TEMP, (TABLE)(SLOT*4)

// func encodeBloscAVX2(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)
TEXT ·encodeBloscAVX2(SB), NOSPLIT, $8-72
	MOVQ E, TEMP
	MOVL BloscEncoder_Base(TEMP), BASE
	MOVL BloscEncoder_Shift(TEMP), SHIFT
	MOVQ BloscEncoder_Anchor(TEMP), ANCHOR
	MOVQ BloscEncoder_Pos(TEMP), POS
	MOVQ dst_base+16(FP), OUT
	ADDQ BloscEncoder_Out(TEMP), OUT
	MOVQ table+8(FP), TABLE
	MOVQ src_base+40(FP), SRC

fresh: // a search begins at POS
	MOVQ E, TEMP
	MOVQ BloscEncoder_Skip(TEMP), SLOT
	MOVL $1, STEP
	SHLXQ SLOT, STEP, LONGER
	ADDQ POS, LONGER
	MOVQ POS, START

	PCALIGN $32
search:
	CMPQ POS, limit+64(FP)
	JGE  atLimit
	MOVL (SRC)(POS*1), WORD
	HASH
	MOVL (TABLE)(SLOT*4), KNOWN
	LEAL (BASE)(POS*1), TEMP
	MOVL TEMP, (TABLE)(SLOT*4)
	SUBL BASE, KNOWN
	MOVL KNOWN, TEMP
	SARL $31, TEMP
	ANDNL KNOWN, TEMP, KNOWN // 0 if it is of an earlier source
	CMPL (SRC)(KNOWN*1), WORD
	JEQ  found
next:
	CMPQ POS, LONGER
	JGE  longer
	ADDQ STEP, POS
	JMP  search

longer:
	MOVQ E, TEMP
	CMPQ STEP, BloscEncoder_Most(TEMP)
	JGE  longest
	MOVQ BloscEncoder_Skip(TEMP), SLOT
	MOVL $1, TEMP
	SHLXQ SLOT, TEMP, TEMP
	ADDQ TEMP, LONGER
	INCQ STEP
	ADDQ STEP, POS
	JMP  search
longest:
	MOVQ $0x7fffffffffffffff, LONGER
	ADDQ STEP, POS
	JMP  search

found:
	NEGQ KNOWN
	ADDQ POS, KNOWN
	CMPQ KNOWN, $73727
	JGT  next
	MOVQ SRC, BEHIND
	SUBQ KNOWN, BEHIND

#include "measure_avx2_amd64.h"

measured: // POS to TEMP, of which the last byte is left off
	LEAQ -1(TEMP), END
	MOVQ END, TEMP
	SUBQ POS, TEMP
	CMPQ TEMP, $8
	JLT  short

take: // TEMP bytes, from KNOWN before
	MOVQ POS, COUNT
	SUBQ ANCHOR, COUNT
	MOVQ COUNT, WORD // room for all of it and 64 bytes more?
	SHRQ $5, WORD
	ADDQ COUNT, WORD
	ADDQ OUT, WORD
	MOVQ TEMP, BEHIND
	SHRQ $7, BEHIND
	LEAQ 80(WORD)(BEHIND*1), WORD
	SUBQ dst_base+16(FP), WORD
	CMPQ WORD, dst_len+24(FP)
	JGT  atRoom

	ADDQ SRC, ANCHOR
	SUBQ $32, COUNT
	JGE  run32
runRest:
	ADDQ $31, COUNT
	JLT  runsDone
	VMOVDQU (ANCHOR), Y0
	MOVB COUNT, (OUT)
	VMOVDQU Y0, 1(OUT)
	LEAQ 2(OUT)(COUNT*1), OUT
runsDone:
	MOVQ END, POS
	MOVQ END, ANCHOR
	SUBL $2, TEMP            // the length field
	DECL KNOWN               // the distance field
	MOVL KNOWN, WORD
	CMPL KNOWN, $8191
	JGE  far
	SHRL $8, WORD
	CMPL TEMP, $7
	JGE  long
	SHLL $5, TEMP
	ORL  WORD, TEMP
	MOVB TEMP, (OUT)
	MOVB KNOWN, 1(OUT)
	ADDQ $2, OUT

matched:
	CMPQ POS, limit+64(FP)
	JGE  atMatched
	ENTER(2)
	MOVQ E, TEMP
	CMPQ BloscEncoder_Twice(TEMP), $0
	JEQ  fresh
	ENTER(1)
	JMP  fresh

short: // up to 7 bytes
	CMPQ TEMP, $6
	JLT  refuse
	CMPQ KNOWN, $8191
	JLE  take
refuse:
	INCQ POS
	JMP  fresh

run32:
	MOVB $31, (OUT)
	VMOVDQU (ANCHOR), Y0
	VMOVDQU Y0, 1(OUT)
	ADDQ $32, ANCHOR
	ADDQ $33, OUT
	SUBQ $32, COUNT
	JGE  run32
	JMP  runRest

far:
	SUBL $8191, KNOWN
	MOVL $31, WORD
	CMPL TEMP, $7
	JGE  longFar
	SHLL $5, TEMP
	ORL  WORD, TEMP
	MOVB TEMP, (OUT)
	INCQ OUT
	JMP  farDistance

longFar:
	ORL  $0xe0, WORD
	MOVB WORD, (OUT)
	INCQ OUT
	SUBL $7, TEMP
longFar255:
	CMPL TEMP, $255
	JLT  longFarRest
	MOVB $255, (OUT)
	INCQ OUT
	SUBL $255, TEMP
	JMP  longFar255
longFarRest:
	MOVB TEMP, (OUT)
	INCQ OUT
farDistance:
	MOVB $255, (OUT)
	MOVB KNOWN, 2(OUT)
	SHRL $8, KNOWN
	MOVB KNOWN, 1(OUT)
	ADDQ $3, OUT
	JMP  matched

long:
	ORL  $0xe0, WORD
	MOVB WORD, (OUT)
	INCQ OUT
	SUBL $7, TEMP
	CMPL TEMP, $255
	JLT  longRest
#include "runs255_avx2_amd64.h"
longRest:
	MOVB TEMP, (OUT)
	MOVB KNOWN, 1(OUT)
	ADDQ $2, OUT
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
	MOVQ E, WORD
	MOVQ TEMP, BloscEncoder_Stage(WORD)
	MOVQ ANCHOR, BloscEncoder_Anchor(WORD)
	SUBQ dst_base+16(FP), OUT
	MOVQ OUT, BloscEncoder_Out(WORD)
	MOVQ POS, BloscEncoder_Pos(WORD)
	MOVQ START, TEMP
	MOVQ TEMP, BloscEncoder_Start(WORD)
	MOVQ KNOWN, BloscEncoder_Distance(WORD)
	RET
