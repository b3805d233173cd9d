//go:build !purego

#include "textflag.h"

// The loops of places.go, eight latents a turn, whose offsets have 25 bits at most, or 32. Each
// half of a vector has the bits of four from 16 bytes of the stream.

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

// The fields of Places.
#define DST      0(PLACES)
#define ITEMS    8(PLACES)
#define SEGMENTS 24(PLACES)
#define NUMBER   32(PLACES)
#define LENGTH   48(PLACES)
#define INDEX    56(PLACES)
#define FROM     64(PLACES)
#define TO       72(PLACES)

DATA bytes<>+0(SB)/8, $0x8080800580808001 // the second byte of each number
DATA bytes<>+8(SB)/8, $0x8080800d80808009
DATA bytes<>+16(SB)/8, $0x0404040400000000 // the first one, four times
DATA bytes<>+24(SB)/8, $0x0c0c0c0c08080808
DATA bytes<>+32(SB)/8, $0x0302010003020100 // what comes behind it
DATA bytes<>+40(SB)/8, $0x8080800380808003 // the last of these alone
DATA bytes<>+48(SB)/8, $0x0000000700000007
DATA bytes<>+56(SB)/8, $0x0000002000000020
DATA bytes<>+64(SB)/8, $0x0d0c090805040100 // halves of numbers
DATA bytes<>+72(SB)/8, $0x0d0c090805040100
DATA bytes<>+80(SB)/8, $0x0c0804000c080400 // quarters
GLOBL bytes<>(SB), RODATA|NOPTR, $88

#define BASE   Y8  // of latents of 64 bits
#define HALVES Y8  // of others
#define FAR    Y9  // the bits in front of what follows
#define SECOND Y10
#define FIRST  Y11
#define BEHIND Y12
#define SEVEN  Y13
#define ONES   Y14
#define UPPER  Y15 // the upper half of a vector

#define OPEN \
	MOVQ at+32(FP), AT; \
	VMOVQ AT, X0; \
	VPBROADCASTD X0, FAR; \
	VBROADCASTI128 bytes<>+0(SB), SECOND; \
	VBROADCASTI128 bytes<>+16(SB), FIRST; \
	VPBROADCASTQ bytes<>+32(SB), BEHIND; \
	VPBROADCASTQ bytes<>+48(SB), SEVEN; \
	VPCMPEQD ONES, ONES, ONES; \
	VPXOR UPPER, UPPER, UPPER; \
	VINSERTI128 $1, X14, UPPER, UPPER

// Widths are in Y2 and lower ends in Y3. Y4 has the bits in front of an offset in the bytes of its
// half, then the bits in front of it in its first byte; Y6 the number of that byte, four times. The
// halves begin at bytes PART and WORD.
#define FIND \
	VMOVDQU (NODES), X0; \
	VINSERTI128 $1, 32(NODES), Y0, Y0; \
	VMOVDQU 16(NODES), X1; \
	VINSERTI128 $1, 48(NODES), Y1, Y1; \
	VSHUFPS $0x88, Y1, Y0, Y2; \
	VSHUFPS $0xdd, Y1, Y0, Y3; \
	VPSHUFB SECOND, Y2, Y2; \
	VPSLLDQ $4, Y2, Y4; \
	VPADDD Y2, Y4, Y4; \
	VPSLLDQ $8, Y4, Y5; \
	VPADDD Y5, Y4, Y4; \
	VPSHUFD $0xff, Y4, Y5; \
	VPERM2I128 $0x01, Y5, Y5, Y6; \
	VPSUBD Y2, Y4, Y4; \
	VMOVD X5, WORD; \
	VPADDD Y5, Y6, Y5; \
	VMOVD X5, WIDTH; \
	MOVQ AT, PART; \
	SHRQ $3, PART; \
	ADDQ AT, WORD; \
	SHRQ $3, WORD; \
	ADDQ WIDTH, AT; \
	VMOVDQU (SRC)(PART*1), X7; \
	VINSERTI128 $1, (SRC)(WORD*1), Y7, Y7; \
	VPAND UPPER, Y6, Y6; \
	VPADDD FAR, Y6, Y6; \
	VPADDD Y5, FAR, FAR; \
	VPAND SEVEN, Y6, Y6; \
	VPADDD Y6, Y4, Y4; \
	VPSRLD $3, Y4, Y6; \
	VPSHUFB FIRST, Y6, Y6; \
	VPAND SEVEN, Y4, Y4

