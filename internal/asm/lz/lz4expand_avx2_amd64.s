//go:build !purego

#include "textflag.h"

// SI and DI do not change while a sequence is read, so that a stop within it leaves both at its
// token.
#define IN       SI  // token of the sequence
#define OUT      DI  // where its literals go
#define INLAST   R8  // in must be below: 64 bytes before the end
#define OUTLAST  R9  // out must be below: 64 bytes before the end
#define OUTSTART R10
#define INEND    R11
#define COUNT    BX  // literals
#define LENGTH   CX  // of the match, less 4 until it is final
#define DISTANCE DX
#define AHEAD    R13 // the stream behind the literals
#define TARGET   R14 // the output behind the literals
#define FROM     R15 // the bytes to repeat there
#define TEMP     AX
#define OUTROOM  R12 // bytes that may be written at target before outLast

// func expandLZ4AVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)
TEXT ·expandLZ4AVX2(SB), NOSPLIT, $0-88
	MOVQ dst_base+0(FP), OUTSTART
	MOVQ dst_len+8(FP), OUTLAST
	LEAQ -64(OUTSTART)(OUTLAST*1), OUTLAST
	MOVQ out+56(FP), OUT
	ADDQ OUTSTART, OUT
	MOVQ src_base+24(FP), IN
	MOVQ src_len+32(FP), INEND
	ADDQ IN, INEND
	LEAQ -64(INEND), INLAST
	ADDQ in+48(FP), IN

	PCALIGN $32
sequence:
	CMPQ IN, INLAST
	JAE  done
	CMPQ OUT, OUTLAST
	JAE  done
	MOVBLZX (IN), COUNT
	MOVL COUNT, LENGTH
	SHRL $4, COUNT
	ANDL $15, LENGTH
	VMOVDQU 1(IN), X0
	VMOVDQU X0, (OUT)
	CMPL COUNT, $15
	JEQ  manyLiterals
	LEAQ 1(IN)(COUNT*1), AHEAD
	LEAQ (OUT)(COUNT*1), TARGET

match:
	MOVWLZX (AHEAD), DISTANCE
	MOVQ TARGET, FROM
	SUBQ DISTANCE, FROM
	CMPQ FROM, OUTSTART
	JB   done
	CMPL LENGTH, $15
	JEQ  longMatch
	CMPL DISTANCE, $16
	JB   shortPattern
	VMOVDQU (FROM), X0
	VMOVDQU X0, (TARGET)
	MOVWLZX 16(FROM), TEMP // only now: it may be among those just written
	MOVW TEMP, 16(TARGET)
	LEAQ 4(TARGET)(LENGTH*1), OUT
	LEAQ 2(AHEAD), IN
	JMP  sequence

shortPattern: // up to 18 bytes at a distance of 1 to 15
	LEAQ (DISTANCE)(DISTANCE*4), TEMP
	MOVQ patterns+64(FP), R12
	TESTL DISTANCE, DISTANCE
	JEQ  done
	VBROADCASTI128 (FROM), Y0
	VPSHUFB (R12)(TEMP*8), Y0, Y0
	VMOVDQU Y0, (TARGET)
	LEAQ 4(TARGET)(LENGTH*1), OUT
	LEAQ 2(AHEAD), IN
	JMP  sequence

manyLiterals:
	LEAQ 1(IN), AHEAD
manyLiteralsMore:
	CMPQ AHEAD, INLAST
	JAE  done
	MOVBLZX (AHEAD), TEMP
	INCQ AHEAD
	ADDQ TEMP, COUNT
	CMPL TEMP, $255
	JEQ  manyLiteralsMore
	MOVQ INLAST, TEMP
	SUBQ AHEAD, TEMP
	JB   done
	CMPQ COUNT, TEMP
	JA   done
	MOVQ OUTLAST, TEMP
	SUBQ OUT, TEMP
	CMPQ COUNT, TEMP
	JA   done
	MOVQ OUT, FROM
	LEAQ (OUT)(COUNT*1), TARGET
	SUBQ FROM, AHEAD             // from+ahead is the stream
literals32:
	VMOVDQU (FROM)(AHEAD*1), Y0
	VMOVDQU Y0, (FROM)
	ADDQ $32, FROM
	CMPQ FROM, TARGET
	JB   literals32
	ADDQ TARGET, AHEAD
	JMP  match

longMatch:
	ADDQ $2, AHEAD
longMatchMore:
	CMPQ AHEAD, INLAST
	JAE  done
	MOVBLZX (AHEAD), TEMP
	INCQ AHEAD
	ADDQ TEMP, LENGTH
	CMPL TEMP, $255
	JEQ  longMatchMore
	ADDQ $4, LENGTH
	MOVQ OUTLAST, OUTROOM
	SUBQ TARGET, OUTROOM
	CMPQ LENGTH, OUTROOM
	JGT  done
	LEAQ (TARGET)(LENGTH*1), LENGTH // from here on where the match ends
	CMPL DISTANCE, $32
	JB   longPattern
copy32:
	VMOVDQU (FROM), Y0
	VMOVDQU Y0, (TARGET)
	ADDQ $32, FROM
	ADDQ $32, TARGET
	CMPQ TARGET, LENGTH
	JB   copy32
	MOVQ LENGTH, OUT
	MOVQ AHEAD, IN
	JMP  sequence

longPattern:
	CMPL DISTANCE, $16
	JB   longShuffle
	VMOVDQU (FROM), X0              // once to the end of the pattern, then from twice as far
	VMOVDQU X0, (TARGET)
	VMOVDQU 16(FROM), X0
	VMOVDQU X0, 16(TARGET)
	ADDQ DISTANCE, TARGET
	CMPQ TARGET, LENGTH
	JB   copy32
	MOVQ LENGTH, OUT
	MOVQ AHEAD, IN
	JMP  sequence

longShuffle:
	TESTL DISTANCE, DISTANCE
	JEQ  done
	LEAQ (DISTANCE)(DISTANCE*4), TEMP
	MOVQ patterns+64(FP), R12
	VBROADCASTI128 (FROM), Y0
	VPSHUFB (R12)(TEMP*8), Y0, Y0
	MOVQ 32(R12)(TEMP*8), DISTANCE
store32:
	VMOVDQU Y0, (TARGET)
	ADDQ DISTANCE, TARGET
	CMPQ TARGET, LENGTH
	JB   store32
	MOVQ LENGTH, OUT
	MOVQ AHEAD, IN
	JMP  sequence

done:
	VZEROUPPER
	SUBQ src_base+24(FP), IN
	SUBQ OUTSTART, OUT
	MOVQ IN, inAfter+72(FP)
	MOVQ OUT, outAfter+80(FP)
	RET
