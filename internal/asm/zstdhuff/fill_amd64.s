//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// Building of tables, as in fill.go.

// The numbers 0 to 63.
DATA ·indices<>+0(SB)/8, $0x0706050403020100
DATA ·indices<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA ·indices<>+16(SB)/8, $0x1716151413121110
DATA ·indices<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA ·indices<>+32(SB)/8, $0x2726252423222120
DATA ·indices<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA ·indices<>+48(SB)/8, $0x3736353433323130
DATA ·indices<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL ·indices<>(SB), RODATA|NOPTR, $64

// Shuffles that repeat each byte 1, 2 and 4 times, as high bytes of words.
DATA ·repeats<>+0(SB)/8, $0x0380028001800080
DATA ·repeats<>+8(SB)/8, $0x0780068005800480
DATA ·repeats<>+16(SB)/8, $0x0b800a8009800880
DATA ·repeats<>+24(SB)/8, $0x0f800e800d800c80
DATA ·repeats<>+32(SB)/8, $0x0180018000800080
DATA ·repeats<>+40(SB)/8, $0x0380038002800280
DATA ·repeats<>+48(SB)/8, $0x0580058004800480
DATA ·repeats<>+56(SB)/8, $0x0780078006800680
DATA ·repeats<>+64(SB)/8, $0x0080008000800080
DATA ·repeats<>+72(SB)/8, $0x0180018001800180
DATA ·repeats<>+80(SB)/8, $0x0280028002800280
DATA ·repeats<>+88(SB)/8, $0x0380038003800380
GLOBL ·repeats<>(SB), RODATA|NOPTR, $96

// Appends the symbols with the weight in Z4 to the row at DI+AX.
#define APPEND(WEIGHTS, INDICES) \
	VPCMPEQB     Z4, WEIGHTS, K1; \
	VPCOMPRESSB.Z INDICES, K1, Z5; \
	VMOVDQU8     Z5, (DI)(AX*1); \
	KMOVQ        K1, BX; \
	POPCNTQ      BX, BX; \
	ADDQ         BX, AX

// func orderAVX512(b *Builder, weights *[256]uint8) bool
TEXT ·orderAVX512(SB), NOSPLIT, $0-17
	MOVQ b+0(FP), R8
	MOVQ weights+8(FP), SI
	VMOVDQU8 0(SI), Z0
	VMOVDQU8 64(SI), Z1
	VMOVDQU8 128(SI), Z2
	VMOVDQU8 192(SI), Z3
	MOVL     $const_MaxBits, AX
	VPBROADCASTB AX, Z4
	VPMAXUB  Z0, Z1, Z5
	VPMAXUB  Z2, Z3, Z6
	VPMAXUB  Z5, Z6, Z5
	VPCMPUB  $6, Z4, Z5, K1
	KORTESTQ K1, K1
	JNZ      invalid
	VMOVDQU8 ·indices<>(SB), Z16
	MOVL     $64, AX
	VPBROADCASTB AX, Z7
	VPADDB   Z7, Z16, Z17
	VPADDB   Z7, Z17, Z18
	VPADDB   Z7, Z18, Z19
	LEAQ     (Builder_rows+const_rowSize)(R8), DI
	LEAQ     (Builder_count+4)(R8), DX
	MOVL     $1, CX

weight:
	VPBROADCASTB CX, Z4
	XORL AX, AX
	APPEND(Z0, Z16)
	APPEND(Z1, Z17)
	APPEND(Z2, Z18)
	APPEND(Z3, Z19)
	MOVL AX, (DX)
	ADDQ $4, DX
	ADDQ $const_rowSize, DI
	INCL CX
	CMPL CX, $const_MaxBits
	JLE  weight
	MOVB $1, ret+16(FP)
	VZEROUPPER
	RET

invalid:
	MOVB $0, ret+16(FP)
	VZEROUPPER
	RET

// func expandAVX2(t *Single, b *Builder, longest int)
//
// Stores of up to 16 entries may go beyond a row's part of the table, which the next row then
// overwrites. No row goes beyond the table: codes of less than eight entries cover half of it at
// most, since there are 256 symbols.
TEXT ·expandAVX2(SB), NOSPLIT, $0-24
	MOVQ t+0(FP), DI
	MOVQ b+8(FP), R8
	MOVQ longest+16(FP), R10 // length of the codes
	LEAQ (Builder_rows+const_rowSize)(R8), R9
	LEAQ (Builder_count+4)(R8), R8
	MOVL $const_MaxBits, R11 // 1<<R11 entries each
	SUBL R10, R11

row:
	MOVL (R8), CX
	TESTL CX, CX
	JZ   next
	MOVQ R9, SI
	VMOVD R10, X1
	VPBROADCASTW X1, Y1
	CMPL R11, $3
	JEQ  eight
	JGT  more

	// 16, 8 or 4 symbols at a time
	MOVQ R11, AX
	SHLQ $5, AX
	LEAQ ·repeats<>(SB), BX
	VMOVDQU (BX)(AX*1), Y2
	MOVL $16, AX
	SHRXL R11, AX, AX
	LEAL 1(R11), DX
	SHLXQ DX, CX, DX
	ADDQ DI, DX // the end

