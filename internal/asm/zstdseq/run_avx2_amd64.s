//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of generic.go, with the shifts of BMI2 and copies of 32 bytes. The names are those of
// the Go code.
//
// Shift counts and bit counts are never masked: SHRX uses only the lowest 6 bits of its count, and
// BZHI the lowest 8. So HAVE, the number of unread bits in W, is POS|56 minus the number of bits
// read, and only its lowest 6 bits are valid. An entry can serve as its own number of state bits.

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

#define OUTLIMIT 0(SP)
#define LITLIMIT 8(SP)

// Loads the eight bytes that end with the byte of bit HAVE. Then HAVE bits of them, modulo 64, are
// unread.
#define LOAD() \
	MOVQ HAVE, AX; \
	SHRQ $3, AX; \
	MOVQ (BASE)(AX*1), W; \
	ORQ  $56, HAVE

// R = the next n bits, n being the low byte of N.
#define READ(N, R) \
	SUBQ  N, HAVE; \
	SHRXQ HAVE, W, R; \
	BZHIQ N, R, R

// The lengths; MATCHLEN and LITLEN contain their numbers of bits.
#define LENGTHS() \
	READ(MATCHLEN, BP); \
	MOVQ MATCH, MATCHLEN; \
	SHRQ $32, MATCHLEN; \
	ADDQ BP, MATCHLEN; \
	READ(LITLEN, BP); \
	MOVQ LITERAL, LITLEN; \
	SHRQ $32, LITLEN; \
	ADDQ BP, LITLEN

// The next state of one of the three.
#define NEXT(E, TABLE) \
	READ(E, AX); \
	SHRQ $16, E; \
	MOVWLZX E, E; \
	ADDQ AX, E; \
	MOVQ TABLE(S)(E*8), E

// func runAVX2(s *State) Status
TEXT ·runAVX2(SB), NOSPLIT, $16-16
	MOVQ s+0(FP), S
	MOVQ State_Bits(S), BASE
	ADDQ State_From(S), BASE
	SUBQ $7, BASE
	MOVQ State_Pos(S), POS
	MOVQ State_Dst(S), OUT
	MOVQ State_Dst+8(S), AX
	LEAQ -const_Slack(OUT)(AX*1), AX
	MOVQ AX, OUTLIMIT
	ADDQ State_Out(S), OUT
	MOVQ State_Lits(S), LIT
	MOVQ State_Lits+8(S), AX
	ADDQ LIT, AX
	MOVQ AX, LITLIMIT
	ADDQ State_Lit(S), LIT
	MOVQ State_literal(S), LITERAL
	MOVQ State_match(S), MATCH
	MOVQ State_offset(S), OFFSET
	CMPQ State_Left(S), $0
	JLE  done

loop:
	MOVQ  POS, HAVE
	LOAD()
	RORXQ $8, OFFSET, AX
	READ(AX, DISTANCE)
	MOVQ  OFFSET, BP
	SARQ  $32, BP
	ADDQ  BP, DISTANCE
	RORXQ $8, MATCH, MATCHLEN
	RORXQ $8, LITERAL, LITLEN
	ADDL  MATCHLEN, AX
	ADDL  LITLEN, AX
	CMPB  AX, $30
	JHI   reload
	LENGTHS()

states:
	DECQ State_Left(S)
	JZ   read
	NEXT(LITERAL, State_Literal)
	NEXT(MATCH, State_Match)
	NEXT(OFFSET, State_Offset)

read:
	// The number of bits read is the decrease of HAVE, which is less than 256.
	MOVQ    POS, AX
	ORQ     $56, AX
	SUBQ    HAVE, AX
	MOVBLZX AX, AX
	SUBQ    AX, POS
	JS      corrupt
	MOVQ    DISTANCE, HAVE
	ORQ     LITLEN, HAVE
	JZ      lessOne

repeat:
	// DISTANCE is -2, -1 or 0 for the latest distance, the one before, and the one before that;
	// without literals it is one more. There are no branches because they would be unpredictable. W
	// and HAVE are free until the next load.
	MOVQ    State_Repeat+0(S), AX
	MOVQ    State_Repeat+8(S), BP
	MOVQ    State_Repeat+16(S), W
	XORL    HAVE, HAVE
	CMPQ    LITLEN, $1
	ADCQ    DISTANCE, HAVE
	CMPQ    HAVE, $-1
	CMOVQLT AX, DISTANCE
	CMOVQEQ BP, DISTANCE
	TESTQ   HAVE, HAVE
	CMOVQEQ W, DISTANCE
	CMOVQGE BP, W
	CMPQ    HAVE, $-1
	CMOVQGE AX, BP
	MOVQ    DISTANCE, State_Repeat+0(S)
	MOVQ    BP, State_Repeat+8(S)
	MOVQ    W, State_Repeat+16(S)

