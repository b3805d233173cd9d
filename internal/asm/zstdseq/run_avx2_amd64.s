//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of generic.go, with the shifts of BMI2 and copies of 16 and 32 bytes. The names are
// those of the Go code. Arithmetic units are scarcer than loads, so the parts of an entry are
// loaded one by one rather than shifted out of a register.
//
// HAVE is the number of unread bits in W less 64, so it is negative. While bits are read, POS is in
// bytes. Shift counts are never masked: SHRX uses only the lowest 6 bits of its count, and BZHI the
// lowest 8.

#define S        R8
#define OUT      DI
#define LIT      SI
#define LITERAL  R9
#define MATCH    R10
#define OFFSET   R11
#define POS      R12
#define BASE     R13
#define W        R14
#define HAVE     R15
#define LITLEN   CX
#define MATCHLEN BX
#define DISTANCE DX

// The last distances: the latest is in the lowest of the first three lanes.
#define REPEAT X15

// In execute, W, HAVE and two more have other names.
#define END    W
#define LITEND HAVE
#define FROM   AX
#define BACK   BP

#define OUTLIMIT 0(SP)
#define LITLIMIT 8(SP)
#define ONE      16(SP)
#define ORDERS   24 // four of four bytes each

// Parts of the entry with a number.
#define STATEBITS(TABLE, I) (TABLE+0)(S)(I*8)
#define EXTRA(TABLE, I)     (TABLE+1)(S)(I*8)
#define FIRST(TABLE, I)     (TABLE+2)(S)(I*8)
#define LEAST(TABLE, I)     (TABLE+4)(S)(I*8)

// Loads the eight bytes that end with the byte of bit HAVE, the number of which is AT afterwards.
#define LOAD(AT) \
	MOVQ HAVE, AT; \
	SHRQ $3, AT; \
	MOVQ (BASE)(AT*1), W; \
	ORQ  $-8, HAVE

// The inverse of LOAD, after bits were read.
#define UNLOAD() \
	LEAQ  8(HAVE)(POS*8), POS; \
	TESTQ POS, POS; \
	JS    corrupt

// R = the next n bits, n being the low byte of N.
#define READ(N, R) \
	SUBQ  N, HAVE; \
	SHRXQ HAVE, W, R; \
	BZHIQ N, R, R

// The lengths; MATCHLEN and LITLEN contain their numbers of bits.
#define LENGTHS() \
	SUBQ  MATCHLEN, HAVE; \
	SHRXQ HAVE, W, BP; \
	BZHIQ MATCHLEN, BP, MATCHLEN; \
	ADDL  LEAST(State_Match, MATCH), MATCHLEN; \
	SUBQ  LITLEN, HAVE; \
	SHRXQ HAVE, W, BP; \
	BZHIQ LITLEN, BP, LITLEN; \
	ADDL  LEAST(State_Literal, LITERAL), LITLEN

// The next state of one of the three.
#define NEXT(I, TABLE) \
	MOVBLZX STATEBITS(TABLE, I), AX; \
	MOVWLZX FIRST(TABLE, I), I; \
	READ(AX, BP); \
	ADDQ    BP, I

