//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of generic.go, with copies of 32 bytes. The names are those of the Go code.
//
// W contains the unread bits of a load, the next in the highest bit. Counts are never masked: LSL
// and LSR use only their lowest 6 bits, and the sums of entries do not carry from one field to the
// next.

#define OUT      R1
#define LIT      R2
#define LITERAL  R3
#define MATCH    R4
#define OFFSET   R5
#define POS      R6
#define BASE     R7
#define W        R8
#define LEFT     R9
#define LITLEN   R10
#define MATCHLEN R11
#define DISTANCE R12
#define OUTLIMIT R13
#define LITLIMIT R14
#define DST      R15
#define WINDOW   R16
#define SUM      R17 // of the three entries
#define REPEAT0  R19
#define REPEAT1  R20
#define REPEAT2  R21
#define T0       R22
#define T1       R23
#define T2       R24
#define LITERALS R25 // the tables
#define MATCHES  R26
#define OFFSETS  R0

// W = the bits before bit AT of the stream.
#define LOAD(AT) \
	LSR  $3, AT, T0; \
	MOVD (BASE)(T0), W; \
	ORR  $-8, AT, T0; \
	NEG  T0, T0; \
	LSL  T0, W

// R = the next n bits, N being n or a number with the same lowest 6 bits. The first shift is for
// n = 0.
#define READ(N, R) \
	LSR $1, W, T1; \
	MVN N, T2; \
	LSR T2, T1, R; \
	LSL N, W

#define LENGTHS() \
	LSR  $8, MATCH, T0; \
	READ(T0, MATCHLEN); \
	ADD  MATCH>>32, MATCHLEN; \
	LSR  $8, LITERAL, T0; \
	READ(T0, LITLEN); \
	ADD  LITERAL>>32, LITLEN

// The next state of one of the three.
#define NEXT(E, TABLE) \
	READ(E, T0); \
	UBFX $16, E, $16, E; \
	ADD  T0, E; \
	MOVD (TABLE)(E<<3), E

// func runNEON(s *State) Status
TEXT ·runNEON(SB), NOSPLIT, $0-16
	MOVD s+0(FP), R0
	MOVD State_Bits(R0), BASE
	MOVD State_From(R0), T0
	ADD  T0, BASE
	SUB  $7, BASE
	MOVD State_Pos(R0), POS
	MOVD State_Dst(R0), DST
	MOVD State_Dst+8(R0), OUTLIMIT
	ADD  DST, OUTLIMIT
	SUB  $const_Slack, OUTLIMIT
	MOVD State_Out(R0), OUT
	ADD  DST, OUT
	MOVD State_Lits(R0), T0
	MOVD State_Lits+8(R0), LITLIMIT
	ADD  T0, LITLIMIT
	MOVD State_Lit(R0), LIT
	ADD  T0, LIT
	MOVD State_literal(R0), LITERAL
	MOVD State_match(R0), MATCH
	MOVD State_offset(R0), OFFSET
	MOVD State_Window(R0), WINDOW
	MOVD State_Repeat+0(R0), REPEAT0
	MOVD State_Repeat+8(R0), REPEAT1
	MOVD State_Repeat+16(R0), REPEAT2
	MOVD State_Left(R0), LEFT
	ADD  $State_Literal, R0, LITERALS
	ADD  $State_Match, R0, MATCHES
	ADD  $State_Offset, R0, OFFSETS
	CMP  $0, LEFT
	BLE  done

	PCALIGN $16
loop:
	LOAD(POS)
	LSR  $8, OFFSET, T0
	READ(T0, DISTANCE)
	ADD  OFFSET->32, DISTANCE
	ADD  MATCH, OFFSET, SUM
	ADD  LITERAL, SUM
	UBFX $8, SUM, $8, T0
	SUB  T0, POS
	CMP  $29, T0
	BHI  reload
	LENGTHS()

states:
	SUBS $1, LEFT
	BEQ  read
	AND  $0xff, SUM
	SUB  SUM, POS
	NEXT(LITERAL, LITERALS)
	NEXT(MATCH, MATCHES)
	NEXT(OFFSET, OFFSETS)

read:
	TBNZ $63, POS, corrupt
	ORR  DISTANCE, LITLEN, T0
	CBZ  T0, lessOne