execute:
	LEAQ (OUT)(LITLEN*1), AX
	LEAQ (AX)(MATCHLEN*1), BP
	CMPQ BP, OUTLIMIT
	JHI  pending
	LEAQ (LIT)(LITLEN*1), BP
	CMPQ BP, LITLIMIT
	JHI  pending
	CMPQ MATCHLEN, $const_LongMatch
	JHI  pending
	CMPQ DISTANCE, State_Window(S)
	JGT  pending
	MOVQ AX, BP
	SUBQ State_Dst(S), BP
	CMPQ DISTANCE, BP
	JGT  pending

	VMOVDQU (LIT), Y0
	VMOVDQU Y0, (OUT)
	CMPQ    LITLEN, $32
	JHI     literals

matched:
	ADDQ LITLEN, LIT
	MOVQ AX, OUT
	SUBQ DISTANCE, AX
	CMPQ DISTANCE, $16
	JLT  period

	// For distances from 16 on, two halves suffice; the second is loaded after the first is stored.
	VMOVDQU (AX), X0
	VMOVDQU X0, (OUT)
	VMOVDQU 16(AX), X1
	VMOVDQU X1, 16(OUT)
	CMPQ    MATCHLEN, $32
	JHI     match

copied:
	ADDQ MATCHLEN, OUT
	CMPQ State_Left(S), $0
	JNE  loop

done:
	XORL AX, AX

exit:
	MOVQ AX, ret+8(FP)
	MOVQ LITERAL, State_literal(S)
	MOVQ MATCH, State_match(S)
	MOVQ OFFSET, State_offset(S)
	MOVQ POS, State_Pos(S)
	SUBQ State_Dst(S), OUT
	MOVQ OUT, State_Out(S)
	SUBQ State_Lits(S), LIT
	MOVQ LIT, State_Lit(S)
	VZEROUPPER
	RET

literals:
	MOVL $32, BP

nextLiterals:
	VMOVDQU (LIT)(BP*1), Y0
	VMOVDQU Y0, (OUT)(BP*1)
	ADDQ    $32, BP
	CMPQ    BP, LITLEN
	JLT     nextLiterals
	JMP     matched

match:
	MOVL $32, BP
	CMPQ DISTANCE, $32
	JLT  nextHalf

nextMatch:
	VMOVDQU (AX)(BP*1), Y0
	VMOVDQU Y0, (OUT)(BP*1)
	ADDQ    $32, BP
	CMPQ    BP, MATCHLEN
	JLT     nextMatch
	JMP     copied

nextHalf:
	VMOVDQU (AX)(BP*1), X0
	VMOVDQU X0, (OUT)(BP*1)
	ADDQ    $16, BP
	CMPQ    BP, MATCHLEN
	JLT     nextHalf
	JMP     copied

period:
	// The period fills a register, which is stored at steps of a multiple of the distance.
	LEAQ           ·periods(SB), BP
	SHLQ           $5, DISTANCE
	VBROADCASTI128 (AX), Y0
	VPSHUFB        (BP)(DISTANCE*1), Y0, Y0
	VMOVDQU        Y0, (OUT)
	CMPQ           MATCHLEN, $32
	JLS            copied
	SHRQ           $5, DISTANCE
	LEAQ           ·steps(SB), BP
	MOVBLZX        (BP)(DISTANCE*1), AX
	MOVQ           AX, BP

nextPeriod:
	VMOVDQU Y0, (OUT)(BP*1)
	ADDQ    AX, BP
	CMPQ    BP, MATCHLEN
	JLT     nextPeriod
	JMP     copied

reload:
	// One load may not contain enough bits, so load once more for the lengths and once for the
	// states.
	MOVBLZX AX, AX
	CMPQ    POS, AX
	JLT     corrupt
	RORXQ   $8, OFFSET, BP
	MOVBLZX BP, BP
	MOVQ    POS, HAVE
	SUBQ    BP, HAVE
	SUBQ    AX, POS
	LOAD()
	LENGTHS()
	MOVQ    POS, HAVE
	LOAD()
	JMP     states

lessOne:
	// One beyond the last: the latest distance minus 1, which counts as new.
	MOVQ State_Repeat+0(S), DISTANCE
	DECQ DISTANCE
	JNZ  repeat

corrupt:
	MOVL $const_Corrupt, AX
	JMP  exit

pending:
	MOVQ LITLEN, State_LiteralLength(S)
	MOVQ MATCHLEN, State_MatchLength(S)
	MOVQ DISTANCE, State_Distance(S)
	MOVL $const_Pending, AX
	JMP  exit