// func runAVX2(s *State) Status
TEXT ·runAVX2(SB), NOSPLIT, $40-16
	MOVQ    s+0(FP), S
	MOVQ    State_Bits(S), BASE
	ADDQ    State_From(S), BASE
	SUBQ    $7, BASE
	MOVQ    State_Pos(S), POS
	MOVQ    State_Dst(S), OUT
	MOVQ    State_Dst+8(S), AX
	LEAQ    -const_Slack(OUT)(AX*1), AX
	MOVQ    AX, OUTLIMIT
	ADDQ    State_Out(S), OUT
	MOVQ    State_Lits(S), LIT
	MOVQ    State_Lits+8(S), AX
	ADDQ    LIT, AX
	MOVQ    AX, LITLIMIT
	ADDQ    State_Lit(S), LIT
	MOVQ    State_literalAt(S), LITERAL
	MOVQ    State_matchAt(S), MATCH
	MOVQ    State_offsetAt(S), OFFSET
	VMOVD   State_Repeat+0(S), REPEAT
	VPINSRD $1, State_Repeat+8(S), REPEAT, REPEAT
	VPINSRD $2, State_Repeat+16(S), REPEAT, REPEAT
	MOVQ    $1, ONE

	// How lanes move when the latest distance is used, the one before, the one before that, and a
	// new one, which is in the last lane.
	MOVL $0x03020100, ORDERS+0(SP)
	MOVL $0x03020001, ORDERS+4(SP)
	MOVL $0x03010002, ORDERS+8(SP)
	MOVL $0x03010003, ORDERS+12(SP)
	CMPQ State_Left(S), $0
	JLE  done

loop:
	MOVQ    POS, HAVE
	LOAD(POS)
	MOVBLZX EXTRA(State_Offset, OFFSET), DISTANCE
	MOVBLZX EXTRA(State_Match, MATCH), MATCHLEN
	MOVBLZX EXTRA(State_Literal, LITERAL), LITLEN
	MOVLQSX LEAST(State_Offset, OFFSET), AX
	SUBQ    DISTANCE, HAVE
	SHRXQ   HAVE, W, BP
	BZHIQ   DISTANCE, BP, DISTANCE
	ADDQ    AX, DISTANCE
	LENGTHS()

	// The next states take up to 27 bits.
	CMPQ HAVE, $(27-64)
	JLT  reload

states:
	DECQ State_Left(S)
	JZ   read
	NEXT(LITERAL, State_Literal)
	NEXT(MATCH, State_Match)
	NEXT(OFFSET, State_Offset)

read:
	UNLOAD()
	MOVQ DISTANCE, HAVE
	ORQ  LITLEN, HAVE
	JZ   lessOne

repeat:
	// DISTANCE is -2, -1 or 0 for the latest distance, the one before, and the one before that;
	// without literals it is one more. There are no branches because they would be unpredictable.
	XORL      HAVE, HAVE
	CMPQ      LITLEN, $1
	ADCQ      DISTANCE, HAVE
	CMPQ      HAVE, $1
	CMOVQGT   ONE, HAVE
	VPINSRD   $3, DISTANCE, REPEAT, REPEAT
	VPMOVZXBD (ORDERS+8)(SP)(HAVE*4), X0
	VPERMILPS X0, REPEAT, REPEAT
	VMOVD     REPEAT, DISTANCE

execute:
	LEAQ (OUT)(LITLEN*1), FROM
	LEAQ (FROM)(MATCHLEN*1), END
	CMPQ END, OUTLIMIT
	JHI  pending
	LEAQ (LIT)(LITLEN*1), LITEND
	CMPQ LITEND, LITLIMIT
	JHI  pending
	CMPQ DISTANCE, State_Window(S)
	JGT  pending
	MOVQ FROM, BACK
	SUBQ DISTANCE, BACK
	CMPQ BACK, State_Dst(S)
	JLT  pending

	VMOVDQU (LIT), X0
	VMOVDQU X0, (OUT)
	CMPQ    LITLEN, $16
	JHI     literals

matched:
	MOVQ    LITEND, LIT
	CMPQ    DISTANCE, $16
	JLT     period
	VMOVDQU (BACK), X0
	VMOVDQU X0, (FROM)
	CMPQ    MATCHLEN, $16
	JHI     match

copied:
	MOVQ END, OUT
	CMPQ State_Left(S), $0
	JNE  loop

done:
	XORL AX, AX

