//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of huffmanGeneric, for two streams at a time. Codes enter an accumulator at the top, so
// that a code serves as its own number of bits: SHRX uses only the lowest 6 bits of a count. Only
// the lowest byte of HAVE, the number of valid bits at the top, is correct.

#define W     R8
#define CODES R9
#define LEFT  R10
#define SRCA  SI
#define ATA   DI
#define ACCA  R11
#define HAVEA R12
#define SRCB  R13
#define ATB   R14
#define ACCB  R15
#define HAVEB BP
#define LIMITA 0(SP)
#define LIMITB 8(SP)

// Writes the byte at place behind LEFT.
#define SYMBOL(place, SRC, ACC, HAVE, T) \
	MOVBLZX place(SRC)(LEFT*1), T; \
	MOVQ    (CODES)(T*8), T; \
	SHRXQ   T, ACC, ACC; \
	ADDL    T, HAVE; \
	ORQ     T, ACC

// The same without leaving anything below the code.
#define CLEAN(place, SRC, ACC, HAVE, T) \
	MOVBLZX place(SRC)(LEFT*1), T; \
	MOVQ    (CODES)(T*8), T; \
	SHRXQ   T, ACC, ACC; \
	ADDL    T, HAVE; \
	ANDQ    $-256, T; \
	ORQ     T, ACC

#define FLUSH(ACC, HAVE, AT, T) \
	MOVBLZX HAVE, HAVE; \
	MOVL    HAVE, T; \
	NEGL    T; \
	SHRXQ   T, ACC, T; \
	MOVQ    T, (AT); \
	MOVL    HAVE, T; \
	SHRL    $3, T; \
	ADDQ    T, AT; \
	ANDL    $7, HAVE

// Loads a stream into registers.
#define OPEN(ACC, HAVE, AT, LIMIT) \
	MOVQ  Stream_Out(W), AT; \
	MOVQ  Stream_Out+8(W), AX; \
	LEAQ  -8(AT)(AX*1), AX; \
	MOVQ  AX, LIMIT; \
	ADDQ  Stream_N(W), AT; \
	MOVQ  Stream_Bits(W), ACC; \
	MOVQ  Stream_Have(W), HAVE; \
	MOVL  HAVE, AX; \
	NEGL  AX; \
	SHLXQ AX, ACC, ACC

// Stores a stream.
#define CLOSE(ACC, HAVE, AT) \
	SUBQ  Stream_Out(W), AT; \
	MOVQ  AT, Stream_N(W); \
	MOVQ  HAVE, Stream_Have(W); \
	TESTL HAVE, HAVE; \
	CMOVQEQ HAVE, ACC; \
	NEGL  HAVE; \
	SHRXQ HAVE, ACC, ACC; \
	MOVQ  ACC, Stream_Bits(W)

// func huffmanAVX2(w *Stream, src []byte, codes *[256]uint64) bool
TEXT ·huffmanAVX2(SB), NOSPLIT, $16-41
	MOVQ w+0(FP), W
	OPEN(ACCA, HAVEA, ATA, LIMITA)
	MOVQ src_base+8(FP), SRCA
	MOVQ src_len+16(FP), LEFT
	MOVQ codes+32(FP), CODES
	JMP  test

five:
	CMPQ ATA, LIMITA
	JGT  full
	SYMBOL(4, SRCA, ACCA, HAVEA, AX)
	SYMBOL(3, SRCA, ACCA, HAVEA, AX)
	SYMBOL(2, SRCA, ACCA, HAVEA, AX)
	SYMBOL(1, SRCA, ACCA, HAVEA, AX)
	CLEAN(0, SRCA, ACCA, HAVEA, AX)
	FLUSH(ACCA, HAVEA, ATA, AX)

test:
	SUBQ $5, LEFT
	JGE  five
	ADDQ $4, LEFT
	CMPQ ATA, LIMITA
	JGT  full
	JMP  last

one:
	CLEAN(0, SRCA, ACCA, HAVEA, AX)
	DECQ LEFT

last:
	TESTQ LEFT, LEFT
	JGE  one
	FLUSH(ACCA, HAVEA, ATA, AX)
	CLOSE(ACCA, HAVEA, ATA)
	MOVB $1, ret+40(FP)
	RET

full:
	MOVB $0, ret+40(FP)
	RET

// func huffmanTwoAVX2(a, b *Stream, srcA, srcB *byte, rounds int, codes *[256]uint64) bool
TEXT ·huffmanTwoAVX2(SB), NOSPLIT, $16-49
	MOVQ a+0(FP), W
	OPEN(ACCA, HAVEA, ATA, LIMITA)
	MOVQ b+8(FP), W
	OPEN(ACCB, HAVEB, ATB, LIMITB)
	MOVQ srcA+16(FP), SRCA
	MOVQ srcB+24(FP), SRCB
	MOVQ rounds+32(FP), LEFT
	LEAQ -5(LEFT)(LEFT*4), LEFT
	MOVQ codes+40(FP), CODES

round:
	CMPQ ATA, LIMITA
	JGT  full
	CMPQ ATB, LIMITB
	JGT  full
	SYMBOL(4, SRCA, ACCA, HAVEA, AX)
	SYMBOL(4, SRCB, ACCB, HAVEB, BX)
	SYMBOL(3, SRCA, ACCA, HAVEA, CX)
	SYMBOL(3, SRCB, ACCB, HAVEB, DX)
	SYMBOL(2, SRCA, ACCA, HAVEA, AX)
	SYMBOL(2, SRCB, ACCB, HAVEB, BX)
	SYMBOL(1, SRCA, ACCA, HAVEA, CX)
	SYMBOL(1, SRCB, ACCB, HAVEB, DX)
	CLEAN(0, SRCA, ACCA, HAVEA, AX)
	CLEAN(0, SRCB, ACCB, HAVEB, BX)
	FLUSH(ACCA, HAVEA, ATA, CX)
	FLUSH(ACCB, HAVEB, ATB, DX)
	SUBQ $5, LEFT
	JGE  round

	MOVQ a+0(FP), W
	CLOSE(ACCA, HAVEA, ATA)
	MOVQ b+8(FP), W
	CLOSE(ACCB, HAVEB, ATB)
	MOVB $1, ret+48(FP)
	RET

full:
	MOVB $0, ret+48(FP)
	RET
