//go:build !purego

#include "textflag.h"

// Packing of bits, the lowest first.

#define DST  R0
#define SRC  R1
#define N    R2
#define BITS R3
#define USED R4
#define SYM  R5
#define LOW  R6
#define LEN  R7
#define S    R8
#define T0   R9
#define T1   R10

// Moves whole bytes to the destination.
#define FLUSH \
	MOVD BITS, (DST); \
	AND  $-8, USED, T0; \
	ADD  USED>>3, DST; \
	LSR  T0, BITS, BITS; \
	AND  $7, USED

// Stores the rest, and returns the bits behind the first byte.
#define CLOSE(WORDP, BEGIN, RESULT) \
	MOVD WORDP, T0; \
	MOVD BITS, (T0); \
	MOVD BEGIN, T0; \
	SUB  T0, DST; \
	ADD  DST<<3, USED; \
	MOVD USED, RESULT; \
	RET

// A state in the upper or lower half.
#define LOWER(X) \
	AND  $0xffff, X, T0; \
	UBFX $16, X, $16, T1; \
	LSL  USED, T0; \
	ORR  T0, BITS; \
	ADD  T1, USED

#define UPPER(X) \
	UBFX $32, X, $16, T0; \
	LSL  USED, T0; \
	ORR  T0, BITS; \
	ADD  X>>48, USED

#define SUB8 MOVBU (LOW)(S), S; SUBW S, T0; UXTB T0, T0
#define SUB16 MOVHU (LOW)(S<<1), S; SUBW S, T0; UXTH T0, T0
#define SUB32 MOVWU (LOW)(S<<2), S; SUBW S, T0
#define SUB64 MOVD (LOW)(S<<3), S; SUB S, T0

// The offset of a latent, behind the others.
#define OFFSET(BYTES, MOVE, SUBTRACT) \
	MOVHU.P 2(SYM), S; \
	MOVE.P  BYTES(SRC), T0; \
	MOVBU   (LEN)(S), T1; \
	SUBTRACT; \
	LSL     USED, T0; \
	ORR     T0, BITS; \
	ADD     T1, USED

#define ONE(BYTES, MOVE, SUBTRACT) OFFSET(BYTES, MOVE, SUBTRACT)
#define TWO(BYTES, MOVE, SUBTRACT) ONE(BYTES, MOVE, SUBTRACT); ONE(BYTES, MOVE, SUBTRACT)
#define FOUR(BYTES, MOVE, SUBTRACT) TWO(BYTES, MOVE, SUBTRACT); TWO(BYTES, MOVE, SUBTRACT)

#define PACK(MANY, OFFSETS, BYTES, MOVE, SUBTRACT) \
	MOVD dst+0(FP), DST; \
	MOVD latents+8(FP), SRC; \
	MOVD symbols+16(FP), SYM; \
	MOVD n+24(FP), N; \
	MOVD lowers+32(FP), LOW; \
	MOVD lengths+40(FP), LEN; \
	MOVD word+48(FP), T0; \
	MOVD (T0), BITS; \
	MOVD used+56(FP), USED; \
next: \
	OFFSETS(BYTES, MOVE, SUBTRACT); \
	FLUSH; \
	SUBS $MANY, N; \
	BNE  next; \
	CLOSE(word+48(FP), dst+0(FP), bits+64(FP))

// func statesKernel(dst *byte, states *uint32, n int, word *uint64, used uint) (bits uint)
TEXT ·statesKernel(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), DST
	MOVD states+8(FP), SRC
	MOVD n+16(FP), N
	MOVD word+24(FP), T0
	MOVD (T0), BITS
	MOVD used+32(FP), USED

next:
	LDP.P 16(SRC), (R11, R12)
	LOWER(R11)
	UPPER(R11)
	LOWER(R12)
	UPPER(R12)
	FLUSH
	SUBS  $4, N
	BNE   next
	CLOSE(word+24(FP), dst+0(FP), bits+40(FP))

// func fours8Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours8Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 1, MOVBU, SUB8)

// func fours16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours16Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 2, MOVHU, SUB16)

// func pairs16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs16Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 2, MOVHU, SUB16)

// func fours32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours32Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 4, MOVWU, SUB32)

// func pairs32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs32Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 4, MOVWU, SUB32)

// func ones32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·ones32Kernel(SB), NOSPLIT, $0-72
	PACK(1, ONE, 4, MOVWU, SUB32)

// func fours64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours64Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 8, MOVD, SUB64)

// func pairs64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs64Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 8, MOVD, SUB64)

// func ones64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·ones64Kernel(SB), NOSPLIT, $0-72
	PACK(1, ONE, 8, MOVD, SUB64)
