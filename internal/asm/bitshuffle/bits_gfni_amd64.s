//go:build !purego

#include "textflag.h"

// Bit rows of planes; planes.go and gfni_amd64.go say how. Z0 to Z7 hold 512 bytes of a plane, or 64 bytes of each of its rows. Masks are
// of 16 dwords, two to a part: K2, K3 and K4 have the parts whose number has bit 0, 1 and 2.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define ROW    DX
#define ROW3   R8
#define STEP   R9
#define PLANES R10
#define LEFT   R11
#define P      R12  // where we are in rows 0 to 3
#define P4     R13  // and in rows 4 to 7
#define Q      BX   // where we are in the plane
#define INDEX  AX

// Byte b is 1<<b: bit b of each byte of a matrix, in reverse order, makes a byte.
DATA unit<>+0(SB)/8, $0x8040201008040201
GLOBL unit<>(SB), RODATA|NOPTR, $8
DATA reverse<>+0(SB)/8, $0x0001020304050607
DATA reverse<>+8(SB)/8, $0x08090a0b0c0d0e0f
GLOBL reverse<>(SB), RODATA|NOPTR, $16

#define UNIT    Z24
#define REVERSE Z25

#define LOAD_CONSTANTS \
	VMOVDQU64 0(INDEX), Z16; \
	VMOVDQU64 64(INDEX), Z17; \
	VMOVDQU64 128(INDEX), Z18; \
	VMOVDQU64 192(INDEX), Z19; \
	VMOVDQU64 256(INDEX), Z20; \
	VMOVDQU64 320(INDEX), Z21; \
	VMOVDQU64 384(INDEX), Z22; \
	VMOVDQU64 448(INDEX), Z23; \
	VPBROADCASTQ unit<>(SB), UNIT; \
	VBROADCASTI32X4 reverse<>(SB), REVERSE; \
	MOVL  $0xcccc, AX; \
	KMOVW AX, K2; \
	MOVL  $0xf0f0, AX; \
	KMOVW AX, K3; \
	MOVL  $0xff00, AX; \
	KMOVW AX, K4

// Masked parts of each register come from the next one in the list, those of the last from the first. Z31 is lost.
#define TURN2(A, B, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 Z31, K, B

#define TURN4(A, B, C, D, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 C, K, B; \
	VMOVDQA32 D, K, C; \
	VMOVDQA32 Z31, K, D

#define TURN8(A, B, C, D, E, F, G, H, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 C, K, B; \
	VMOVDQA32 D, K, C; \
	VMOVDQA32 E, K, D; \
	VMOVDQA32 F, K, E; \
	VMOVDQA32 G, K, F; \
	VMOVDQA32 H, K, G; \
	VMOVDQA32 Z31, K, H

// Eight rows of what Z0 to Z7 have.
#define TO_ROWS \
	VGF2P8AFFINEQB $0, Z0, UNIT, Z0; \
	VGF2P8AFFINEQB $0, Z1, UNIT, Z1; \
	VGF2P8AFFINEQB $0, Z2, UNIT, Z2; \
	VGF2P8AFFINEQB $0, Z3, UNIT, Z3; \
	VGF2P8AFFINEQB $0, Z4, UNIT, Z4; \
	VGF2P8AFFINEQB $0, Z5, UNIT, Z5; \
	VGF2P8AFFINEQB $0, Z6, UNIT, Z6; \
	VGF2P8AFFINEQB $0, Z7, UNIT, Z7; \
	VPERMB Z0, Z16, Z0; \
	VPERMB Z1, Z17, Z1; \
	VPERMB Z2, Z18, Z2; \
	VPERMB Z3, Z19, Z3; \
	VPERMB Z4, Z20, Z4; \
	VPERMB Z5, Z21, Z5; \
	VPERMB Z6, Z22, Z6; \
	VPERMB Z7, Z23, Z7; \
	TURN2(Z0, Z4, K4); \
	TURN2(Z1, Z5, K4); \
	TURN2(Z2, Z6, K4); \
	TURN2(Z3, Z7, K4); \
	TURN4(Z0, Z2, Z4, Z6, K3); \
	TURN4(Z1, Z3, Z5, Z7, K3); \
	TURN8(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, K2); \
	VALIGND $14, Z1, Z1, Z1; \
	VALIGND $12, Z2, Z2, Z2; \
	VALIGND $10, Z3, Z3, Z3; \
	VALIGND $8, Z4, Z4, Z4; \
	VALIGND $6, Z5, Z5, Z5; \
	VALIGND $4, Z6, Z6, Z6; \
	VALIGND $2, Z7, Z7, Z7; \
	VMOVDQU64 Z0, (P); \
	VMOVDQU64 Z1, (P)(ROW*1); \
	VMOVDQU64 Z2, (P)(ROW*2); \
	VMOVDQU64 Z3, (P)(ROW3*1); \
	VMOVDQU64 Z4, (P4); \
	VMOVDQU64 Z5, (P4)(ROW*1); \
	VMOVDQU64 Z6, (P4)(ROW*2); \
	VMOVDQU64 Z7, (P4)(ROW3*1)

