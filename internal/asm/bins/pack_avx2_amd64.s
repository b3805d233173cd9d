//go:build !purego

#include "textflag.h"

// Packing of bits, the lowest first.

#define DST  DI
#define SRC  SI
#define N    CX
#define WORD R8
#define USED R9
#define SYM  BX
#define LOW  R10
#define LEN  R11

// Moves whole bytes to the destination.
#define FLUSH(T) \
	MOVQ  WORD, (DST); \
	MOVL  USED, T; \
	ANDL  $-8, T; \
	SHRXQ T, WORD, WORD; \
	SHRL  $3, T; \
	ADDQ  T, DST; \
	ANDL  $7, USED

// Stores the rest, and returns the bits behind the first byte.
#define CLOSE(WORDP, BEGIN, RESULT) \
	MOVQ WORDP, T0; \
	MOVQ WORD, (T0); \
	SUBQ BEGIN, DST; \
	LEAQ (USED)(DST*8), AX; \
	MOVQ AX, RESULT; \
	RET

#define T0 R12
#define T1 R13

#define STATE(place) \
	MOVWLZX (4*place)(SRC), T0; \
	MOVWLZX (4*place+2)(SRC), T1; \
	SHLXQ   USED, T0, T0; \
	ORQ     T0, WORD; \
	ADDL    T1, USED

#define SUB8(S, T) MOVBLZX (LOW)(S*1), S; SUBL S, T
#define SUB16(S, T) MOVWLZX (LOW)(S*2), S; SUBL S, T
#define SUB32(S, T) SUBL (LOW)(S*4), T
#define SUB64(S, T) SUBQ (LOW)(S*8), T

// The offset of a latent, behind the others.
#define OFFSET(place, BYTES, LOAD, SUB) \
	MOVWLZX (2*place)(SYM), AX; \
	LOAD    (BYTES*place)(SRC), T0; \
	MOVBLZX (LEN)(AX*1), T1; \
	SUB(AX, T0); \
	SHLXQ   USED, T0, T0; \
	ORQ     T0, WORD; \
	ADDL    T1, USED

#define ONE(BYTES, LOAD, SUB) OFFSET(0, BYTES, LOAD, SUB)
#define TWO(BYTES, LOAD, SUB) ONE(BYTES, LOAD, SUB); OFFSET(1, BYTES, LOAD, SUB)
#define FOUR(BYTES, LOAD, SUB) TWO(BYTES, LOAD, SUB); OFFSET(2, BYTES, LOAD, SUB); OFFSET(3, BYTES, LOAD, SUB)

#define PACK(MANY, OFFSETS, BYTES, LOAD, SUB) \
	MOVQ dst+0(FP), DST; \
	MOVQ latents+8(FP), SRC; \
	MOVQ symbols+16(FP), SYM; \
	MOVQ n+24(FP), N; \
	MOVQ lowers+32(FP), LOW; \
	MOVQ lengths+40(FP), LEN; \
	MOVQ word+48(FP), AX; \
	MOVQ (AX), WORD; \
	MOVQ used+56(FP), USED; \
next: \
	OFFSETS(BYTES, LOAD, SUB); \
	FLUSH(T0); \
	ADDQ $(MANY*BYTES), SRC; \
	ADDQ $(MANY*2), SYM; \
	SUBQ $MANY, N; \
	JNZ  next; \
	CLOSE(word+48(FP), dst+0(FP), bits+64(FP))

// func statesKernel(dst *byte, states *uint32, n int, word *uint64, used uint) (bits uint)
TEXT ·statesKernel(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DST
	MOVQ states+8(FP), SRC
	MOVQ n+16(FP), N
	MOVQ word+24(FP), AX
	MOVQ (AX), WORD
	MOVQ used+32(FP), USED

next:
	STATE(0)
	STATE(1)
	STATE(2)
	STATE(3)
	FLUSH(T0)
	ADDQ $16, SRC
	SUBQ $4, N
	JNZ  next
	CLOSE(word+24(FP), dst+0(FP), bits+40(FP))

// func fours8Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours8Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 1, MOVBLZX, SUB8)

// func fours16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours16Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 2, MOVWLZX, SUB16)

// func pairs16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs16Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 2, MOVWLZX, SUB16)

// func fours32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours32Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 4, MOVL, SUB32)

// func pairs32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs32Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 4, MOVL, SUB32)

// func ones32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·ones32Kernel(SB), NOSPLIT, $0-72
	PACK(1, ONE, 4, MOVL, SUB32)

// func fours64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·fours64Kernel(SB), NOSPLIT, $0-72
	PACK(4, FOUR, 8, MOVQ, SUB64)

// func pairs64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·pairs64Kernel(SB), NOSPLIT, $0-72
	PACK(2, TWO, 8, MOVQ, SUB64)

// func ones64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int,
//	lowers unsafe.Pointer, lengths *uint8, word *uint64, used uint) (bits uint)
TEXT ·ones64Kernel(SB), NOSPLIT, $0-72
	PACK(1, ONE, 8, MOVQ, SUB64)
