//go:build !purego

#include "textflag.h"

#define SRC      R0
#define LINKS    R1
#define END      R2  // matches end here at most
#define POS      R3
#define LOW      R4  // they start here at least
#define LENGTH   R5  // of the best one
#define AT       R6  // the earlier position
#define OLDEST   R7
#define LEFT     R8  // positions to look at
#define STOP     R9  // end of a match
#define WORD     R10 // the bytes at POS
#define TAIL     R11 // those where a longer match has to agree
#define SKEWED   R12 // src plus how far from POS they are
#define START    R13 // of a match
#define TEMP     R14
#define OTHER    R15
#define FROM     R16 // a place in the earlier bytes
#define DISTANCE R17
#define FIRST    R19 // results
#define LONGEST  R20
#define AWAY     R21

// func longestNEON(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int)
// (start, longest, distance int)
TEXT ·longestNEON(SB), NOSPLIT, $0-104
	MOVD src_base+0(FP), SRC
	MOVD links+24(FP), LINKS
	MOVD end+32(FP), END
	MOVD pos+40(FP), POS
	MOVD low+48(FP), LOW
	MOVD length+56(FP), LENGTH
	MOVD at+64(FP), AT
	MOVD depth+72(FP), LEFT
	MOVD $0, FIRST
	MOVD $0, LONGEST
	MOVD $0, AWAY
	MOVD $65535, TEMP
	SUBS TEMP, POS, OLDEST
	CSEL LT, ZR, OLDEST, OLDEST
	MOVWU (SRC)(POS), WORD

better:
	ADD   LENGTH, LOW, SKEWED
	SUB   $3, SKEWED
	SUB   POS, SKEWED
	ADD   SRC, SKEWED
	MOVWU (SKEWED)(POS), TAIL
	CBNZ  LONGEST, follow

	PCALIGN $16
look:
	CMP   OLDEST, AT
	BLT   done
	SUBS  $1, LEFT
	BLT   done
	MOVWU (SKEWED)(AT), TEMP
	CMPW  TAIL, TEMP
	BEQ   candidate
follow:
	AND   $0xffff, AT, TEMP
	MOVHU (LINKS)(TEMP<<1), TEMP
	SUB   TEMP, AT
	B     look

candidate:
	MOVWU (SRC)(AT), TEMP
	CMPW  WORD, TEMP
	BNE   follow
	SUB   AT, POS, DISTANCE
	ADD   $4, POS, STOP
	SUB   $8, END, START
forward8:
	CMP  START, STOP
	BGT  forward1
	MOVD (SRC)(STOP), TEMP
	SUB  DISTANCE, STOP, FROM
	MOVD (SRC)(FROM), OTHER
	EOR  OTHER, TEMP
	CBNZ TEMP, differ
	ADD  $8, STOP
	B    forward8
differ:
	RBIT TEMP, TEMP
	CLZ  TEMP, TEMP
	ADD  TEMP>>3, STOP
	B    forwardDone
forward1:
	CMP   END, STOP
	BGE   forwardDone
	MOVBU (SRC)(STOP), TEMP
	SUB   DISTANCE, STOP, FROM
	MOVBU (SRC)(FROM), OTHER
	CMP   OTHER, TEMP
	BNE   forwardDone
	ADD   $1, STOP
	B     forward1

forwardDone: // too short, even if it starts at LOW?
	SUB  LOW, STOP, START
	CMP  LENGTH, START
	BLE  follow
	MOVD POS, START
back8:
	SUB  DISTANCE, START, FROM
	CMP  $8, FROM
	BLT  back1
	ADD  SRC, FROM
	ADD  SRC, START, TEMP
	MOVD -8(TEMP), TEMP
	MOVD -8(FROM), OTHER
	EOR  OTHER, TEMP
	CLZ  TEMP, TEMP // 64 if all are equal
	LSR  $3, TEMP
	SUB  TEMP, START
	CMP  LOW, START
	BLE  backLow
	CMP  $8, TEMP
	BEQ  back8
	B    backDone
backLow:
	MOVD LOW, START
	B    backDone
back1:
	CMP   LOW, START
	BLE   backDone
	SUBS  DISTANCE, START, FROM
	BEQ   backDone
	ADD   SRC, FROM
	MOVBU -1(FROM), OTHER
	ADD   SRC, START, TEMP
	MOVBU -1(TEMP), TEMP
	CMP   OTHER, TEMP
	BNE   backDone
	SUB   $1, START
	B     back1

backDone:
	SUB  START, STOP, TEMP
	CMP  LENGTH, TEMP
	BLE  follow
	MOVD TEMP, LENGTH
	MOVD TEMP, LONGEST
	MOVD START, FIRST
	MOVD DISTANCE, AWAY
	CMP  END, STOP
	BNE  better

done:
	MOVD FIRST, start+80(FP)
	MOVD LONGEST, longest+88(FP)
	MOVD AWAY, distance+96(FP)
	RET
