//go:build !purego

#include "textflag.h"

// Byte shuffle of 16 bytes of each item, whatever the distance between items: 16x16 bytes are
// transposed by four steps, each of which interleaves the bytes of registers whose numbers differ
// in one bit: 8, then 4, 2 and 1.

#define DST    R0
#define PITCH  R1
#define SRC    R2
#define STRIDE R3
#define GROUPS R4
#define QUADS  R5
#define AT     R6

#define ZIP(a, b, low, high) \
	VZIP1 b.B16, a.B16, low.B16; \
	VZIP2 b.B16, a.B16, high.B16

// V0 to V15; clobbers the others.
#define TRANSPOSE \
	ZIP(V0, V8, V16, V24); \
	ZIP(V1, V9, V17, V25); \
	ZIP(V2, V10, V18, V26); \
	ZIP(V3, V11, V19, V27); \
	ZIP(V4, V12, V20, V28); \
	ZIP(V5, V13, V21, V29); \
	ZIP(V6, V14, V22, V30); \
	ZIP(V7, V15, V23, V31); \
	ZIP(V16, V20, V0, V4); \
	ZIP(V17, V21, V1, V5); \
	ZIP(V18, V22, V2, V6); \
	ZIP(V19, V23, V3, V7); \
	ZIP(V24, V28, V8, V12); \
	ZIP(V25, V29, V9, V13); \
	ZIP(V26, V30, V10, V14); \
	ZIP(V27, V31, V11, V15); \
	ZIP(V0, V2, V16, V18); \
	ZIP(V1, V3, V17, V19); \
	ZIP(V4, V6, V20, V22); \
	ZIP(V5, V7, V21, V23); \
	ZIP(V8, V10, V24, V26); \
	ZIP(V9, V11, V25, V27); \
	ZIP(V12, V14, V28, V30); \
	ZIP(V13, V15, V29, V31); \
	ZIP(V16, V17, V0, V1); \
	ZIP(V18, V19, V2, V3); \
	ZIP(V20, V21, V4, V5); \
	ZIP(V22, V23, V6, V7); \
	ZIP(V24, V25, V8, V9); \
	ZIP(V26, V27, V10, V11); \
	ZIP(V28, V29, V12, V13); \
	ZIP(V30, V31, V14, V15)

// func shuffleColumnsNEON(dst *byte, pitch int, src *byte, stride, groups, quads int)
TEXT ·shuffleColumnsNEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), DST
	MOVD pitch+8(FP), PITCH
	MOVD src+16(FP), SRC
	MOVD stride+24(FP), STRIDE
	MOVD groups+32(FP), GROUPS
	MOVD quads+40(FP), QUADS
	LSL  $2, GROUPS // 16 items at a time
	CBZ  GROUPS, done

loop:
	VLD1.P (SRC)(STRIDE), [V0.B16]
	VLD1.P (SRC)(STRIDE), [V1.B16]
	VLD1.P (SRC)(STRIDE), [V2.B16]
	VLD1.P (SRC)(STRIDE), [V3.B16]
	VLD1.P (SRC)(STRIDE), [V4.B16]
	VLD1.P (SRC)(STRIDE), [V5.B16]
	VLD1.P (SRC)(STRIDE), [V6.B16]
	VLD1.P (SRC)(STRIDE), [V7.B16]
	VLD1.P (SRC)(STRIDE), [V8.B16]
	VLD1.P (SRC)(STRIDE), [V9.B16]
	VLD1.P (SRC)(STRIDE), [V10.B16]
	VLD1.P (SRC)(STRIDE), [V11.B16]
	VLD1.P (SRC)(STRIDE), [V12.B16]
	VLD1.P (SRC)(STRIDE), [V13.B16]
	VLD1.P (SRC)(STRIDE), [V14.B16]
	VLD1.P (SRC)(STRIDE), [V15.B16]
	TRANSPOSE
	MOVD DST, AT
	VST1.P [V0.B16], (AT)(PITCH)
	VST1.P [V1.B16], (AT)(PITCH)
	VST1.P [V2.B16], (AT)(PITCH)
	VST1.P [V3.B16], (AT)(PITCH)
	CMP  $1, QUADS
	BEQ  next
	VST1.P [V4.B16], (AT)(PITCH)
	VST1.P [V5.B16], (AT)(PITCH)
	VST1.P [V6.B16], (AT)(PITCH)
	VST1.P [V7.B16], (AT)(PITCH)
	CMP  $2, QUADS
	BEQ  next
	VST1.P [V8.B16], (AT)(PITCH)
	VST1.P [V9.B16], (AT)(PITCH)
	VST1.P [V10.B16], (AT)(PITCH)
	VST1.P [V11.B16], (AT)(PITCH)
	CMP  $3, QUADS
	BEQ  next
	VST1.P [V12.B16], (AT)(PITCH)
	VST1.P [V13.B16], (AT)(PITCH)
	VST1.P [V14.B16], (AT)(PITCH)
	VST1.P [V15.B16], (AT)(PITCH)

next:
	ADD  $16, DST
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// func unshuffleColumnsNEON(dst *byte, stride int, src *byte, pitch, groups int)
TEXT ·unshuffleColumnsNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), DST
	MOVD stride+8(FP), STRIDE
	MOVD src+16(FP), SRC
	MOVD pitch+24(FP), PITCH
	MOVD groups+32(FP), GROUPS
	LSL  $2, GROUPS // 16 items at a time
	CBZ  GROUPS, done

loop:
	MOVD SRC, AT
	VLD1.P (AT)(PITCH), [V0.B16]
	VLD1.P (AT)(PITCH), [V1.B16]
	VLD1.P (AT)(PITCH), [V2.B16]
	VLD1.P (AT)(PITCH), [V3.B16]
	VLD1.P (AT)(PITCH), [V4.B16]
	VLD1.P (AT)(PITCH), [V5.B16]
	VLD1.P (AT)(PITCH), [V6.B16]
	VLD1.P (AT)(PITCH), [V7.B16]
	VLD1.P (AT)(PITCH), [V8.B16]
	VLD1.P (AT)(PITCH), [V9.B16]
	VLD1.P (AT)(PITCH), [V10.B16]
	VLD1.P (AT)(PITCH), [V11.B16]
	VLD1.P (AT)(PITCH), [V12.B16]
	VLD1.P (AT)(PITCH), [V13.B16]
	VLD1.P (AT)(PITCH), [V14.B16]
	VLD1.P (AT)(PITCH), [V15.B16]
	TRANSPOSE
	VST1.P [V0.B16], (DST)(STRIDE)
	VST1.P [V1.B16], (DST)(STRIDE)
	VST1.P [V2.B16], (DST)(STRIDE)
	VST1.P [V3.B16], (DST)(STRIDE)
	VST1.P [V4.B16], (DST)(STRIDE)
	VST1.P [V5.B16], (DST)(STRIDE)
	VST1.P [V6.B16], (DST)(STRIDE)
	VST1.P [V7.B16], (DST)(STRIDE)
	VST1.P [V8.B16], (DST)(STRIDE)
	VST1.P [V9.B16], (DST)(STRIDE)
	VST1.P [V10.B16], (DST)(STRIDE)
	VST1.P [V11.B16], (DST)(STRIDE)
	VST1.P [V12.B16], (DST)(STRIDE)
	VST1.P [V13.B16], (DST)(STRIDE)
	VST1.P [V14.B16], (DST)(STRIDE)
	VST1.P [V15.B16], (DST)(STRIDE)
	ADD  $16, SRC
	SUBS $1, GROUPS
	BNE  loop

done:
	RET
