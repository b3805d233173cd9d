//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// What states of tANS write, from the last symbol to the first.

#define OUT   R0
#define SYM   R1
#define N     R2
#define TABLE R3
#define OF    R4
#define ONES  R5
#define STATE R6 // where states are kept
#define S0    R7
#define S1    R8
#define S2    R9
#define S3    R10

// The code of a symbol, in S, and the next state. LENGTH is free.
#define CODE(NOW, S, LENGTH) \
	MOVD (OF)(S<<3), S; \
	ADDW S, NOW, LENGTH; \
	LSRW $16, LENGTH, LENGTH; \
	LSRW LENGTH, NOW, R19; \
	ADD  S>>32, R19, R19; \
	LSLW LENGTH, ONES, S; \
	BICW S, NOW, S; \
	MOVHU (TABLE)(R19.UXTW<<1), NOW; \
	ORRW LENGTH<<16, S, S

// func encodeKernel(out *uint32, symbols *uint16, n int, c *Coder, of *Symbol)
TEXT ·encodeKernel(SB), NOSPLIT, $0-40
	MOVD out+0(FP), OUT
	MOVD symbols+8(FP), SYM
	MOVD n+16(FP), N
	MOVD c+24(FP), TABLE
	MOVD of+32(FP), OF
	MOVD $Coder_States(TABLE), STATE
	LDPW (STATE), (S0, S1)
	LDPW 8(STATE), (S2, S3)
	MOVD $-1, ONES
	ADD  N<<2, OUT
	ADD  N<<1, SYM

next:
	MOVD.W -8(SYM), R11
	LSR    $48, R11, R15
	UBFX   $32, R11, $16, R14
	UBFX   $16, R11, $16, R13
	AND    $0xffff, R11, R12
	CODE(S3, R15, R20)
	CODE(S2, R14, R20)
	CODE(S1, R13, R20)
	CODE(S0, R12, R20)
	STPW   (R14, R15), -8(OUT)
	STPW.W (R12, R13), -16(OUT)
	SUBS   $4, N
	BNE    next

	STPW (S0, S1), (STATE)
	STPW (S2, S3), 8(STATE)
	RET
