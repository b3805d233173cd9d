// The body of both encoders. They differ in LOAD, which gets the bytes that are hashed, in HASH, which turns them into a slot of the
// table, in ENTER, which puts POS there, in EXCHANGE, which takes what was there before, and in TOOFAR, which refuses distant matches.

#define SRC      SI
#define OUT      DI
#define TABLE    R8
#define LIMIT    R9
#define POS      R10
#define STEP     R11
#define ATTEMPT  R12
#define ANCHOR   R13
#define MATCHEND R14 // limit of matches until one is measured, then the end of it
#define BEHIND   R15 // src less the distance of the match
#define MATCH    DX
#define WORD     BX
#define SLOT     CX
#define TEMP     AX
#define LITERALS CX  // once there is a match
#define BACK     BP  // bytes by which it is extended towards anchor

	MOVQ c+0(FP), TEMP
	MOVQ 0(TEMP), ANCHOR
	MOVQ dst_base+16(FP), OUT
	ADDQ 8(TEMP), OUT
	MOVQ 16(TEMP), POS
	MOVQ 32(TEMP), STEP
	MOVQ 40(TEMP), ATTEMPT
	MOVQ table+8(FP), TABLE
	MOVQ src_base+40(FP), SRC
	MOVQ limit+64(FP), LIMIT
	CMPQ 48(TEMP), $2
	JEQ  follow

	PCALIGN $32
search:
	LEAQ (POS)(STEP*1), TEMP
	CMPQ TEMP, LIMIT
	JGT  atLimit
	LOAD(0)
	HASH
	EXCHANGE
	CMPL (SRC)(MATCH*1), WORD
	JEQ  found
next:
	MOVQ ATTEMPT, STEP
	SHRQ $6, STEP
	INCQ ATTEMPT
	MOVQ TEMP, POS
	JMP  search

found:
	TOOFAR(next)
	XORL BACK, BACK
	MOVQ SRC, BEHIND
	SUBQ POS, BEHIND
	ADDQ MATCH, BEHIND

	CMPQ MATCH, $8
	JB   backBytes
	MOVQ -8(SRC)(POS*1), WORD
	XORQ -8(SRC)(MATCH*1), WORD
	LZCNTQ WORD, BACK // 64 if all eight are equal
	SHRQ $3, BACK
	MOVQ POS, LITERALS
	SUBQ ANCHOR, LITERALS
	CMPQ LITERALS, BACK
	CMOVQLT LITERALS, BACK
	CMPL BACK, $8
	JEQ  backBytes

measure: // eight bytes, eight bytes, then 32 at a time
	MOVQ src_len+48(FP), MATCHEND
	LEAQ 4(POS), TEMP
	MOVQ (SRC)(TEMP*1), WORD
	XORQ (BEHIND)(TEMP*1), WORD
	JNE  differ
	ADDQ $8, TEMP
	MOVQ (SRC)(TEMP*1), WORD
	XORQ (BEHIND)(TEMP*1), WORD
	JNE  differ
	ADDQ $8, TEMP
	SUBQ $32, MATCHEND
measure32:
	CMPQ TEMP, MATCHEND
	JGT  measureEnd
	VMOVDQU (SRC)(TEMP*1), Y0
	VPCMPEQB (BEHIND)(TEMP*1), Y0, Y0
	VPMOVMSKB Y0, WORD
	NOTL WORD
	TESTL WORD, WORD
	JNE  differ32
	ADDQ $32, TEMP
	JMP  measure32

measureEnd:
	ADDQ $32-5, MATCHEND
measureByte:
	CMPQ TEMP, MATCHEND
	JGE  measureCut
	MOVBLZX (SRC)(TEMP*1), WORD
	CMPB (BEHIND)(TEMP*1), WORD
	JNE  measured
	INCQ TEMP
	JMP  measureByte
measureCut:
	MOVQ MATCHEND, TEMP
	JMP  measured

differ32:
	TZCNTL WORD, WORD
	ADDQ WORD, TEMP
	ADDQ $32-5, MATCHEND
	CMPQ TEMP, MATCHEND
	CMOVQGT MATCHEND, TEMP
	JMP  measured

differ:
	TZCNTQ WORD, WORD
	SHRQ $3, WORD
	ADDQ WORD, TEMP // at least 40 bytes before the end

