// The end of measure_neon_arm64.h: the last bytes of a match, one at a time.

measureByte:
	CMP     SRCEND, TEMP
	BHS     measureCut
	MOVBU   (TEMP), WORD
	MOVBU.P 1(OTHER), SPARE
	CMP     SPARE, WORD
	BNE     measured
	ADD     $1, TEMP
	B       measureByte
measureCut:
	MOVD SRCEND, TEMP
	B    measured
