//go:build !purego

#include "textflag.h"

// Byte unshuffle for items of 2, 3, 4 and 8 bytes. VST2, VST3 and VST4 interleave the bytes of
// their registers.

#define PITCH  R1
#define DST    R2
#define GROUPS R3
#define ROW0   R4
#define ROW1   R5
#define ROW2   R6
#define ROW3   R7
#define ROW4   R8
#define ROW5   R9
#define ROW6   R10
#define ROW7   R11

// func unshuffle2NEON(dst, src *byte, pitch, groups int)
TEXT ·unshuffle2NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), DST
	MOVD src+8(FP), ROW0
	MOVD pitch+16(FP), PITCH
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	CBZ  GROUPS, done

loop:
	FLDPQ 0(ROW0), (F0, F2)
	FLDPQ 32(ROW0), (F4, F6)
	FLDPQ 0(ROW1), (F1, F3)
	FLDPQ 32(ROW1), (F5, F7)
	VST2.P [V0.B16, V1.B16], 32(DST)
	VST2.P [V2.B16, V3.B16], 32(DST)
	VST2.P [V4.B16, V5.B16], 32(DST)
	VST2.P [V6.B16, V7.B16], 32(DST)
	ADD  $64, ROW0
	ADD  $64, ROW1
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// func unshuffle3NEON(dst, src *byte, pitch, groups int)
TEXT ·unshuffle3NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), DST
	MOVD src+8(FP), ROW0
	MOVD pitch+16(FP), PITCH
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	ADD  PITCH, ROW1, ROW2
	CBZ  GROUPS, done

loop:
	FLDPQ 0(ROW0), (F0, F3)
	FLDPQ 32(ROW0), (F6, F9)
	FLDPQ 0(ROW1), (F1, F4)
	FLDPQ 32(ROW1), (F7, F10)
	FLDPQ 0(ROW2), (F2, F5)
	FLDPQ 32(ROW2), (F8, F11)
	VST3.P [V0.B16, V1.B16, V2.B16], 48(DST)
	VST3.P [V3.B16, V4.B16, V5.B16], 48(DST)
	VST3.P [V6.B16, V7.B16, V8.B16], 48(DST)
	VST3.P [V9.B16, V10.B16, V11.B16], 48(DST)
	ADD  $64, ROW0
	ADD  $64, ROW1
	ADD  $64, ROW2
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// func unshuffle4NEON(dst, src *byte, pitch, groups int)
TEXT ·unshuffle4NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), DST
	MOVD src+8(FP), ROW0
	MOVD pitch+16(FP), PITCH
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	ADD  PITCH, ROW1, ROW2
	ADD  PITCH, ROW2, ROW3
	CBZ  GROUPS, done

loop:
	FLDPQ 0(ROW0), (F0, F4)
	FLDPQ 32(ROW0), (F8, F12)
	FLDPQ 0(ROW1), (F1, F5)
	FLDPQ 32(ROW1), (F9, F13)
	FLDPQ 0(ROW2), (F2, F6)
	FLDPQ 32(ROW2), (F10, F14)
	FLDPQ 0(ROW3), (F3, F7)
	FLDPQ 32(ROW3), (F11, F15)
	VST4.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(DST)
	VST4.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(DST)
	VST4.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(DST)
	VST4.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(DST)
	ADD  $64, ROW0
	ADD  $64, ROW1
	ADD  $64, ROW2
	ADD  $64, ROW3
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// 16 items of 8 bytes from eight registers.
#define UNSHUFFLE8(A, B, C, D, E, F, G, H) \
	VZIP1 E.B16, A.B16, V16.B16; \
	VZIP1 F.B16, B.B16, V17.B16; \
	VZIP1 G.B16, C.B16, V18.B16; \
	VZIP1 H.B16, D.B16, V19.B16; \
	VZIP2 E.B16, A.B16, V20.B16; \
	VZIP2 F.B16, B.B16, V21.B16; \
	VZIP2 G.B16, C.B16, V22.B16; \
	VZIP2 H.B16, D.B16, V23.B16; \
	VST4.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(DST); \
	VST4.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(DST)

// func unshuffle8NEON(dst, src *byte, pitch, groups int)
TEXT ·unshuffle8NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), DST
	MOVD src+8(FP), ROW0
	MOVD pitch+16(FP), PITCH
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	ADD  PITCH, ROW1, ROW2
	ADD  PITCH, ROW2, ROW3
	ADD  PITCH, ROW3, ROW4
	ADD  PITCH, ROW4, ROW5
	ADD  PITCH, ROW5, ROW6
	ADD  PITCH, ROW6, ROW7
	LSL  $1, GROUPS // 32 items at a time
	CBZ  GROUPS, done

loop:
	FLDPQ (ROW0), (F0, F8)
	FLDPQ (ROW1), (F1, F9)
	FLDPQ (ROW2), (F2, F10)
	FLDPQ (ROW3), (F3, F11)
	FLDPQ (ROW4), (F4, F12)
	FLDPQ (ROW5), (F5, F13)
	FLDPQ (ROW6), (F6, F14)
	FLDPQ (ROW7), (F7, F15)
	UNSHUFFLE8(V0, V1, V2, V3, V4, V5, V6, V7)
	UNSHUFFLE8(V8, V9, V10, V11, V12, V13, V14, V15)
	ADD  $32, ROW0
	ADD  $32, ROW1
	ADD  $32, ROW2
	ADD  $32, ROW3
	ADD  $32, ROW4
	ADD  $32, ROW5
	ADD  $32, ROW6
	ADD  $32, ROW7
	SUBS $1, GROUPS
	BNE  loop

done:
	RET
