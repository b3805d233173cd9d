//go:build !purego

#include "textflag.h"

DATA steps<>+0(SB)/8, $0x0000000100000000
DATA steps<>+8(SB)/8, $0x0000000300000002
GLOBL steps<>(SB), RODATA|NOPTR, $16

#define PRICES    R0
#define LENGTHS   R1
#define DISTANCES R2
#define COSTS     R3
#define N         R4
#define BASE      R5
#define LENGTH    R6
#define DISTANCE  R7

// func relaxNEON(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
TEXT ·relaxNEON(SB), NOSPLIT, $0-52
	MOVD  prices+0(FP), PRICES
	MOVD  lengths+8(FP), LENGTHS
	MOVD  distances+16(FP), DISTANCES
	MOVD  costs+24(FP), COSTS
	MOVD  n+32(FP), N
	MOVWU base+40(FP), BASE
	MOVWU length+44(FP), LENGTH
	MOVWU distance+48(FP), DISTANCE
	VDUP  BASE, V0.S4
	VDUP  LENGTH, V1.S4
	VDUP  DISTANCE, V2.S4
	MOVD  $steps<>(SB), R8
	VLD1  (R8), [V3.S4]
	VADD  V3.S4, V1.S4, V1.S4
	VMOVI $4, V3.B16 // four, in each word
	VUSHR $24, V3.S4, V3.S4
	VEOR  V31.B16, V31.B16, V31.B16
	SUBS  $4, N
	BLT   tail

four: // the sign of the difference says which is less
	VLD1.P 16(COSTS), [V4.S4]
	VLD1   (PRICES), [V5.S4]
	VLD1   (LENGTHS), [V6.S4]
	VLD1   (DISTANCES), [V7.S4]
	VADD   V0.S4, V4.S4, V4.S4
	VSUB   V5.S4, V4.S4, V16.S4
	VUSHR  $31, V16.S4, V16.S4
	VSUB   V16.S4, V31.S4, V16.S4
	VBIT   V16.B16, V4.B16, V5.B16
	VBIT   V16.B16, V1.B16, V6.B16
	VBIT   V16.B16, V2.B16, V7.B16
	VST1.P [V5.S4], 16(PRICES)
	VST1.P [V6.S4], 16(LENGTHS)
	VST1.P [V7.S4], 16(DISTANCES)
	VADD   V3.S4, V1.S4, V1.S4
	ADDW   $4, LENGTH
	SUBS   $4, N
	BGE    four

tail:
	ADDS $4, N
	BEQ  done

one:
	MOVWU.P 4(COSTS), R8
	MOVWU   (PRICES), R9
	ADDW    BASE, R8
	CMPW    R9, R8
	BHS     kept
	MOVW    R8, (PRICES)
	MOVW    LENGTH, (LENGTHS)
	MOVW    DISTANCE, (DISTANCES)
kept:
	ADD  $4, PRICES
	ADD  $4, LENGTHS
	ADD  $4, DISTANCES
	ADDW $1, LENGTH
	SUBS $1, N
	BNE  one

done:
	RET
