//go:build !purego

#include "textflag.h"

#define DST    DI
#define SRC    SI
#define GROUPS CX

// func differencesAVX2(dst, src *byte, groups int)
//
// The previous bytes are read from memory, one place lower, except for the first vector.
TEXT ·differencesAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	MOVQ groups+16(FP), GROUPS
	TESTQ GROUPS, GROUPS
	JZ   done
	VMOVDQU 0(SRC), Y0
	VMOVDQU 32(SRC), Y1
	VPERM2I128 $0x08, Y0, Y0, Y2 // nothing, and the low lane
	VPALIGNR $15, Y2, Y0, Y2
	VPSUBB Y2, Y0, Y0
	VPSUBB 31(SRC), Y1, Y1
	JMP  store

loop:
	VMOVDQU 0(SRC), Y0
	VMOVDQU 32(SRC), Y1
	VPSUBB -1(SRC), Y0, Y0
	VPSUBB 31(SRC), Y1, Y1

store:
	VMOVDQU Y0, 0(DST)
	VMOVDQU Y1, 32(DST)
	ADDQ $64, SRC
	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// Running sums. Doubling shifts sum the bytes of each eight, and the sum of a lane's low eight is
// added to the high eight. LAST copies the last byte of a lane to all its bytes.

DATA last<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA last<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL last<>(SB), RODATA|NOPTR, $16
// The last byte of the low eight, to the high eight.
DATA middle<>+0(SB)/8, $0x8080808080808080
DATA middle<>+8(SB)/8, $0x0707070707070707
GLOBL middle<>(SB), RODATA|NOPTR, $16

#define LAST   Y15
#define MIDDLE Y14
#define CARRY  Y13

// A and B, each lane by itself. Clobbers T and U.
#define LANES(A, B, T, U) \
	VPSLLQ  $8, A, T; \
	VPSLLQ  $8, B, U; \
	VPADDB  T, A, A; \
	VPADDB  U, B, B; \
	VPSLLQ  $16, A, T; \
	VPSLLQ  $16, B, U; \
	VPADDB  T, A, A; \
	VPADDB  U, B, B; \
	VPSLLQ  $32, A, T; \
	VPSLLQ  $32, B, U; \
	VPADDB  T, A, A; \
	VPADDB  U, B, B; \
	VPSHUFB MIDDLE, A, T; \
	VPSHUFB MIDDLE, B, U; \
	VPADDB  T, A, A; \
	VPADDB  U, B, B

// func sumsAVX2(dst, src *byte, groups int)
//
// The low lane's sum is added to the high lane, and the sum of both, in all bytes, to the following
// vectors. The carry takes one addition per vector, so the dependency chain is short.
TEXT ·sumsAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DST
	MOVQ src+8(FP), SRC
	MOVQ groups+16(FP), GROUPS
	VBROADCASTI128 last<>(SB), LAST
	VBROADCASTI128 middle<>(SB), MIDDLE
	VPXOR CARRY, CARRY, CARRY
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	VMOVDQU 0(SRC), Y0
	VMOVDQU 32(SRC), Y1
	LANES(Y0, Y1, Y2, Y3)
	VPSHUFB LAST, Y0, Y2
	VPSHUFB LAST, Y1, Y3
	VPERM2I128 $0x08, Y2, Y2, Y4 // nothing, and the low lane's sum
	VPERM2I128 $0x08, Y3, Y3, Y5
	VPADDB  Y4, Y0, Y0
	VPADDB  Y5, Y1, Y1
	VPERMQ  $0x4e, Y2, Y6
	VPERMQ  $0x4e, Y3, Y7
	VPADDB  Y6, Y2, Y2
	VPADDB  Y7, Y3, Y3
	VPADDB  CARRY, Y0, Y0
	VPADDB  Y2, CARRY, CARRY
	VPADDB  CARRY, Y1, Y1
	VPADDB  Y3, CARRY, CARRY
	VMOVDQU Y0, 0(DST)
	VMOVDQU Y1, 32(DST)
	ADDQ $64, SRC
	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
