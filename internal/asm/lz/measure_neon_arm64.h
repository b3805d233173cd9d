// Measures a match of POS, which is at least four bytes long and DISTANCE away: TEMP becomes the
// address behind it, at most SRCEND, which is LEFT bytes before the end of the source. Changes
// WORD, OTHER, SLOT, MATCHEND, SPARE and SPARE2. What follows here begins with the label measured;
// measurebytes_neon_arm64.h has the last bytes.

measure: // eight bytes, then 16 at a time
	ADD  SRC, POS, TEMP
	ADD  $4, TEMP
	SUB  DISTANCE, TEMP, OTHER
	MOVD (TEMP), WORD
	MOVD (OTHER), SPARE
	EOR  SPARE, WORD
	CBNZ WORD, differ
	ADD  $8, TEMP
	ADD  $8, OTHER
	SUB  $16-LEFT, SRCEND, MATCHEND
measure16:
	CMP   MATCHEND, TEMP
	BHI   measureByte
	LDP.P 16(TEMP), (WORD, SLOT)
	LDP.P 16(OTHER), (SPARE, SPARE2)
	EOR   SPARE, WORD
	CBNZ  WORD, differ16
	EOR   SPARE2, SLOT, WORD
	CBZ   WORD, measure16
	SUB   $8, TEMP
	B     differ
differ16:
	SUB $16, TEMP
differ:
	RBIT WORD, WORD
	CLZ  WORD, WORD
	ADD  WORD>>3, TEMP
	CMP  SRCEND, TEMP
	CSEL LO, TEMP, SRCEND, TEMP
