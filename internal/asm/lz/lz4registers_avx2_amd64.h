// The registers of all encoders.

#define SRC      SI
#define OUT      DI
#define TABLE    R8
#define LIMIT    R9
#define POS      R10
#define STEP     R11
#define ATTEMPT  R12
#define ANCHOR   R13
#define MATCHEND R14 // limit of matches until one is measured, then the end of it
#define BEHIND   R15 // src less the distance of the match
#define MATCH    DX
#define WORD     BX
#define SLOT     CX
#define TEMP     AX
#define LITERALS CX  // once there is a match
#define BACK     BP  // bytes by which it is extended towards anchor

// While encoders by one table search there is no match, and these are free.
#define FACTOR MATCHEND
#define GROWTH BEHIND

#define LEFT   5    // bytes that a match leaves at the end of the source
#define RUNEND BACK // see runs255_avx2_amd64.h