// Offsets become Y7.
#define BY25 \
	FIND; \
	VPADDB BEHIND, Y6, Y6; \
	VPSHUFB Y6, Y7, Y7; \
	VPSRLVD Y4, Y7, Y7; \
	VPSLLVD Y2, ONES, Y2; \
	VPANDN Y7, Y2, Y7

// The fifth byte is the fourth of those behind the next one.
#define BY32 \
	FIND; \
	VMOVDQU 1(SRC)(PART*1), X0; \
	VINSERTI128 $1, 1(SRC)(WORD*1), Y0, Y0; \
	VPBROADCASTQ bytes<>+40(SB), Y1; \
	VPADDB Y1, Y6, Y1; \
	VPADDB BEHIND, Y6, Y6; \
	VPSHUFB Y1, Y0, Y0; \
	VPBROADCASTQ bytes<>+56(SB), Y1; \
	VPSUBD Y4, Y1, Y1; \
	VPSHUFB Y6, Y7, Y7; \
	VPSRLVD Y4, Y7, Y7; \
	VPSLLVD Y1, Y0, Y0; \
	VPOR Y0, Y7, Y7; \
	VPSLLVD Y2, ONES, Y2; \
	VPANDN Y7, Y2, Y7

#define STORE8 \
	VPADDD Y3, Y7, Y0; \
	VPSHUFB HALVES, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPUNPCKLDQ X1, X0, X0; \
	VMOVQ X0, (OUT)

#define STORE16 \
	VPADDD Y3, Y7, Y0; \
	VPSHUFB HALVES, Y0, Y0; \
	VPERMQ $0x08, Y0, Y0; \
	VMOVDQU X0, (OUT)

#define STORE32 \
	VPADDD Y3, Y7, Y0; \
	VMOVDQU Y0, (OUT)

#define STORE64 \
	VEXTRACTI128 $1, Y7, X4; \
	VEXTRACTI128 $1, Y3, X5; \
	VPMOVZXDQ X7, Y0; \
	VPMOVZXDQ X3, Y1; \
	VPMOVZXDQ X4, Y4; \
	VPMOVZXDQ X5, Y5; \
	VPADDQ BASE, Y0, Y0; \
	VPADDQ BASE, Y4, Y4; \
	VPADDQ Y1, Y0, Y0; \
	VPADDQ Y5, Y4, Y4; \
	VMOVDQU Y0, (OUT); \
	VMOVDQU Y4, 32(OUT)

// A segment that does not end with a turn is left to the caller, as are segments that dst does not
// have.
#define LOOP(SIZE, LOG, OFFSETS, STORE) \
	MOVQ places+0(FP), PLACES; \
	MOVQ nodes+8(FP), NODES; \
	MOVQ src+24(FP), SRC; \
	MOVQ turns+40(FP), END; \
	SHLQ $6, END; \
	ADDQ NODES, END; \
	OPEN; \
	MOVQ DST, PART; \
	MOVQ FROM, OUT; \
	LEAQ (PART)(OUT*SIZE), OUT; \
	MOVQ TO, LAST; \
	LEAQ -(8*SIZE)(PART)(LAST*SIZE), LAST; \
	JMP  check; \
next: \
	OFFSETS; \
	STORE; \
	ADDQ $(8*SIZE), OUT; \
	ADDQ $64, NODES; \
check: \
	CMPQ NODES, END; \
	JEQ  done; \
	CMPQ OUT, LAST; \
	JLS  next; \
	LEAQ (8*SIZE)(LAST), PART; \
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
	LEAQ -(8*SIZE)(PART)(WORD*SIZE), LAST; \
	JMP  check; \
