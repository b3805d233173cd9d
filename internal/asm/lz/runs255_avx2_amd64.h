// Writes a byte of 255 for each time that TEMP holds 255, 32 of them at a time, and leaves the rest
// in TEMP. Changes WORD and RUNEND.

	MOVL $0x80808081, WORD // division by 255
	IMULQ TEMP, WORD
	SHRQ $39, WORD
	MOVQ WORD, RUNEND
	IMUL3L $255, WORD, WORD
	SUBL WORD, TEMP
	ADDQ OUT, RUNEND
	VPCMPEQB Y0, Y0, Y0
length255:
	VMOVDQU Y0, (OUT)
	ADDQ $32, OUT
	CMPQ OUT, RUNEND
	JB   length255
	MOVQ RUNEND, OUT
