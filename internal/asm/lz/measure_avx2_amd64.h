// Measures a match of POS, which is at least four bytes long: TEMP becomes the position behind it,
// at most LEFT bytes before the end of the source. Changes WORD and MATCHEND. What follows here
// begins with the label measured.

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
	ADDQ $32-LEFT, MATCHEND
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
	ADDQ $32-LEFT, MATCHEND
	CMPQ TEMP, MATCHEND
	CMOVQGT MATCHEND, TEMP
	JMP  measured

differ:
	TZCNTQ WORD, WORD
	SHRQ $3, WORD
	ADDQ WORD, TEMP // at least 40 bytes before the end
