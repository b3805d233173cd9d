//go:build !purego

#include "textflag.h"

// Rows of items from planes, 16 items at a time; the last of a row begin 16 before its end, so that
// rows need not be a multiple. VST2 and VST4 interleave two or four registers.

#define DST      R0
#define DSTPITCH R1
#define SRCPITCH R2
#define ITEMS    R3
#define ROWS     R4
#define ROW      R5 // offset in planes of the row's first item
#define LAST     R6 // offset within the row of the last 16 items
#define ITEM     R7 // offset within the row
#define PART     R8 // offset in planes of the next items
#define AT       R9

#define PLANES2 \
	LDP 0(R10), (R11, R12)

#define PLANES4 \
	PLANES2; \
	LDP 16(R10), (R13, R14)

#define PLANES8 \
	PLANES4; \
	LDP 32(R10), (R15, R16); \
	LDP 48(R10), (R17, R19)

#define LOAD(PLANE, V) \
	ADD  PLANE, PART, AT; \
	VLD1 (AT), [V.B16]

#define LOAD2 \
	LOAD(R11, V0); \
	LOAD(R12, V1)

#define LOAD4 \
	LOAD2; \
	LOAD(R13, V2); \
	LOAD(R14, V3)

#define LOAD8 \
	LOAD4; \
	LOAD(R15, V4); \
	LOAD(R16, V5); \
	LOAD(R17, V6); \
	LOAD(R19, V7)

#define STORE2 \
	ADD  ITEM<<1, DST, AT; \
	VST2 [V0.B16, V1.B16], (AT)

#define STORE4 \
	ADD  ITEM<<2, DST, AT; \
	VST4 [V0.B16, V1.B16, V2.B16, V3.B16], (AT)

// To VST4, half an item is an item, so the halves are brought together first.
#define STORE8 \
	ADD    ITEM<<3, DST, AT; \
	VZIP1  V4.B16, V0.B16, V16.B16; \
	VZIP1  V5.B16, V1.B16, V17.B16; \
	VZIP1  V6.B16, V2.B16, V18.B16; \
	VZIP1  V7.B16, V3.B16, V19.B16; \
	VZIP2  V4.B16, V0.B16, V20.B16; \
	VZIP2  V5.B16, V1.B16, V21.B16; \
	VZIP2  V6.B16, V2.B16, V22.B16; \
	VZIP2  V7.B16, V3.B16, V23.B16; \
	VST4.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(AT); \
	VST4   [V20.B16, V21.B16, V22.B16, V23.B16], (AT)

#define KERNEL(PLANES, LOADS, STORES) \
	MOVD dst+0(FP), DST; \
	MOVD dstPitch+8(FP), DSTPITCH; \
	MOVD planes+16(FP), R10; \
	PLANES; \
	MOVD srcPitch+24(FP), SRCPITCH; \
	MOVD items+32(FP), ITEMS; \
	MOVD rows+40(FP), ROWS; \
	MOVD $0, ROW; \
	SUB  $16, ITEMS, LAST; \
row: \
	MOVD $0, ITEM; \
part: \
	CMP  LAST, ITEM; \
	CSEL GT, LAST, ITEM, ITEM; \
	ADD  ROW, ITEM, PART; \
	LOADS; \
	STORES; \
	ADD  $16, ITEM; \
	CMP  ITEMS, ITEM; \
	BLT  part; \
	ADD  DSTPITCH, DST; \
	ADD  SRCPITCH, ROW; \
	SUBS $1, ROWS; \
	BNE  row

// func rows2NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows2NEON(SB), NOSPLIT, $0-48
	KERNEL(PLANES2, LOAD2, STORE2)
	RET

// func rows4NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows4NEON(SB), NOSPLIT, $0-48
	KERNEL(PLANES4, LOAD4, STORE4)
	RET

// func rows8NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)
TEXT ·rows8NEON(SB), NOSPLIT, $0-48
	KERNEL(PLANES8, LOAD8, STORE8)
	RET