some:
	VBROADCASTI128 (SI), Y0
	VPSHUFB Y2, Y0, Y0
	VPOR    Y1, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    AX, SI
	ADDQ    $32, DI
	CMPQ    DI, DX
	JLT     some
	MOVQ    DX, DI
	JMP     next

eight:
	VPBROADCASTB (SI), X0
	VPSLLW  $8, X0, X0
	VPOR    X1, X0, X0
	VMOVDQU X0, (DI)
	INCQ    SI
	ADDQ    $16, DI
	DECL    CX
	JNZ     eight
	JMP     next

more:
	LEAL  -4(R11), AX
	MOVL  $32, DX
	SHLXQ AX, DX, DX // bytes each

symbol:
	VPBROADCASTB (SI), Y0
	VPSLLW  $8, Y0, Y0
	VPOR    Y1, Y0, Y0
	LEAQ    (DI)(DX*1), AX

copies:
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	CMPQ    DI, AX
	JLT     copies
	INCQ    SI
	DECL    CX
	JNZ     symbol

next:
	ADDQ $const_rowSize, R9
	ADDQ $4, R8
	INCL R11
	DECL R10
	JNZ  row
	VZEROUPPER
	RET

// func doubleFillAVX2(d *Double, s *Single)
//
// What a second byte adds to an entry depends only on the bits that are left for it. So there is
// one pattern for all first bytes with codes of BITS bits: 1<<(11-BITS) entries, to which their own
// entries are added. Every second entry of it, where the code still fits, is the pattern for codes
// with one more bit. The short codes are at the end of the table, and come first; the beginning is
// free for the pattern.
#define D    DI
#define S    SI
#define POS  R8  // entries below are missing
#define BITS R9
#define SIZE R10 // of the pattern
#define BASE AX

TEXT ·doubleFillAVX2(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), D
	MOVQ s+8(FP), S
	MOVL $0xff, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15 // length
	MOVL $0x100, AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14 // one byte
	MOVL $const_MaxBits, AX
	VMOVD AX, X13
	VPBROADCASTD X13, Y13 // the length that no longer fits
	VPCMPEQD Y12, Y12, Y12

	// the pattern for one bit
	MOVL $1, BITS
	MOVL $(1<<(const_MaxBits-1)), SIZE
	XORL CX, CX

first:
	VMOVDQU (S)(CX*4), Y0
	VPAND   Y15, Y0, Y1
	VPSRLD  $8, Y0, Y0
	VPSLLD  $24, Y0, Y0
	VPCMPGTD Y1, Y13, Y2
	VPOR    Y1, Y0, Y0
	VPOR    Y14, Y0, Y0
	VPAND   Y2, Y0, Y0
	VMOVDQU Y0, (D)(CX*4)
	ADDQ    $8, CX
	CMPQ    CX, SIZE
	JLT     first
	MOVL    $(1<<const_MaxBits), POS

code:
	MOVWLZX -2(S)(POS*2), BASE
	MOVBLZX BASE, BX
	CMPL    BITS, BX
	JLT     halve

add:
	SHRL  $8, BASE
	SHLL  $16, BASE
	LEAL  0x100(BASE)(BX*1), BASE
	SUBQ  SIZE, POS
	LEAQ  (D)(POS*4), DX
	CMPL  SIZE, $8
	JLT   few
	VMOVD BASE, X3
	VPBROADCASTD X3, Y3
	XORL  CX, CX

eights:
	VPADDD  (D)(CX*4), Y3, Y0
	VMOVDQU Y0, (DX)(CX*4)
	ADDQ    $8, CX
	CMPQ    CX, SIZE
	JLT     eights
	TESTQ   POS, POS
	JNZ     code
	VZEROUPPER
	RET

few:
	XORL CX, CX

one:
	MOVL (D)(CX*4), BX
	ADDL BASE, BX
	MOVL BX, (DX)(CX*4)
	INCQ CX
	CMPQ CX, SIZE
	JLT  one
	TESTQ POS, POS
	JNZ  code
	VZEROUPPER
	RET

halve:
	VPADDD Y12, Y13, Y13
	INCL   BITS
	SHRL   $1, SIZE
	XORL   CX, CX
	CMPL   SIZE, $8
	JLT    halveFew

halveEights:
	VMOVDQU (D)(CX*8), Y0
	VMOVDQU 32(D)(CX*8), Y1
	VSHUFPS $0x88, Y1, Y0, Y0
	VPERMQ  $0xd8, Y0, Y0
	VPAND   Y15, Y0, Y1
	VPCMPGTD Y1, Y13, Y2
	VPAND   Y2, Y0, Y0
	VMOVDQU Y0, (D)(CX*4)
	ADDQ    $8, CX
	CMPQ    CX, SIZE
	JLT     halveEights
	CMPL    BITS, BX
	JLT     halve
	JMP     add

halveFew:
	MOVL    $const_MaxBits, R11
	SUBL    BITS, R11 // bits left

halveOne:
	MOVL    (D)(CX*8), DX
	MOVBLZX DX, R12
	XORL    R13, R13
	CMPL    R12, R11
	CMOVLGT R13, DX
	MOVL    DX, (D)(CX*4)
	INCQ    CX
	CMPQ    CX, SIZE
	JLT     halveOne
	CMPL    BITS, BX
	JLT     halve
	JMP     add
