// States of tANS, four a turn. LSL and LSR use only the lowest 6 bits of their count: so a node is
// a count of the bits that its state reads as it is.

#define S0    R0
#define S1    R1
#define S2    R2
#define S3    R3
#define SRC   R4
#define TABLE R5
#define NODES R6
#define NEXT  R7 // the bits in front of the next state
#define WORD  R8
#define ONES  R9
#define T0    R10
#define T1    R11
#define TURNS R12
#define SUM   R13 // of widths

// The bits of a state, and the next one: the upper half of the lower 32 bits of a node, and what is
// read.
#define STATE(S) \
	LSL  S, ONES, T1; \
	BIC  T1, WORD, T1; \
	LSR  S, WORD, WORD; \
	UBFX $16, S, $16, S; \
	ADD  T1, S

// T1 becomes the sum of four nodes, with what these read in the lowest byte, and their widths in
// the one above.
#define STATES \
	LSR  $3, NEXT, T0; \
	MOVD (SRC)(T0), WORD; \
	AND  $7, NEXT, T0; \
	MOVD (TABLE)(S0<<3), S0; \
	MOVD (TABLE)(S1<<3), S1; \
	MOVD (TABLE)(S2<<3), S2; \
	MOVD (TABLE)(S3<<3), S3; \
	LSR  T0, WORD, WORD; \
	ADD  S0, S1, T0; \
	ADD  S2, S3, T1; \
	ADD  T0, T1; \
	ADD  T1.UXTB, NEXT; \
	STP  (S0, S1), (NODES); \
	STP  (S2, S3), 16(NODES)

#define CODES \
	LSR   T0, WORD, T0; \
	STATE(S0); \
	STATE(S1); \
	MOVD  T0, WORD; \
	STATE(S2); \
	STATE(S3)

#define ENTER(STATESP) \
	MOVD STATESP, T0; \
	LDPW (T0), (S0, S1); \
	LDPW 8(T0), (S2, S3)

#define LEAVE(STATESP) \
	MOVD STATESP, T0; \
	STPW (S0, S1), (T0); \
	STPW (S2, S3), 8(T0)