// The plane of eight rows.
#define FROM_ROWS \
	VMOVDQU64 (P), Z0; \
	VMOVDQU64 (P)(ROW*1), Z1; \
	VMOVDQU64 (P)(ROW*2), Z2; \
	VMOVDQU64 (P)(ROW3*1), Z3; \
	VMOVDQU64 (P4), Z4; \
	VMOVDQU64 (P4)(ROW*1), Z5; \
	VMOVDQU64 (P4)(ROW*2), Z6; \
	VMOVDQU64 (P4)(ROW3*1), Z7; \
	VALIGND $2, Z1, Z1, Z1; \
	VALIGND $4, Z2, Z2, Z2; \
	VALIGND $6, Z3, Z3, Z3; \
	VALIGND $8, Z4, Z4, Z4; \
	VALIGND $10, Z5, Z5, Z5; \
	VALIGND $12, Z6, Z6, Z6; \
	VALIGND $14, Z7, Z7, Z7; \
	TURN2(Z4, Z0, K4); \
	TURN2(Z5, Z1, K4); \
	TURN2(Z6, Z2, K4); \
	TURN2(Z7, Z3, K4); \
	TURN4(Z6, Z4, Z2, Z0, K3); \
	TURN4(Z7, Z5, Z3, Z1, K3); \
	TURN8(Z7, Z6, Z5, Z4, Z3, Z2, Z1, Z0, K2); \
	VPERMB Z0, Z16, Z0; \
	VPERMB Z1, Z17, Z1; \
	VPERMB Z2, Z18, Z2; \
	VPERMB Z3, Z19, Z3; \
	VPERMB Z4, Z20, Z4; \
	VPERMB Z5, Z21, Z5; \
	VPERMB Z6, Z22, Z6; \
	VPERMB Z7, Z23, Z7; \
	VGF2P8AFFINEQB $0, Z0, UNIT, Z0; \
	VGF2P8AFFINEQB $0, Z1, UNIT, Z1; \
	VGF2P8AFFINEQB $0, Z2, UNIT, Z2; \
	VGF2P8AFFINEQB $0, Z3, UNIT, Z3; \
	VGF2P8AFFINEQB $0, Z4, UNIT, Z4; \
	VGF2P8AFFINEQB $0, Z5, UNIT, Z5; \
	VGF2P8AFFINEQB $0, Z6, UNIT, Z6; \
	VGF2P8AFFINEQB $0, Z7, UNIT, Z7; \
	VMOVDQU64 Z0, 0(Q); \
	VMOVDQU64 Z1, 64(Q); \
	VMOVDQU64 Z2, 128(Q); \
	VMOVDQU64 Z3, 192(Q); \
	VMOVDQU64 Z4, 256(Q); \
	VMOVDQU64 Z5, 320(Q); \
	VMOVDQU64 Z6, 384(Q); \
	VMOVDQU64 Z7, 448(Q)

// Has the lines of the rows on their way while bits are transposed. It pays where items come straight from the source; where
// they come from scratch, it takes room that the scratch needs.
#define FETCH_ROWS \
	PREFETCHT0 (P); \
	PREFETCHT0 (P)(ROW*1); \
	PREFETCHT0 (P)(ROW*2); \
	PREFETCHT0 (P)(ROW3*1); \
	PREFETCHT0 (P4); \
	PREFETCHT0 (P4)(ROW*1); \
	PREFETCHT0 (P4)(ROW*2); \
	PREFETCHT0 (P4)(ROW3*1)