measured: // pos-back to temp
	MOVQ TEMP, MATCHEND
	MOVQ POS, LITERALS
	SUBQ BACK, LITERALS
	SUBQ LITERALS, TEMP
	SUBQ $4, TEMP
	SUBQ ANCHOR, LITERALS

	MOVQ LITERALS, WORD    // room for all of it and 64 bytes more?
	SHRQ $7, WORD
	ADDQ LITERALS, WORD
	ADDQ OUT, WORD
	MOVQ TEMP, BACK
	SHRQ $7, BACK
	LEAQ 80(WORD)(BACK*1), WORD
	SUBQ dst_base+16(FP), WORD
	CMPQ WORD, dst_len+24(FP)
	JGT  atRoom

	ADDQ SRC, ANCHOR
	VMOVDQU (ANCHOR), X0
	VMOVDQU X0, 1(OUT)
	MOVQ OUT, BACK         // the token
	SUBQ BEHIND, SRC       // the distance, for a moment
	CMPL LITERALS, $15
	JAE  manyLiterals
	LEAQ 1(OUT)(LITERALS*1), OUT
	SHLL $4, LITERALS
literalsDone:
	MOVW SRC, (OUT)
	ADDQ BEHIND, SRC
	ADDQ $2, OUT
	MOVQ MATCHEND, POS
	MOVQ MATCHEND, ANCHOR
	CMPL TEMP, $15
	JAE  longMatch
	ORL  TEMP, LITERALS
	MOVB LITERALS, (BACK)

matched:
	CMPQ POS, LIMIT
	JGE  atMatched
follow:
	LOAD(-2)
	SUBQ $2, POS
	HASH
	ENTER
	ADDQ $2, POS
	LOAD(0)
	HASH
	EXCHANGE
	CMPL (SRC)(MATCH*1), WORD
	JEQ  again
fresh:
	MOVQ attempt+72(FP), ATTEMPT
	INCQ POS
	MOVL $1, STEP
	JMP  search

again: // a match right behind the last one
	TOOFAR(fresh)
	XORL BACK, BACK
	MOVQ SRC, BEHIND
	SUBQ POS, BEHIND
	ADDQ MATCH, BEHIND
	JMP  measure

backBytes: // within the first bytes of the source, or far back
	MOVQ POS, TEMP
	SUBQ BACK, TEMP
	CMPQ TEMP, ANCHOR
	JLE  measure
	CMPQ MATCH, BACK
	JEQ  measure
	MOVBLZX -1(SRC)(TEMP*1), WORD
	CMPB -1(BEHIND)(TEMP*1), WORD
	JNE  measure
	INCQ BACK
	JMP  backBytes

manyLiterals: // the token has been left room for
	INCQ OUT
	MOVL LITERALS, WORD
	SUBL $15, WORD
literals255:
	CMPL WORD, $255
	JB   literalsRest
	MOVB $255, (OUT)
	INCQ OUT
	SUBL $255, WORD
	JMP  literals255
literalsRest:
	MOVB WORD, (OUT)
	INCQ OUT
	ADDQ OUT, LITERALS     // where the copy ends
	SUBQ OUT, ANCHOR
literals32:
	VMOVDQU (ANCHOR)(OUT*1), Y0
	VMOVDQU Y0, (OUT)
	ADDQ $32, OUT
	CMPQ OUT, LITERALS
	JB   literals32
	MOVQ LITERALS, OUT
	MOVL $0xf0, LITERALS
	JMP  literalsDone

longMatch:
	ORL  $15, LITERALS
	MOVB LITERALS, (BACK)
	SUBL $15, TEMP
	CMPL TEMP, $255
	JB   lengthRest
	MOVL $0x80808081, WORD // division by 255
	IMULQ TEMP, WORD
	SHRQ $39, WORD
	MOVQ WORD, BACK
	IMUL3L $255, WORD, WORD
	SUBL WORD, TEMP
	ADDQ OUT, BACK
	VPCMPEQB Y0, Y0, Y0
length255:
	VMOVDQU Y0, (OUT)
	ADDQ $32, OUT
	CMPQ OUT, BACK
	JB   length255
	MOVQ BACK, OUT
lengthRest:
	MOVB TEMP, (OUT)
	INCQ OUT
	JMP  matched

atRoom:
	MOVL $1, TEMP
	JMP  leave
atLimit:
	XORL TEMP, TEMP
	JMP  leave
atMatched:
	MOVL $2, TEMP
leave:
	VZEROUPPER
	MOVQ c+0(FP), WORD
	MOVQ ANCHOR, 0(WORD)
	SUBQ dst_base+16(FP), OUT
	MOVQ OUT, 8(WORD)
	MOVQ POS, 16(WORD)
	MOVQ MATCH, 24(WORD)
	MOVQ STEP, 32(WORD)
	MOVQ ATTEMPT, 40(WORD)
	MOVQ TEMP, 48(WORD)
	RET
