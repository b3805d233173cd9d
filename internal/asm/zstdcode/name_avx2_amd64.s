//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of nameGeneric. Which repeated distance a match has is not predictable, so that is
// decided without branches.

#define MATCH  SI
#define TO     DI
#define CODES  R8
#define COUNTS R9
#define R0     R10
#define R1     R11
#define R2     R12
#define NEW1   R13
#define NEW2   R14
#define MASK   R15 // all ones if there are no literals
#define LITS   AX
#define LENGTH BX
#define BITS   CX
#define VALUE  DX
#define TEMP   BP
#define EXTRA  R13 // later
#define MORE   R14

#define TOEND 0(SP)

// func nameAVX2(to []Sequence, matches *Match, codes *Codes, counts *Counts, repeat *[3]uint32)
TEXT ·nameAVX2(SB), NOSPLIT, $8-56
	MOVQ to_base+0(FP), TO
	MOVQ to_len+8(FP), AX
	SHLQ $4, AX
	ADDQ TO, AX
	MOVQ AX, TOEND
	MOVQ matches+24(FP), MATCH
	MOVQ codes+32(FP), CODES
	MOVQ counts+40(FP), COUNTS
	MOVQ repeat+48(FP), AX
	MOVL (AX), R0
	MOVL 4(AX), R1
	MOVL 8(AX), R2

loop:
	MOVL const_matchLiterals(MATCH), LITS
	MOVL const_matchDistance(MATCH), BITS
	CMPL LITS, $1
	SBBL MASK, MASK
	LEAL 3(BITS), VALUE
	MOVL $3, TEMP
	LEAL (R0)(MASK*1), NEW1
	CMPL BITS, NEW1
	CMOVLEQ TEMP, VALUE
	LEAL 3(MASK), TEMP
	CMPL BITS, R2
	CMOVLEQ TEMP, VALUE
	LEAL 2(MASK), TEMP
	MOVL R1, NEW2
	CMPL BITS, R1
	CMOVLEQ TEMP, VALUE
	CMOVLEQ R2, NEW2
	MOVL R0, NEW1
	MOVL $1, TEMP
	ORL  R0, MASK
	CMPL BITS, MASK
	CMOVLEQ TEMP, VALUE
	CMOVLEQ R1, NEW1
	CMOVLEQ R2, NEW2
	MOVL BITS, R0
	MOVL NEW1, R1
	MOVL NEW2, R2

	CMPL LITS, $const_ShortLiterals
	JAE  manyLiterals
	MOVWLZX Codes_Literal(CODES)(LITS*2), TEMP

literals:
	MOVBLZX TEMP, BITS
	INCL Counts_Literal(COUNTS)(BITS*4)
	MOVB BITS, Sequence_Literal(TO)
	SHRL $8, TEMP
	BZHIL TEMP, LITS, EXTRA

	MOVL const_matchLength(MATCH), LENGTH
	SUBL $3, LENGTH
	CMPL LENGTH, $const_ShortMatches
	JAE  longMatch
	MOVWLZX Codes_Match(CODES)(LENGTH*2), MORE

lengths:
	MOVBLZX MORE, BITS
	INCL Counts_Match(COUNTS)(BITS*4)
	MOVB BITS, Sequence_Match(TO)
	SHRL $8, MORE
	BZHIL MORE, LENGTH, LENGTH
	SHLXQ TEMP, LENGTH, LENGTH
	ORQ  LENGTH, EXTRA
	ADDL MORE, TEMP

	BSRL VALUE, BITS
	INCL Counts_Offset(COUNTS)(BITS*4)
	MOVB BITS, Sequence_Offset(TO)
	BZHIL BITS, VALUE, VALUE
	SHLXQ TEMP, VALUE, VALUE
	ORQ  VALUE, EXTRA
	ADDL BITS, TEMP
	MOVB TEMP, Sequence_Bits(TO)
	MOVQ EXTRA, Sequence_Extra(TO)

	ADDQ $const_matchSize, MATCH
	ADDQ $Sequence__size, TO
	CMPQ TO, TOEND
	JB   loop

	MOVQ repeat+48(FP), AX
	MOVL R0, (AX)
	MOVL R1, 4(AX)
	MOVL R2, 8(AX)
	RET

manyLiterals:
	BSRL  LITS, TEMP
	IMULL $257, TEMP
	ADDL  $const_longLiterals, TEMP
	JMP   literals

longMatch:
	BSRL  LENGTH, MORE
	IMULL $257, MORE
	ADDL  $const_longMatches, MORE
	JMP   lengths