// func bitsGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniIndexes)
TEXT ·bitsGFNI(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	MOVQ step+32(FP), STEP
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	LEAQ (ROW)(ROW*2), ROW3
	LOAD_CONSTANTS
	TESTQ PLANES, PLANES
	JZ   done

plane:
	MOVQ DST, P
	LEAQ (DST)(ROW*4), P4
	MOVQ SRC, Q
	MOVQ groups+48(FP), LEFT
	TESTQ LEFT, LEFT
	JZ   done

group:
	VMOVDQU64 0(Q), Z0
	VMOVDQU64 64(Q), Z1
	VMOVDQU64 128(Q), Z2
	VMOVDQU64 192(Q), Z3
	VMOVDQU64 256(Q), Z4
	VMOVDQU64 320(Q), Z5
	VMOVDQU64 384(Q), Z6
	VMOVDQU64 448(Q), Z7
	TO_ROWS
	ADDQ $512, Q
	ADDQ $64, P
	ADDQ $64, P4
	DECQ LEFT
	JNZ  group
	ADDQ PITCH, DST
	ADDQ STEP, SRC
	DECQ PLANES
	JNZ  plane

done:
	VZEROUPPER
	RET

// func bitsInOrderGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniIndexes)
TEXT ·bitsInOrderGFNI(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	MOVQ step+32(FP), STEP
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	LEAQ (ROW)(ROW*2), ROW3
	LOAD_CONSTANTS
	TESTQ PLANES, PLANES
	JZ   done

plane:
	MOVQ DST, P
	LEAQ (DST)(ROW*4), P4
	MOVQ SRC, Q
	MOVQ groups+48(FP), LEFT
	TESTQ LEFT, LEFT
	JZ   done

group:
	FETCH_ROWS
	VMOVDQU64 0(Q), Z0
	VPSHUFB   REVERSE, Z0, Z0
	VMOVDQU64 64(Q), Z1
	VPSHUFB   REVERSE, Z1, Z1
	VMOVDQU64 128(Q), Z2
	VPSHUFB   REVERSE, Z2, Z2
	VMOVDQU64 192(Q), Z3
	VPSHUFB   REVERSE, Z3, Z3
	VMOVDQU64 256(Q), Z4
	VPSHUFB   REVERSE, Z4, Z4
	VMOVDQU64 320(Q), Z5
	VPSHUFB   REVERSE, Z5, Z5
	VMOVDQU64 384(Q), Z6
	VPSHUFB   REVERSE, Z6, Z6
	VMOVDQU64 448(Q), Z7
	VPSHUFB   REVERSE, Z7, Z7
	TO_ROWS
	ADDQ $512, Q
	ADDQ $64, P
	ADDQ $64, P4
	DECQ LEFT
	JNZ  group
	ADDQ PITCH, DST
	ADDQ STEP, SRC
	DECQ PLANES
	JNZ  plane

done:
	VZEROUPPER
	RET

// func bitsBackGFNI(dst *byte, step int, src *byte, pitch, row, planes, groups int, index *gfniIndexes)
TEXT ·bitsBackGFNI(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DST
	MOVQ step+8(FP), STEP
	MOVQ src+16(FP), SRC
	MOVQ pitch+24(FP), PITCH
	MOVQ row+32(FP), ROW
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	LEAQ (ROW)(ROW*2), ROW3
	LOAD_CONSTANTS
	TESTQ PLANES, PLANES
	JZ   done

plane:
	MOVQ SRC, P
	LEAQ (SRC)(ROW*4), P4
	MOVQ DST, Q
	MOVQ groups+48(FP), LEFT
	TESTQ LEFT, LEFT
	JZ   done

group:
	FROM_ROWS
	ADDQ $512, Q
	ADDQ $64, P
	ADDQ $64, P4
	DECQ LEFT
	JNZ  group
	ADDQ PITCH, SRC
	ADDQ STEP, DST
	DECQ PLANES
	JNZ  plane

done:
	VZEROUPPER
	RET