done: \
	MOVQ DST, PART; \
	SUBQ PART, OUT; \
	SHRQ $LOG, OUT; \
	MOVQ OUT, FROM; \
	SUBQ PART, LAST; \
	ADDQ $(8*SIZE), LAST; \
	SHRQ $LOG, LAST; \
	MOVQ LAST, TO; \
	SUBQ NODES, END; \
	SHRQ $6, END; \
	MOVQ AT, ret+48(FP); \
	MOVQ END, left+56(FP); \
	VZEROUPPER; \
	RET

// A loop that takes the offsets of a batch, and has the states of the next one between them, as
// symbolsAVX2 does. These wait for each other, so that offsets take hardly any time.

#define S0    AX
#define S1    BX
#define S2    CX
#define S3    DX
#define NEXT  R10 // the bits in front of the next state
#define LOW   R12
#define HIGH  R14
#define TABLE R15

#define STATE(S, I, FROM) \
	BZHIQ S, FROM, PART; \
	MOVQ  S, I(NODES); \
	SHRL  $16, S; \
	ADDL  PART, S

// The reads of four nodes are in the lowest byte of their sum, and their widths in the one above.
#define STATES(I) \
	MOVQ  NEXT, PART; \
	SHRQ  $3, PART; \
	MOVQ  (SRC)(PART*1), WORD; \
	MOVL  NEXT, PART; \
	ANDL  $7, PART; \
	MOVQ  (TABLE)(S0*8), S0; \
	MOVQ  (TABLE)(S1*8), S1; \
	MOVQ  (TABLE)(S2*8), S2; \
	MOVQ  (TABLE)(S3*8), S3; \
	SHRXQ PART, WORD, WORD; \
	LEAQ  (S0)(S1*1), LOW; \
	LEAQ  (S2)(S3*1), HIGH; \
	ADDL  LOW, HIGH; \
	MOVBLZX HIGH, PART; \
	ADDQ  PART, NEXT; \
	SHRL  $8, HIGH; \
	MOVBLZX HIGH, HIGH; \
	ADDQ  HIGH, sum-8(SP); \
	SHRXQ LOW, WORD, HIGH; \
	SHRXQ S0, WORD, LOW; \
	STATE(S0, I, WORD); \
	SHRXQ S2, HIGH, WORD; \
	STATE(S1, I+8, LOW); \
	STATE(S2, I+16, HIGH); \
	STATE(S3, I+24, WORD)

// The fields of Places are those above, of PART. All segments have whole turns.
#define BOTH(SIZE, LOG, OFFSETS, STORE) \
	MOVQ places+0(FP), PART; \
	MOVQ 0(PART), WORD; \
	MOVQ 64(PART), OUT; \
	LEAQ (WORD)(OUT*SIZE), OUT; \
	MOVQ 72(PART), WIDTH; \
	LEAQ -(8*SIZE)(WORD)(WIDTH*SIZE), WIDTH; \
	MOVQ WIDTH, last-16(SP); \
	MOVQ nodes+8(FP), NODES; \
	LEAQ 2048(NODES), PART; \
	MOVQ PART, end-24(SP); \
	MOVQ $0, sum-8(SP); \
	MOVQ src+24(FP), SRC; \
	MOVQ table+40(FP), TABLE; \
	MOVQ states+48(FP), PART; \
	MOVL 0(PART), S0; \
	MOVL 4(PART), S1; \
	MOVL 8(PART), S2; \
	MOVL 12(PART), S3; \
	MOVQ next+56(FP), NEXT; \
	OPEN; \
	JMP  check; \
segment: \
	MOVQ places+0(FP), PART; \
	MOVQ 56(PART), WORD; \
	MOVQ 24(PART), WIDTH; \
	MOVL (WIDTH)(WORD*4), WIDTH; \
	INCQ WORD; \
	MOVQ WORD, 56(PART); \
	IMULQ 48(PART), WIDTH; \
	MOVQ 0(PART), WORD; \
	LEAQ (WORD)(WIDTH*SIZE), OUT; \
	ADDQ 48(PART), WIDTH; \
	CMPQ WIDTH, 8(PART); \
	CMOVQGT 8(PART), WIDTH; \
	LEAQ -(8*SIZE)(WORD)(WIDTH*SIZE), WIDTH; \
	MOVQ WIDTH, last-16(SP); \
	JMP  turn; \
