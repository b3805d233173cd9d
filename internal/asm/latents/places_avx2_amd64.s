//go:build !purego

#include "textflag.h"

// The loops of places.go, four latents a turn. A load serves as many of them as surely have their
// bits in it.

#define LOWERS AX
#define LAST   BX // where the last turn of a segment may begin
#define COUNT  CX
#define END    DX
#define SRC    SI
#define NODES  DI
#define OUT    R8
#define AT     R9
#define PLACES R10
#define WORD   R11
#define WIDTH  R12
#define PART   R13
#define LOWER  R14
#define THREE  R15

// The fields of Places.
#define DST      0(PLACES)
#define ITEMS    8(PLACES)
#define SEGMENTS 24(PLACES)
#define NUMBER   32(PLACES)
#define LENGTH   48(PLACES)
#define INDEX    56(PLACES)
#define FROM     64(PLACES)
#define TO       72(PLACES)

#define LOAD \
	SHRXQ THREE, AT, WORD; \
	BZHIQ THREE, AT, COUNT; \
	MOVQ  (SRC)(WORD*1), WORD; \
	SHRXQ COUNT, WORD, WORD

// A load of 64 bits behind any bit: the rest is in the byte behind.
#define LOADWIDE \
	SHRXQ   THREE, AT, PART; \
	BZHIQ   THREE, AT, COUNT; \
	MOVQ    (SRC)(PART*1), WORD; \
	MOVBQZX 8(SRC)(PART*1), PART; \
	SHRXQ   COUNT, WORD, WORD; \
	XORL    $63, COUNT; \
	ADDQ    PART, PART; \
	SHLXQ   COUNT, PART, PART; \
	ORQ     PART, WORD

#define ONE(I, STORE) \
	MOVBLZX (8*I+1)(NODES), WIDTH; \
	BZHIQ   WIDTH, WORD, PART; \
	ADDQ    WIDTH, AT; \
	STORE(I)

// Of 64 bits, nodes have the numbers of the lower ends.
#define STORE64(I) \
	MOVL (8*I+4)(NODES), LOWER; \
	ADDQ (LOWERS)(LOWER*8), PART; \
	MOVQ PART, 8*I(OUT)

#define SKIP SHRXQ WIDTH, WORD, WORD

// A segment that does not end with a turn is left to the caller, as are segments that dst does not
// have.
#define LOOP(SIZE, LOG, TURN) \
	MOVQ places+0(FP), PLACES; \
	MOVQ nodes+8(FP), NODES; \
	MOVQ lowers+16(FP), LOWERS; \
	MOVQ src+24(FP), SRC; \
	MOVQ at+32(FP), AT; \
	MOVQ turns+40(FP), END; \
	SHLQ $5, END; \
	ADDQ NODES, END; \
	MOVL $3, THREE; \
	MOVQ DST, PART; \
	MOVQ FROM, OUT; \
	LEAQ (PART)(OUT*SIZE), OUT; \
	MOVQ TO, LAST; \
	LEAQ -(4*SIZE)(PART)(LAST*SIZE), LAST; \
	JMP  check; \
next: \
	TURN; \
	ADDQ $(4*SIZE), OUT; \
	ADDQ $32, NODES; \
check: \
	CMPQ NODES, END; \
	JEQ  done; \
	CMPQ OUT, LAST; \
	JLS  next; \
	LEAQ (4*SIZE)(LAST), PART; \
	CMPQ OUT, PART; \
	JNE  done; \
	MOVQ INDEX, COUNT; \
	CMPQ COUNT, NUMBER; \
	JGE  done; \
	MOVQ SEGMENTS, PART; \
	MOVL (PART)(COUNT*4), WORD; \
	IMULQ LENGTH, WORD; \
	MOVQ ITEMS, WIDTH; \
	CMPQ WORD, WIDTH; \
	JGE  done; \
	INCQ COUNT; \
	MOVQ COUNT, INDEX; \
	MOVQ DST, PART; \
	LEAQ (PART)(WORD*SIZE), OUT; \
	ADDQ LENGTH, WORD; \
	CMPQ WORD, WIDTH; \
	CMOVQGT WIDTH, WORD; \
	LEAQ -(4*SIZE)(PART)(WORD*SIZE), LAST; \
	JMP  check; \
