//go:build !purego

#include "textflag.h"

// Bit rows of planes, as described in planes.go and gfni_amd64.go. Z0 to Z7 contain 512 bytes of a
// plane, or 64 bytes of each of its rows. Masks are of 16 dwords, two per qword: K3 and K4 select
// the qwords whose number has bit 1 and 2.

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
#define AHEAD  R15  // what to fetch for the next call, if anything
#define TURN   R14  // Go keeps g here only in functions of its own calling convention

// Byte b is 1<<b: bit b of each byte of a matrix, in reverse order, makes a byte.
DATA unit<>+0(SB)/8, $0x8040201008040201
GLOBL unit<>(SB), RODATA|NOPTR, $8
DATA reverse<>+0(SB)/8, $0x0001020304050607
DATA reverse<>+8(SB)/8, $0x08090a0b0c0d0e0f
GLOBL reverse<>(SB), RODATA|NOPTR, $16

#define UNIT    Z24
#define REVERSE Z25

#define LOAD_CONSTANTS \
	VPBROADCASTQ unit<>(SB), UNIT; \
	VBROADCASTI32X4 reverse<>(SB), REVERSE; \
	MOVL  $0xf0f0, BX; \
	KMOVW BX, K3; \
	MOVL  $0xff00, BX; \
	KMOVW BX, K4; \
	VMOVDQU64 0(INDEX), Z8; \
	VMOVDQU64 64(INDEX), Z9; \
	VMOVDQU64 128(INDEX), Z10; \
	VMOVDQU64 192(INDEX), Z11; \
	VMOVDQU64 256(INDEX), Z12; \
	VMOVDQU64 320(INDEX), Z13; \
	VMOVDQU64 384(INDEX), Z14; \
	VMOVDQU64 448(INDEX), Z15; \
	ADDQ $512, INDEX

// Loads the tables of the current plane and advances to those of the next.
#define LOAD_INDEX \
	VMOVDQU64 0(INDEX), Z16; \
	VMOVDQU64 64(INDEX), Z17; \
	VMOVDQU64 128(INDEX), Z18; \
	VMOVDQU64 192(INDEX), Z19; \
	VMOVDQU64 256(INDEX), Z20; \
	VMOVDQU64 320(INDEX), Z21; \
	VMOVDQU64 384(INDEX), Z22; \
	VMOVDQU64 448(INDEX), Z23; \
	ADDQ TURN, INDEX

// The last of the forward steps, and the first backward: every other qword is from the next (or
// previous) register, and registers are rotated back (or on) at the same time.
#define EXCHANGE \
	VMOVDQA64 Z0, Z31; \
	VPERMT2Q Z1, Z8, Z0; \
	VPERMT2Q Z2, Z9, Z1; \
	VPERMT2Q Z3, Z10, Z2; \
	VPERMT2Q Z4, Z11, Z3; \
	VPERMT2Q Z5, Z12, Z4; \
	VPERMT2Q Z6, Z13, Z5; \
	VPERMT2Q Z7, Z14, Z6; \
	VPERMT2Q Z31, Z15, Z7

#define EXCHANGE_BACK \
	VMOVDQA64 Z7, Z31; \
	VPERMT2Q Z6, Z15, Z7; \
	VPERMT2Q Z5, Z14, Z6; \
	VPERMT2Q Z4, Z13, Z5; \
	VPERMT2Q Z3, Z12, Z4; \
	VPERMT2Q Z2, Z11, Z3; \
	VPERMT2Q Z1, Z10, Z2; \
	VPERMT2Q Z0, Z9, Z1; \
	VPERMT2Q Z31, Z8, Z0

// Replaces masked parts of each register by those of the next one in the list; the last register
// takes those of the first. Clobbers Z31.
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

// Stores Z0 to Z7 as eight rows.
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
	EXCHANGE; \
	VMOVDQU64 Z0, (P); \
	VMOVDQU64 Z1, (P)(ROW*1); \
	VMOVDQU64 Z2, (P)(ROW*2); \
	VMOVDQU64 Z3, (P)(ROW3*1); \
	VMOVDQU64 Z4, (P4); \
	VMOVDQU64 Z5, (P4)(ROW*1); \
	VMOVDQU64 Z6, (P4)(ROW*2); \
	VMOVDQU64 Z7, (P4)(ROW3*1)

// Makes a plane of eight rows.
#define FROM_ROWS \
	VMOVDQU64 (P), Z0; \
	VMOVDQU64 (P)(ROW*1), Z1; \
	VMOVDQU64 (P)(ROW*2), Z2; \
	VMOVDQU64 (P)(ROW3*1), Z3; \
	VMOVDQU64 (P4), Z4; \
	VMOVDQU64 (P4)(ROW*1), Z5; \
	VMOVDQU64 (P4)(ROW*2), Z6; \
	VMOVDQU64 (P4)(ROW3*1), Z7; \
	EXCHANGE_BACK; \
	TURN2(Z4, Z0, K4); \
	TURN2(Z5, Z1, K4); \
	TURN2(Z6, Z2, K4); \
	TURN2(Z7, Z3, K4); \
	TURN4(Z6, Z4, Z2, Z0, K3); \
	TURN4(Z7, Z5, Z3, Z1, K3); \
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

// Prefetches the lines of the rows while bits are transposed. This pays if items are read from the
// source; if they are read from scratch, it evicts the scratch from the cache.
#define FETCH_ROWS \
	PREFETCHT0 (P); \
	PREFETCHT0 (P)(ROW*1); \
	PREFETCHT0 (P)(ROW*2); \
	PREFETCHT0 (P)(ROW3*1); \
	PREFETCHT0 (P4); \
	PREFETCHT0 (P4)(ROW*1); \
	PREFETCHT0 (P4)(ROW*2); \
	PREFETCHT0 (P4)(ROW3*1)

// func bitsGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniTables,
// turn int, ahead uintptr)
TEXT ·bitsGFNI(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	MOVQ step+32(FP), STEP
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	MOVQ turn+64(FP), TURN
	MOVQ ahead+72(FP), AHEAD
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
	LOAD_INDEX

group:
	TESTQ AHEAD, AHEAD
	JZ   load
	PREFETCHT0 0(AHEAD)
	PREFETCHT0 64(AHEAD)
	PREFETCHT0 128(AHEAD)
	PREFETCHT0 192(AHEAD)
	PREFETCHT0 256(AHEAD)
	PREFETCHT0 320(AHEAD)
	PREFETCHT0 384(AHEAD)
	PREFETCHT0 448(AHEAD)
	ADDQ $512, AHEAD

load:
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

// func bitsInOrderGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index
// *gfniTables, turn int)
TEXT ·bitsInOrderGFNI(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ row+16(FP), ROW
	MOVQ src+24(FP), SRC
	MOVQ step+32(FP), STEP
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	MOVQ turn+64(FP), TURN
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
	LOAD_INDEX

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

// func bitsBackGFNI(dst *byte, step int, src *byte, pitch, row, planes, groups int, index
// *gfniTables, turn int)
TEXT ·bitsBackGFNI(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DST
	MOVQ step+8(FP), STEP
	MOVQ src+16(FP), SRC
	MOVQ pitch+24(FP), PITCH
	MOVQ row+32(FP), ROW
	MOVQ planes+40(FP), PLANES
	MOVQ index+56(FP), INDEX
	MOVQ turn+64(FP), TURN
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
	LOAD_INDEX

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