check: \
	CMPQ OUT, last-16(SP); \
	JHI  segment; \
turn: \
	OFFSETS; \
	STORE; \
	ADDQ $(8*SIZE), OUT; \
	STATES(0); \
	STATES(32); \
	ADDQ $64, NODES; \
	CMPQ NODES, end-24(SP); \
	JNE  check; \
	MOVQ states+48(FP), PART; \
	MOVL S0, 0(PART); \
	MOVL S1, 4(PART); \
	MOVL S2, 8(PART); \
	MOVL S3, 12(PART); \
	MOVQ places+0(FP), PART; \
	MOVQ 0(PART), WORD; \
	SUBQ WORD, OUT; \
	SHRQ $LOG, OUT; \
	MOVQ OUT, 64(PART); \
	MOVQ last-16(SP), WIDTH; \
	SUBQ WORD, WIDTH; \
	ADDQ $(8*SIZE), WIDTH; \
	SHRQ $LOG, WIDTH; \
	MOVQ WIDTH, 72(PART); \
	MOVQ sum-8(SP), PART; \
	MOVQ NEXT, ret+64(FP); \
	MOVQ PART, widths+72(FP); \
	VZEROUPPER; \
	RET

// func eights8by25AVX2(
//	places *Places[uint8], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights8by25AVX2(SB), NOSPLIT, $0-64
	VPBROADCASTQ bytes<>+80(SB), HALVES
	LOOP(1, 0, BY25, STORE8)

// func eights16by25AVX2(
//	places *Places[uint16], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights16by25AVX2(SB), NOSPLIT, $0-64
	VBROADCASTI128 bytes<>+64(SB), HALVES
	LOOP(2, 1, BY25, STORE16)

// func eights32by25AVX2(
//	places *Places[uint32], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights32by25AVX2(SB), NOSPLIT, $0-64
	LOOP(4, 2, BY25, STORE32)

// func eights32by32AVX2(
//	places *Places[uint32], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights32by32AVX2(SB), NOSPLIT, $0-64
	LOOP(4, 2, BY32, STORE32)

// func eights64by25AVX2(
//	places *Places[uint64], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights64by25AVX2(SB), NOSPLIT, $0-64
	VPBROADCASTQ base+16(FP), BASE
	LOOP(8, 3, BY25, STORE64)

// func eights64by32AVX2(
//	places *Places[uint64], nodes *Node, base uint64,
//	src *byte, at uint, turns int) (ret uint, left int)
TEXT ·eights64by32AVX2(SB), NOSPLIT, $0-64
	VPBROADCASTQ base+16(FP), BASE
	LOOP(8, 3, BY32, STORE64)

// func both8by25AVX2(
//	places *Places[uint8], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both8by25AVX2(SB), NOSPLIT, $24-80
	VPBROADCASTQ bytes<>+80(SB), HALVES
	BOTH(1, 0, BY25, STORE8)

// func both16by25AVX2(
//	places *Places[uint16], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both16by25AVX2(SB), NOSPLIT, $24-80
	VBROADCASTI128 bytes<>+64(SB), HALVES
	BOTH(2, 1, BY25, STORE16)

// func both32by25AVX2(
//	places *Places[uint32], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both32by25AVX2(SB), NOSPLIT, $24-80
	BOTH(4, 2, BY25, STORE32)

// func both32by32AVX2(
//	places *Places[uint32], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both32by32AVX2(SB), NOSPLIT, $24-80
	BOTH(4, 2, BY32, STORE32)

// func both64by25AVX2(
//	places *Places[uint64], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both64by25AVX2(SB), NOSPLIT, $24-80
	VPBROADCASTQ base+16(FP), BASE
	BOTH(8, 3, BY25, STORE64)

// func both64by32AVX2(
//	places *Places[uint64], nodes *Node, base uint64, src *byte, at uint,
//	table *Node, states *[4]uint32, next uint) (ret uint, widths int)
TEXT ·both64by32AVX2(SB), NOSPLIT, $24-80
	VPBROADCASTQ base+16(FP), BASE
	BOTH(8, 3, BY32, STORE64)