done: \
	MOVQ DST, PART; \
	SUBQ PART, OUT; \
	SHRQ $LOG, OUT; \
	MOVQ OUT, FROM; \
	SUBQ PART, LAST; \
	ADDQ $(4*SIZE), LAST; \
	SHRQ $LOG, LAST; \
	MOVQ LAST, TO; \
	SUBQ NODES, END; \
	SHRQ $5, END; \
	MOVQ AT, ret+48(FP); \
	MOVQ END, left+56(FP); \
	RET

#define BY14(STORE) \
	LOAD; \
	ONE(0, STORE); \
	SKIP; \
	ONE(1, STORE); \
	SKIP; \
	ONE(2, STORE); \
	SKIP; \
	ONE(3, STORE)

#define BY28(STORE) \
	LOAD; \
	ONE(0, STORE); \
	SKIP; \
	ONE(1, STORE); \
	LOAD; \
	ONE(2, STORE); \
	SKIP; \
	ONE(3, STORE)

#define EACH(STORE, LOADED) \
	LOADED; \
	ONE(0, STORE); \
	LOADED; \
	ONE(1, STORE); \
	LOADED; \
	ONE(2, STORE); \
	LOADED; \
	ONE(3, STORE)

// The upper halves of nodes.
#define UPPER \
	VMOVUPS (NODES), X0; \
	VSHUFPS $0xdd, 16(NODES), X0, X0

#define BY0STORE8 UPPER; VPACKUSDW X0, X0, X0; VPACKUSWB X0, X0, X0; VMOVD X0, (OUT)
#define BY0STORE16 UPPER; VPACKUSDW X0, X0, X0; VMOVQ X0, (OUT)
#define BY0STORE32 UPPER; VMOVUPS X0, (OUT)

#define BY0STORE64 \
	MOVL 4(NODES), PART; \
	MOVL 12(NODES), WIDTH; \
	MOVL 20(NODES), WORD; \
	MOVL 28(NODES), LOWER; \
	MOVQ (LOWERS)(PART*8), PART; \
	MOVQ (LOWERS)(WIDTH*8), WIDTH; \
	MOVQ (LOWERS)(WORD*8), WORD; \
	MOVQ (LOWERS)(LOWER*8), LOWER; \
	MOVQ PART, (OUT); \
	MOVQ WIDTH, 8(OUT); \
	MOVQ WORD, 16(OUT); \
	MOVQ LOWER, 24(OUT)

// func latents8by0AVX2(
//	places *Places[uint8], nodes *Node, lowers *uint8,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents8by0AVX2(SB), NOSPLIT, $0-64
	LOOP(1, 0, BY0STORE8)

// func latents16by0AVX2(
//	places *Places[uint16], nodes *Node, lowers *uint16,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents16by0AVX2(SB), NOSPLIT, $0-64
	LOOP(2, 1, BY0STORE16)

// func latents32by0AVX2(
//	places *Places[uint32], nodes *Node, lowers *uint32,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents32by0AVX2(SB), NOSPLIT, $0-64
	LOOP(4, 2, BY0STORE32)

// func latents64by0AVX2(
//	places *Places[uint64], nodes *Node, lowers *uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents64by0AVX2(SB), NOSPLIT, $0-64
	LOOP(8, 3, BY0STORE64)

// func latents64by14AVX2(
//	places *Places[uint64], nodes *Node, lowers *uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents64by14AVX2(SB), NOSPLIT, $0-64
	LOOP(8, 3, BY14(STORE64))

// func latents64by28AVX2(
//	places *Places[uint64], nodes *Node, lowers *uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents64by28AVX2(SB), NOSPLIT, $0-64
	LOOP(8, 3, BY28(STORE64))

// func latents64by57AVX2(
//	places *Places[uint64], nodes *Node, lowers *uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents64by57AVX2(SB), NOSPLIT, $0-64
	LOOP(8, 3, EACH(STORE64, LOAD))

// func latents64by64AVX2(
//	places *Places[uint64], nodes *Node, lowers *uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·latents64by64AVX2(SB), NOSPLIT, $0-64
	LOOP(8, 3, EACH(STORE64, LOADWIDE))