exit:
	MOVQ    AX, ret+8(FP)
	MOVQ    LITERAL, State_literalAt(S)
	MOVQ    State_Literal(S)(LITERAL*8), W
	MOVQ    W, State_literal(S)
	MOVQ    MATCH, State_matchAt(S)
	MOVQ    State_Match(S)(MATCH*8), W
	MOVQ    W, State_match(S)
	MOVQ    OFFSET, State_offsetAt(S)
	MOVQ    State_Offset(S)(OFFSET*8), W
	MOVQ    W, State_offset(S)
	MOVQ    POS, State_Pos(S)
	SUBQ    State_Dst(S), OUT
	MOVQ    OUT, State_Out(S)
	SUBQ    State_Lits(S), LIT
	MOVQ    LIT, State_Lit(S)
	VMOVD   REPEAT, AX
	MOVQ    AX, State_Repeat+0(S)
	VPEXTRD $1, REPEAT, AX
	MOVQ    AX, State_Repeat+8(S)
	VPEXTRD $2, REPEAT, AX
	MOVQ    AX, State_Repeat+16(S)
	VZEROUPPER
	RET

literals:
	ADDQ $16, LIT
	ADDQ $16, OUT

nextLiterals:
	VMOVDQU (LIT), Y0
	VMOVDQU Y0, (OUT)
	ADDQ    $32, LIT
	ADDQ    $32, OUT
	CMPQ    OUT, FROM
	JLO     nextLiterals
	JMP     matched

match:
	CMPQ MATCHLEN, $const_LongMatch
	JHI  long
	ADDQ $16, BACK
	ADDQ $16, FROM
	CMPQ DISTANCE, $32
	JLT  nextHalf

nextMatch:
	VMOVDQU (BACK), Y0
	VMOVDQU Y0, (FROM)
	ADDQ    $32, BACK
	ADDQ    $32, FROM
	CMPQ    FROM, END
	JLO     nextMatch
	JMP     copied

nextHalf:
	VMOVDQU (BACK), X0
	VMOVDQU X0, (FROM)
	ADDQ    $16, BACK
	ADDQ    $16, FROM
	CMPQ    FROM, END
	JLO     nextHalf
	JMP     copied

period:
	// The period fills a register, which is stored at steps of a multiple of the distance.
	CMPQ           MATCHLEN, $const_LongMatch
	JHI            long
	VBROADCASTI128 (BACK), Y0
	LEAQ           ·periods(SB), BP
	SHLQ           $5, DISTANCE
	VPSHUFB        (BP)(DISTANCE*1), Y0, Y0
	VMOVDQU        Y0, (FROM)
	CMPQ           MATCHLEN, $32
	JLS            copied
	SHRQ           $5, DISTANCE
	LEAQ           ·steps(SB), BP
	MOVBLZX        (BP)(DISTANCE*1), BP
	ADDQ           BP, FROM

nextPeriod:
	VMOVDQU Y0, (FROM)
	ADDQ    BP, FROM
	CMPQ    FROM, END
	JLO     nextPeriod
	JMP     copied

reload:
	// One load may not contain enough bits, so load once more for the lengths and once for the
	// states.
	UNLOAD()
	MOVBLZX EXTRA(State_Match, MATCH), MATCHLEN
	MOVBLZX EXTRA(State_Literal, LITERAL), LITLEN
	LEAQ    (POS)(MATCHLEN*1), HAVE
	ADDQ    LITLEN, HAVE
	LOAD(AX)
	LENGTHS()
	MOVQ    POS, HAVE
	LOAD(POS)
	JMP     states

lessOne:
	// One beyond the last: the latest distance minus 1, which counts as new.
	VMOVD REPEAT, DISTANCE
	DECQ  DISTANCE
	JNZ   repeat

corrupt:
	MOVL $const_Corrupt, AX
	JMP  exit

long:
	// The literals are copied but do not count.
	SUBQ LITLEN, LIT
	MOVQ FROM, OUT
	SUBQ LITLEN, OUT

pending:
	MOVQ LITLEN, State_LiteralLength(S)
	MOVQ MATCHLEN, State_MatchLength(S)
	MOVQ DISTANCE, State_Distance(S)
	MOVL $const_Pending, AX
	JMP  exit
