//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// The loop of writeGeneric. Shift counts are not masked: SHLX and SHRX use only
// the lowest 6 bits of a count.

#define W     R8
#define AT    DI
#define ACC   R9
#define HAVE  R10
#define SEQ   SI
#define LTAB  R11
#define OTAB  R12
#define MTAB  R13
#define LS    R14
#define OS    R15
#define MS    BP
#define FROM  0(SP)
#define LIMIT 8(SP)

// Writes all whole bytes of ACC. Clobbers AX.
#define FLUSH() \
	MOVQ  ACC, (AT); \
	MOVL  HAVE, AX; \
	SHRL  $3, AX; \
	ADDQ  AX, AT; \
	SHLL  $3, AX; \
	SHRXQ AX, ACC, ACC; \
	ANDL  $7, HAVE

// Writes the bits that lead from STATE to that of the symbol CX, and makes it the state.
#define MOVE(TABLE, STATE) \
	MOVL    Table_Symbols+Symbol_Shift(TABLE)(CX*8), AX; \
	ADDL    STATE, AX; \
	SHRL    $16, AX; \
	BZHIL   AX, STATE, BX; \
	SHLXQ   HAVE, BX, BX; \
	ORQ     BX, ACC; \
	ADDL    AX, HAVE; \
	SHRXL   AX, STATE, BX; \
	ADDL    Table_Symbols+Symbol_First(TABLE)(CX*8), BX; \
	ANDL    $(const_TableSize-1), BX; \
	MOVWLZX Table_States(TABLE)(BX*2), STATE

// func writeAVX2(w *Stream, seqs []Sequence, t *Tables, s *States) bool
TEXT ·writeAVX2(SB), NOSPLIT, $16-49
	MOVQ w+0(FP), W
	MOVQ Stream_Out(W), AT
	MOVQ Stream_Out+8(W), AX
	LEAQ -const_Slack(AT)(AX*1), AX
	MOVQ AX, LIMIT
	ADDQ Stream_N(W), AT
	MOVQ Stream_Bits(W), ACC
	MOVQ Stream_Have(W), HAVE
	MOVQ seqs_base+8(FP), SEQ
	MOVQ SEQ, FROM
	MOVQ seqs_len+16(FP), AX
	SHLQ $4, AX
	ADDQ AX, SEQ
	MOVQ t+32(FP), AX
	MOVQ Tables_Literal(AX), LTAB
	MOVQ Tables_Offset(AX), OTAB
	MOVQ Tables_Match(AX), MTAB
	MOVQ s+40(FP), AX
	MOVL States_Literal(AX), LS
	MOVL States_Offset(AX), OS
	MOVL States_Match(AX), MS
	CMPQ SEQ, FROM
	JE   done

loop:
	CMPQ AT, LIMIT
	JGT  full
	SUBQ $Sequence__size, SEQ
	MOVBLZX Sequence_Offset(SEQ), CX
	MOVE(OTAB, OS)
	MOVBLZX Sequence_Match(SEQ), CX
	MOVE(MTAB, MS)
	MOVBLZX Sequence_Literal(SEQ), CX
	MOVE(LTAB, LS)
	MOVQ Sequence_Extra(SEQ), BX
	MOVBLZX Sequence_Bits(SEQ), CX
	CMPL CX, $const_wide
	JA   wide

extra:
	SHLXQ HAVE, BX, BX
	ORQ   BX, ACC
	ADDL  CX, HAVE
	FLUSH()
	CMPQ  SEQ, FROM
	JNE   loop

done:
	MOVQ s+40(FP), AX
	MOVL LS, States_Literal(AX)
	MOVL OS, States_Offset(AX)
	MOVL MS, States_Match(AX)
	SUBQ Stream_Out(W), AT
	MOVQ AT, Stream_N(W)
	MOVQ ACC, Stream_Bits(W)
	MOVQ HAVE, Stream_Have(W)
	MOVB $1, ret+48(FP)
	RET

wide:
	FLUSH()
	CMPL CX, $56
	JBE  extra
	MOVL BX, AX
	SHLXQ HAVE, AX, AX
	ORQ  AX, ACC
	MOVQ ACC, (AT)
	ADDQ $4, AT
	SHRQ $32, ACC
	SHRQ $32, BX
	SUBL $32, CX
	JMP  extra

full:
	MOVB $0, ret+48(FP)
	RET
