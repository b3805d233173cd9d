//go:build !purego

#include "textflag.h"

// How many bits numbers differ from the middle in.

#define SRC   SI
#define DST   DI
#define TIMES CX

#define ZERO  Y15
#define LOW   Y14 // the lower halves of bytes
#define NEAR  Y13 // the length of a lower half
#define FAR   Y12 // that of an upper half, with the lower one
#define MID   Y11
#define BYTE  Y10 // the lower half of each 16 bits
#define EIGHT Y9
#define WORD  Y8
#define MORE  Y7

DATA tables<>+0(SB)/8, $0x0303030302020100
DATA tables<>+8(SB)/8, $0x0404040404040404
DATA tables<>+16(SB)/8, $0x0707070706060500
DATA tables<>+24(SB)/8, $0x0808080808080808
DATA tables<>+32(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA tables<>+40(SB)/8, $0x8080808080808080
DATA tables<>+48(SB)/8, $0x8000800080008000
DATA tables<>+56(SB)/8, $0x8000000080000000
DATA tables<>+64(SB)/8, $0x8000000000000000
DATA tables<>+72(SB)/8, $0x0008000800080008
DATA tables<>+80(SB)/8, $0x0000001000000010
DATA tables<>+88(SB)/8, $0x0000002000000020
GLOBL tables<>(SB), RODATA|NOPTR, $96

#define OPEN(MIDDLE) \
	MOVQ out+0(FP), DST; \
	MOVQ latents+8(FP), SRC; \
	MOVQ parts+16(FP), TIMES; \
	VPXOR ZERO, ZERO, ZERO; \
	VBROADCASTI128 tables<>+0(SB), NEAR; \
	VBROADCASTI128 tables<>+16(SB), FAR; \
	VPBROADCASTQ tables<>+32(SB), LOW; \
	VPBROADCASTQ MIDDLE(SB), MID; \
	VPBROADCASTQ tables<>+72(SB), EIGHT; \
	VPBROADCASTQ tables<>+80(SB), WORD; \
	VPBROADCASTQ tables<>+88(SB), MORE; \
	VPCMPEQD BYTE, BYTE, BYTE; \
	VPSRLW $8, BYTE, BYTE

#define NEXT(bytes, label) \
	ADDQ $bytes, SRC; \
	ADDQ $16, DST; \
	DECQ TIMES; \
	JNZ  label; \
	VZEROUPPER; \
	RET

// The lengths of bytes.
#define BYTES(X, T) \
	VPSRLW $4, X, T; \
	VPAND  LOW, T, T; \
	VPAND  LOW, X, X; \
	VPSHUFB T, FAR, T; \
	VPSHUFB X, NEAR, X; \
	VPMAXUB T, X, X

// The lengths of words, of those of their bytes.
#define WORDS(X, T, U) \
	BYTES(X, T); \
	VPSRLW $8, X, T; \
	VPAND  BYTE, X, X; \
	VPCMPGTW ZERO, T, U; \
	VPADDW EIGHT, T, T; \
	VPAND  U, T, T; \
	VPMAXSW T, X, X

// The lengths of 32 bits.
#define LONGS(X, T, U) \
	WORDS(X, T, U); \
	VPSRLD $16, X, T; \
	VPSLLD $16, X, X; \
	VPSRLD $16, X, X; \
	VPCMPGTD ZERO, T, U; \
	VPADDD WORD, T, T; \
	VPAND  U, T, T; \
	VPMAXSW T, X, X

// Without the sign.
#define SIZE16(from, X, T) \
	VPXOR from(SRC), MID, X; \
	VPSRAW $15, X, T; \
	VPXOR T, X, X

#define SIZE32(from, X, T) \
	VPXOR from(SRC), MID, X; \
	VPSRAD $31, X, T; \
	VPXOR T, X, X

// The length of 64 bits in the lower half.
#define QUADS(from, X, T, U) \
	VPXOR from(SRC), MID, X; \
	VPCMPGTQ X, ZERO, T; \
	VPXOR T, X, X; \
	LONGS(X, T, U); \
	VPSRLQ $32, X, T; \
	VPSLLQ $32, X, X; \
	VPSRLQ $32, X, X; \
	VPCMPGTD ZERO, T, U; \
	VPADDD MORE, T, T; \
	VPAND  U, T, T; \
	VPMAXSW T, X, X

// Lengths in words become bytes.
#define PACK \
	VEXTRACTI128 $1, Y0, X1; \
	VPACKUSWB X1, X0, X0; \
	VMOVDQU X0, (DST)

// func lengths8Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths8Kernel(SB), NOSPLIT, $0-24
	OPEN(tables<>+40)

next:
	VPXOR    (SRC), X11, X0
	VPCMPGTB X0, X15, X1
	VPXOR    X1, X0, X0
	VPSRLW   $4, X0, X1
	VPAND    X14, X1, X1
	VPAND    X14, X0, X0
	VPSHUFB  X1, X12, X1
	VPSHUFB  X0, X13, X0
	VPMAXUB  X1, X0, X0
	VMOVDQU  X0, (DST)
	NEXT(16, next)

// func lengths16Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths16Kernel(SB), NOSPLIT, $0-24
	OPEN(tables<>+48)

next:
	SIZE16(0, Y0, Y1)
	WORDS(Y0, Y1, Y2)
	PACK
	NEXT(32, next)

// func lengths32Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths32Kernel(SB), NOSPLIT, $0-24
	OPEN(tables<>+56)

next:
	SIZE32(0, Y0, Y1)
	LONGS(Y0, Y1, Y2)
	SIZE32(32, Y3, Y1)
	LONGS(Y3, Y1, Y2)
	VPACKUSDW Y3, Y0, Y0
	PACK
	NEXT(64, next)

// func lengths64Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)
TEXT ·lengths64Kernel(SB), NOSPLIT, $0-24
	OPEN(tables<>+64)

next:
	QUADS(0, Y0, Y1, Y2)
	QUADS(32, Y3, Y1, Y2)
	VPSLLQ $32, Y3, Y3
	VPOR   Y3, Y0, Y0
	QUADS(64, Y3, Y1, Y2)
	QUADS(96, Y4, Y1, Y2)
	VPSLLQ $32, Y4, Y4
	VPOR   Y4, Y3, Y3
	VPACKUSDW Y3, Y0, Y0
	PACK
	NEXT(128, next)