repeat:
	// DISTANCE is -2, -1 or 0 for the latest distance, the one before, and the one before that;
	// without literals it is one more. There are no branches because they would be unpredictable.
	CMP  $0, LITLEN
	CINC EQ, DISTANCE, T0
	CMP  $-1, T0
	CSEL LT, REPEAT0, DISTANCE, DISTANCE
	CSEL EQ, REPEAT1, DISTANCE, DISTANCE
	CSEL GE, REPEAT0, REPEAT1, T1
	CMP  $0, T0
	CSEL EQ, REPEAT2, DISTANCE, DISTANCE
	CSEL GE, REPEAT1, REPEAT2, REPEAT2
	MOVD T1, REPEAT1
	MOVD DISTANCE, REPEAT0

	ADD LITLEN, OUT, T0
	ADD MATCHLEN, T0, T1
	CMP OUTLIMIT, T1
	BHI pending
	ADD LITLEN, LIT, T1
	CMP LITLIMIT, T1
	BHI pending
	CMP $const_LongMatch, MATCHLEN
	BHI pending
	CMP WINDOW, DISTANCE
	BGT pending
	SUB DST, T0, T2
	CMP T2, DISTANCE
	BGT pending

	FLDPQ (LIT), (F0, F1)
	FSTPQ (F0, F1), (OUT)
	CMP   $32, LITLEN
	BHI   literals

matched:
	MOVD T1, LIT
	MOVD T0, OUT
	SUB  DISTANCE, OUT, T0
	CMP  $16, DISTANCE
	BLT  period

	// For distances from 16 on, two halves suffice; the second is loaded after the first is stored.
	FMOVQ (T0), F0
	FMOVQ F0, (OUT)
	FMOVQ 16(T0), F1
	FMOVQ F1, 16(OUT)
	CMP   $32, MATCHLEN
	BHI   match

copied:
	ADD  MATCHLEN, OUT
	CBNZ LEFT, loop

done:
	MOVD $const_Done, T0

exit:
	MOVD T0, ret+8(FP)
	MOVD s+0(FP), R0
	MOVD LITERAL, State_literal(R0)
	MOVD MATCH, State_match(R0)
	MOVD OFFSET, State_offset(R0)
	MOVD POS, State_Pos(R0)
	MOVD LEFT, State_Left(R0)
	MOVD REPEAT0, State_Repeat+0(R0)
	MOVD REPEAT1, State_Repeat+8(R0)
	MOVD REPEAT2, State_Repeat+16(R0)
	SUB  DST, OUT
	MOVD OUT, State_Out(R0)
	MOVD State_Lits(R0), T0
	SUB  T0, LIT
	MOVD LIT, State_Lit(R0)
	RET

literals: // T0 and T1 are where the copy and its source end
	ADD $32, LIT
	ADD $32, OUT
	FLDPQ (LIT), (F0, F1)
	FSTPQ (F0, F1), (OUT)
	SUB $32, LITLEN
	CMP $32, LITLEN
	BHI literals
	B   matched

match: // T0 is the source
	MOVD MATCHLEN, T1
	MOVD OUT, T2
	CMP  $32, DISTANCE
	BLT  nextHalf

nextMatch:
	ADD   $32, T0
	ADD   $32, T2
	FLDPQ (T0), (F0, F1)
	FSTPQ (F0, F1), (T2)
	SUB   $32, T1
	CMP   $32, T1
	BHI   nextMatch
	B     copied

nextHalf: // the first 32 bytes have been copied
	FMOVQ 32(T0), F0
	FMOVQ F0, 32(T2)
	ADD   $16, T0
	ADD   $16, T2
	SUB   $16, T1
	CMP   $32, T1
	BHI   nextHalf
	B     copied

period:
	// The period fills two registers, which are stored at steps of a multiple of the distance.
	MOVD $·periods(SB), T1
	ADD  DISTANCE<<5, T1
	VLD1 (T0), [V0.B16]
	VLD1 (T1), [V1.B16, V2.B16]
	VTBL V1.B16, [V0.B16], V1.B16
	VTBL V2.B16, [V0.B16], V2.B16
	FSTPQ (F1, F2), (OUT)
	CMP  $32, MATCHLEN
	BLS  copied
	MOVD $·steps(SB), T1
	MOVBU (T1)(DISTANCE), T1
	ADD  T1, OUT, T2
	ADD  MATCHLEN, OUT, T0

nextPeriod:
	FSTPQ (F1, F2), (T2)
	ADD   T1, T2
	CMP   T0, T2
	BLO   nextPeriod
	B     copied

reload:
	// One load may not contain enough bits, so load once more for the lengths and once for the
	// states.
	TBNZ $63, POS, corrupt
	ADD  POS, T0
	UBFX $8, OFFSET, $8, T1
	SUB  T1, T0, T1
	LOAD(T1)
	LENGTHS()
	LOAD(POS)
	B    states

lessOne:
	// One beyond the last: the latest distance minus 1, which counts as new.
	SUB  $1, REPEAT0, DISTANCE
	CBNZ DISTANCE, repeat

corrupt:
	MOVD $const_Corrupt, T0
	B    exit

pending:
	MOVD s+0(FP), R0
	MOVD LITLEN, State_LiteralLength(R0)
	MOVD MATCHLEN, State_MatchLength(R0)
	MOVD DISTANCE, State_Distance(R0)
	MOVD $const_Pending, T0
	B    exit
