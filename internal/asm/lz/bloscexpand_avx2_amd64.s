//go:build !purego

#include "textflag.h"

// IN and OUT do not change while a token is read, so that a stop within a token leaves both at it.
#define IN       SI  // the token
#define OUT      DI  // where its bytes go
#define INLAST   R8  // IN must be below: 64 bytes before the end
#define OUTLAST  R9  // OUT must be below: 64 bytes before the end
#define OUTSTART R10
#define TOKEN    AX
#define LENGTH   CX  // of a match; then where it ends
#define DISTANCE DX
#define AHEAD    R13 // the stream behind the length
#define FROM     R15 // the bytes to repeat
#define TEMP     BX
#define TABLE    R12

// func expandBloscAVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)
TEXT ·expandBloscAVX2(SB), NOSPLIT, $0-88
	MOVQ dst_base+0(FP), OUTSTART
	MOVQ dst_len+8(FP), OUTLAST
	LEAQ -64(OUTSTART)(OUTLAST*1), OUTLAST
	MOVQ out+56(FP), OUT
	ADDQ OUTSTART, OUT
	MOVQ src_base+24(FP), IN
	MOVQ src_len+32(FP), INLAST
	LEAQ -64(IN)(INLAST*1), INLAST
	ADDQ in+48(FP), IN
	MOVQ patterns+64(FP), TABLE

	PCALIGN $32
token:
	CMPQ IN, INLAST
	JAE  done
	CMPQ OUT, OUTLAST
	JAE  done
	MOVBLZX (IN), TOKEN
	CMPL TOKEN, $32
	JAE  match
	VMOVDQU 1(IN), Y0
	VMOVDQU Y0, (OUT)
	LEAQ 2(IN)(TOKEN*1), IN
	LEAQ 1(OUT)(TOKEN*1), OUT
	JMP  token

match:
	MOVL TOKEN, LENGTH
	SHRL $5, LENGTH
	ANDL $31, TOKEN
	SHLL $8, TOKEN
	LEAQ 1(IN), AHEAD
	CMPL LENGTH, $7
	JEQ  more
distance:
	MOVBLZX (AHEAD), DISTANCE
	INCQ AHEAD
	ADDQ $2, LENGTH
	ORL  TOKEN, DISTANCE
	CMPL DISTANCE, $0x1fff
	JEQ  far
	INCL DISTANCE
copy:
	MOVQ OUT, FROM
	SUBQ DISTANCE, FROM
	CMPQ FROM, OUTSTART
	JB   done
	CMPQ LENGTH, $32
	JA   long
	CMPL DISTANCE, $16
	JB   shortPattern
	VMOVDQU (FROM), X0
	VMOVDQU X0, (OUT)
	VMOVDQU 16(FROM), X0
	VMOVDQU X0, 16(OUT)
	ADDQ LENGTH, OUT
	MOVQ AHEAD, IN
	JMP  token

shortPattern: // DISTANCE is at least 1
	LEAQ (DISTANCE)(DISTANCE*4), TEMP
	VBROADCASTI128 (FROM), Y0
	VPSHUFB (TABLE)(TEMP*8), Y0, Y0
	VMOVDQU Y0, (OUT)
	ADDQ LENGTH, OUT
	MOVQ AHEAD, IN
	JMP  token

more:
	CMPQ AHEAD, INLAST
	JAE  done
	MOVBLZX (AHEAD), TEMP
	INCQ AHEAD
	ADDQ TEMP, LENGTH
	CMPL TEMP, $255
	JEQ  more
	JMP  distance

far:
	MOVBLZX (AHEAD), DISTANCE // high byte first
	MOVBLZX 1(AHEAD), TEMP
	SHLL $8, DISTANCE
	LEAQ 8192(DISTANCE)(TEMP*1), DISTANCE
	ADDQ $2, AHEAD
	JMP  copy

long:
	MOVQ OUTLAST, TEMP
	SUBQ OUT, TEMP
	CMPQ LENGTH, TEMP
	JA   done
	MOVQ AHEAD, IN
	ADDQ OUT, LENGTH
	CMPL DISTANCE, $32
	JB   longPattern
copy32:
	VMOVDQU (FROM), Y0
	VMOVDQU Y0, (OUT)
	ADDQ $32, FROM
	ADDQ $32, OUT
	CMPQ OUT, LENGTH
	JB   copy32
	MOVQ LENGTH, OUT
	JMP  token

longPattern:
	CMPL DISTANCE, $16
	JB   longShuffle
	VMOVDQU (FROM), X0 // once to the end of the pattern, then from twice as far
	VMOVDQU X0, (OUT)
	VMOVDQU 16(FROM), X0
	VMOVDQU X0, 16(OUT)
	ADDQ DISTANCE, OUT
	CMPQ OUT, LENGTH
	JB   copy32
	MOVQ LENGTH, OUT
	JMP  token

longShuffle:
	LEAQ (DISTANCE)(DISTANCE*4), TEMP
	VBROADCASTI128 (FROM), Y0
	VPSHUFB (TABLE)(TEMP*8), Y0, Y0
	MOVQ 32(TABLE)(TEMP*8), DISTANCE
store32:
	VMOVDQU Y0, (OUT)
	ADDQ DISTANCE, OUT
	CMPQ OUT, LENGTH
	JB   store32
	MOVQ LENGTH, OUT
	JMP  token

done:
	VZEROUPPER
	SUBQ src_base+24(FP), IN
	SUBQ OUTSTART, OUT
	MOVQ IN, inAfter+72(FP)
	MOVQ OUT, outAfter+80(FP)
	RET
