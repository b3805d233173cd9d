//go:build !purego

#include "textflag.h"

// Sums within rows, of numbers less than a vector apart. The next vector is loaded before one is
// written, as a row may end within it.

#define AT     R0
#define ROWS   R1
#define BYTES  R2
#define LEFT   R3
#define MASKS  R4
#define BEHIND R5

#define SUM   V0
#define NEXT  V1
#define T     V2
#define CARRY V3
#define OLD   V4
#define LAST  V8
#define ONCE  V9
#define TWICE V10
#define FOUR  V11
#define EIGHT V12

// Behind the middle are no bytes, before it are all.
DATA masks<>+0(SB)/8, $-1
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $0
DATA masks<>+24(SB)/8, $0
GLOBL masks<>(SB), RODATA|NOPTR, $32

#define STEP(SHUFFLE, LANES) \
	VTBL SHUFFLE.B16, [SUM.B16], T.B16; \
	VADD T.LANES, SUM.LANES, SUM.LANES

#define STEPS64(LANES) STEP(ONCE, LANES)
#define STEPS32(LANES) STEPS64(LANES); STEP(TWICE, LANES)
#define STEPS16(LANES) STEPS32(LANES); STEP(FOUR, LANES)
#define STEPS8(LANES) STEPS16(LANES); STEP(EIGHT, LANES)

#define NEAR(LANES, STEPS) \
	MOVD   p+0(FP), AT; \
	MOVD   rows+8(FP), ROWS; \
	MOVD   bytes+16(FP), BYTES; \
	MOVD   s+24(FP), BEHIND; \
	VLD1.P 16(BEHIND), [LAST.B16]; \
	VLD1   (BEHIND), [ONCE.B16, TWICE.B16, FOUR.B16, EIGHT.B16]; \
	MOVD   $masks<>+16(SB), MASKS; \
	VLD1   (AT), [NEXT.B16]; \
row: \
	VEOR CARRY.B16, CARRY.B16, CARRY.B16; \
	MOVD BYTES, LEFT; \
	SUBS $16, LEFT; \
	BLT  part; \
whole: \
	VMOV   NEXT.B16, SUM.B16; \
	ADD    $16, AT, BEHIND; \
	VLD1   (BEHIND), [NEXT.B16]; \
	STEPS(LANES); \
	VADD   CARRY.LANES, SUM.LANES, SUM.LANES; \
	VST1.P [SUM.B16], 16(AT); \
	VTBL   LAST.B16, [SUM.B16], CARRY.B16; \
	SUBS   $16, LEFT; \
	BGE    whole; \
part: \
	ADDS $16, LEFT; \
	BEQ  end; \
	VMOV NEXT.B16, SUM.B16; \
	VMOV NEXT.B16, OLD.B16; \
	ADD  LEFT, AT, BEHIND; \
	VLD1 (BEHIND), [NEXT.B16]; \
	STEPS(LANES); \
	VADD CARRY.LANES, SUM.LANES, SUM.LANES; \
	SUB  LEFT, MASKS, R6; \
	VLD1 (R6), [T.B16]; \
	VBIT T.B16, SUM.B16, OLD.B16; \
	VST1 [OLD.B16], (AT); \
	MOVD BEHIND, AT; \
end: \
	SUBS $1, ROWS; \
	BNE  row; \
	RET

// func near8NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near8NEON(SB), NOSPLIT, $0-32
	NEAR(B16, STEPS8)

// func near16NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near16NEON(SB), NOSPLIT, $0-32
	NEAR(H8, STEPS16)

// func near32NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near32NEON(SB), NOSPLIT, $0-32
	NEAR(S4, STEPS32)

// func near64NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)
TEXT ·near64NEON(SB), NOSPLIT, $0-32
	NEAR(D2, STEPS64)
