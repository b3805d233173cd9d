// Writes a byte of 255 for each time that REST holds 255, 16 of them at a time, and leaves the rest
// in REST. Changes WORD and RUNEND.

	MOVD $0x80808081, WORD // division by 255
	MUL  REST, WORD
	LSR  $39, WORD
	ADD  OUT, WORD, RUNEND
	SUB  WORD<<8, REST
	ADD  WORD, REST
	VMOVI $255, V0.B16
length255:
	FMOVQ F0, (OUT)
	ADD   $16, OUT
	CMP   RUNEND, OUT
	BLO   length255
	MOVD  RUNEND, OUT
