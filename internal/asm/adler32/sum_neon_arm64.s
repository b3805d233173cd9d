//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// Sums of neighbours, which the assembler does not know: UADDLP and UADALP of 16 bytes to 8 halves,
// and UADALP of these to 4 words. ADALP adds to what is in d.
#define ADDLP(n, d) WORD $(0x6e202800 | n<<5 | d)
#define ADALP(n, d) WORD $(0x6e206800 | n<<5 | d)
#define ADALPHALVES(n, d) WORD $(0x6e606800 | n<<5 | d)

#define SRC    R0
#define GROUPS R1
#define OUT    R2
#define BYTES  V5
#define BEFORE V6

// func sumNEON(src *byte, groups int, out *sums)
TEXT ·sumNEON(SB), NOSPLIT, $0-24
	MOVD src+0(FP), SRC
	MOVD groups+8(FP), GROUPS
	MOVD out+16(FP), OUT
	VEOR BYTES.B16, BYTES.B16, BYTES.B16
	VEOR BEFORE.B16, BEFORE.B16, BEFORE.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16

loop: // 64 columns in V16 to V23
	VLD1.P  64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VADD    BYTES.S4, BEFORE.S4, BEFORE.S4
	ADDLP(0, 4)
	VUADDW  V0.B8, V16.H8, V16.H8
	VUADDW2 V0.B16, V17.H8, V17.H8
	ADALP(1, 4)
	VUADDW  V1.B8, V18.H8, V18.H8
	VUADDW2 V1.B16, V19.H8, V19.H8
	ADALP(2, 4)
	VUADDW  V2.B8, V20.H8, V20.H8
	VUADDW2 V2.B16, V21.H8, V21.H8
	ADALP(3, 4)
	VUADDW  V3.B8, V22.H8, V22.H8
	VUADDW2 V3.B16, V23.H8, V23.H8
	ADALPHALVES(4, 5)
	SUBS    $1, GROUPS
	BNE     loop

	ADD    $sums_columns, OUT, R3
	VST1.P [V16.H8, V17.H8, V18.H8, V19.H8], 64(R3)
	VST1.P [V20.H8, V21.H8, V22.H8, V23.H8], 64(R3)
	ADD    $sums_bytes, OUT, R3
	VST1   [BYTES.S4], (R3)
	ADD    $sums_before, OUT, R3
	VST1   [BEFORE.S4], (R3)
	RET
