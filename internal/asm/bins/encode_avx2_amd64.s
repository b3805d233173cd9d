//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// What states of tANS write, from the last symbol to the first.

#define OUT   DI
#define SYM   SI
#define N     CX
#define TABLE BX
#define OF    DX

// The code of a symbol, and the next state.
#define CODE(place, STATE, T, U, V) \
	MOVWLZX (2*place)(SYM)(N*2), T; \
	MOVQ    (OF)(T*8), T; \
	MOVL    T, U; \
	ADDL    STATE, U; \
	SHRL    $16, U; \
	SHRQ    $32, T; \
	SHRXL   U, STATE, V; \
	ADDL    V, T; \
	BZHIL   U, STATE, V; \
	SHLL    $16, U; \
	ORL     U, V; \
	MOVL    V, (4*place)(OUT)(N*4); \
	MOVWLZX (TABLE)(T*2), STATE

// func encodeKernel(out *uint32, symbols *uint16, n int, c *Coder, of *Symbol)
TEXT ·encodeKernel(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), OUT
	MOVQ symbols+8(FP), SYM
	MOVQ n+16(FP), N
	MOVQ c+24(FP), TABLE
	MOVQ of+32(FP), OF
	LEAQ Coder_States(TABLE), AX
	MOVL 0(AX), R8
	MOVL 4(AX), R9
	MOVL 8(AX), R10
	MOVL 12(AX), R11

next:
	SUBQ $4, N
	CODE(3, R11, R12, R13, R14)
	CODE(2, R10, R12, R13, R14)
	CODE(1, R9, R12, R13, R14)
	CODE(0, R8, R12, R13, R14)
	TESTQ N, N
	JNZ  next

	MOVL R8, 0(AX)
	MOVL R9, 4(AX)
	MOVL R10, 8(AX)
	MOVL R11, 12(AX)
	RET
