// The registers of all encoders.

#define SRC      R0
#define OUT      R1
#define TABLE    R2
#define LIMIT    R3
#define POS      R4
#define STEP     R5
#define ATTEMPT  R6
#define ANCHOR   R7
#define MATCH    R8
#define BEHIND   R9  // src less the distance of the match
#define MATCHEND R10
#define WORD     R11
#define SLOT     R12
#define TEMP     R13
#define LITERALS R14
#define BACK     R15 // bytes by which a match is extended towards anchor; then where its token is
#define DISTANCE R16
#define OTHER    R17
#define SRCEND   R19 // where matches end at the latest: five bytes before the end of the source
#define OUTLAST  R20 // OUT and room for a sequence must be below
#define FACTOR   R21
#define GROWTH   R22
#define BEGIN    R23 // the first attempt of a search

// See measure_neon_arm64.h and runs255_neon_arm64.h.
#define LEFT   5
#define SPARE  LITERALS
#define SPARE2 STEP
#define REST   TEMP
#define RUNEND BACK

// What encoders begin with.
#define ENTER \
	MOVD c+0(FP), TEMP; \
	MOVD Cursor_Anchor(TEMP), ANCHOR; \
	MOVD dst_base+16(FP), OUTLAST; \
	MOVD Cursor_Out(TEMP), OUT; \
	ADD  OUTLAST, OUT; \
	MOVD dst_len+24(FP), OTHER; \
	ADD  OTHER, OUTLAST; \
	MOVD Cursor_Pos(TEMP), POS; \
	MOVD table+8(FP), TABLE; \
	MOVD src_base+40(FP), SRC; \
	MOVD src_len+48(FP), SRCEND; \
	ADD  SRC, SRCEND; \
	SUB  $5, SRCEND; \
	MOVD limit+64(FP), LIMIT
