//go:build !purego

#include "textflag.h"

// Byte shuffle for items of 2, 3, 4 and 8 bytes. VLD2, VLD3 and VLD4 take every second, third or
// fourth byte to a register of its own.

#define PITCH  R1
#define SRC    R2
#define GROUPS R3
#define ROW0   R4
#define ROW1   R5
#define ROW2   R6
#define ROW3   R7
#define ROW4   R8
#define ROW5   R9
#define ROW6   R10
#define ROW7   R11

// func shuffle2NEON(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle2NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), ROW0
	MOVD pitch+8(FP), PITCH
	MOVD src+16(FP), SRC
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	CBZ  GROUPS, done

loop:
	VLD2.P 32(SRC), [V0.B16, V1.B16]
	VLD2.P 32(SRC), [V2.B16, V3.B16]
	VLD2.P 32(SRC), [V4.B16, V5.B16]
	VLD2.P 32(SRC), [V6.B16, V7.B16]
	FSTPQ (F0, F2), 0(ROW0)
	FSTPQ (F4, F6), 32(ROW0)
	FSTPQ (F1, F3), 0(ROW1)
	FSTPQ (F5, F7), 32(ROW1)
	ADD  $64, ROW0
	ADD  $64, ROW1
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// func shuffle3NEON(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle3NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), ROW0
	MOVD pitch+8(FP), PITCH
	MOVD src+16(FP), SRC
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	ADD  PITCH, ROW1, ROW2
	CBZ  GROUPS, done

loop:
	VLD3.P 48(SRC), [V0.B16, V1.B16, V2.B16]
	VLD3.P 48(SRC), [V3.B16, V4.B16, V5.B16]
	VLD3.P 48(SRC), [V6.B16, V7.B16, V8.B16]
	VLD3.P 48(SRC), [V9.B16, V10.B16, V11.B16]
	FSTPQ (F0, F3), 0(ROW0)
	FSTPQ (F6, F9), 32(ROW0)
	FSTPQ (F1, F4), 0(ROW1)
	FSTPQ (F7, F10), 32(ROW1)
	FSTPQ (F2, F5), 0(ROW2)
	FSTPQ (F8, F11), 32(ROW2)
	ADD  $64, ROW0
	ADD  $64, ROW1
	ADD  $64, ROW2
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// func shuffle4NEON(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle4NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), ROW0
	MOVD pitch+8(FP), PITCH
	MOVD src+16(FP), SRC
	MOVD groups+24(FP), GROUPS
	ADD  PITCH, ROW0, ROW1
	ADD  PITCH, ROW1, ROW2
	ADD  PITCH, ROW2, ROW3
	CBZ  GROUPS, done

loop:
	VLD4.P 64(SRC), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD4.P 64(SRC), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD4.P 64(SRC), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD4.P 64(SRC), [V12.B16, V13.B16, V14.B16, V15.B16]
	FSTPQ (F0, F4), 0(ROW0)
	FSTPQ (F8, F12), 32(ROW0)
	FSTPQ (F1, F5), 0(ROW1)
	FSTPQ (F9, F13), 32(ROW1)
	FSTPQ (F2, F6), 0(ROW2)
	FSTPQ (F10, F14), 32(ROW2)
	FSTPQ (F3, F7), 0(ROW3)
	FSTPQ (F11, F15), 32(ROW3)
	ADD  $64, ROW0
	ADD  $64, ROW1
	ADD  $64, ROW2
	ADD  $64, ROW3
	SUBS $1, GROUPS
	BNE  loop

done:
	RET

// 16 items of 8 bytes. Every fourth byte is byte k of an item or byte k+4; the two are told apart
// by VUZP.
#define SHUFFLE8(A, B, C, D, E, F, G, H) \
	VLD4.P 64(SRC), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VLD4.P 64(SRC), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	VUZP1 V20.B16, V16.B16, A.B16; \
	VUZP1 V21.B16, V17.B16, B.B16; \
	VUZP1 V22.B16, V18.B16, C.B16; \
	VUZP1 V23.B16, V19.B16, D.B16; \
	VUZP2 V20.B16, V16.B16, E.B16; \
	VUZP2 V21.B16, V17.B16, F.B16; \
	VUZP2 V22.B16, V18.B16, G.B16; \
	VUZP2 V23.B16, V19.B16, H.B16

// func shuffle8NEON(dst *byte, pitch int, src *byte, groups int)
TEXT ·shuffle8NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), ROW0
	MOVD pitch+8(FP), PITCH
	MOVD src+16(FP), SRC
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
	SHUFFLE8(V0, V1, V2, V3, V4, V5, V6, V7)
	SHUFFLE8(V8, V9, V10, V11, V12, V13, V14, V15)
	FSTPQ (F0, F8), (ROW0)
	FSTPQ (F1, F9), (ROW1)
	FSTPQ (F2, F10), (ROW2)
	FSTPQ (F3, F11), (ROW3)
	FSTPQ (F4, F12), (ROW4)
	FSTPQ (F5, F13), (ROW5)
	FSTPQ (F6, F14), (ROW6)
	FSTPQ (F7, F15), (ROW7)
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
