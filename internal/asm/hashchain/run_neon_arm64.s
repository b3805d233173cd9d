//go:build !purego

#include "textflag.h"
#include "go_asm.h"

#define S        R0
#define LINKS    R1
#define END      R2  // matches end here at most
#define POS      R3
#define LOW      R4  // they start here at least
#define LENGTH   R5  // of the best one
#define AT       R6  // the next earlier position
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
#define SRC      R19
#define MASK     R20
#define LINK     R21 // of AT
#define NOW      R22 // the earlier position that may match
#define NICE     R23

// func runNEON(s *Search)
TEXT ·runNEON(SB), NOSPLIT, $0-8
	MOVD  s+0(FP), S
	MOVD  Search_Src(S), SRC
	MOVD  Search_Links(S), LINKS
	MOVD  Search_Links+8(S), MASK
	SUB   $1, MASK
	MOVD  Search_Pos(S), POS
	MOVD  Search_Low(S), LOW
	MOVD  Search_End(S), END
	MOVD  Search_Length(S), LENGTH
	MOVD  Search_Nice(S), NICE
	MOVD  Search_At(S), AT
	MOVD  Search_Oldest(S), OLDEST
	MOVD  Search_Depth(S), LEFT
	MOVWU (SRC)(POS), WORD

better:
	ADD   LENGTH, LOW, SKEWED
	SUB   $3, SKEWED
	SUB   POS, SKEWED
	ADD   SRC, SKEWED
	MOVWU (SKEWED)(POS), TAIL

	PCALIGN $16
look:
	CMP   OLDEST, AT
	BLT   done
	AND   MASK, AT, LINK
	MOVHU (LINKS)(LINK<<1), LINK
	SUBS  $1, LEFT
	BLT   done
	MOVD  AT, NOW
	SUB   LINK, AT
	MOVWU (SKEWED)(NOW), TEMP
	CMPW  TAIL, TEMP
	BNE   look
	MOVWU (SRC)(NOW), TEMP
	CMPW  WORD, TEMP
	BNE   look
	SUB   NOW, POS, DISTANCE
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
	BLE  look
	MOVD POS, START
back8:
	CMP  LOW, START
	BLE  backDone
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
	BLE  look
	MOVD TEMP, LENGTH
	MOVD START, Search_Start(S)
	MOVD LENGTH, Search_Length(S)
	MOVD DISTANCE, Search_Distance(S)
	CMP  NICE, LENGTH
	BGE  done
	CMP  END, STOP
	BNE  better

done:
	RET
