//go:build !purego

#include "textflag.h"

// A polynomial that is D bits before another, which is to say x^D times it, has the same remainder
// as two products of its halves with x^(D+32) and x^(D-32), reduced. Bits are in the order of the
// checksum, the highest power first; that makes products come out one bit low, so the constants are
// shifted up by one.
DATA by2048<>+0(SB)/8, $0xdcb17aa4
DATA by2048<>+8(SB)/8, $0xb9e02b86
GLOBL by2048<>(SB), RODATA|NOPTR, $16
DATA by512<>+0(SB)/8, $0x740eef02
DATA by512<>+8(SB)/8, $0x9e4addf8
GLOBL by512<>(SB), RODATA|NOPTR, $16
DATA by128<>+0(SB)/8, $0xf20c0dfe
DATA by128<>+8(SB)/8, $0x14cd00bd6
GLOBL by128<>(SB), RODATA|NOPTR, $16

#define REST   DI
#define SRC    SI
#define GROUPS CX
#define BY     Z10

// Moves A on to the position of the vector at NEXT, and adds that vector. Clobbers T.
#define MOVEON(A, T, NEXT) \
	VPCLMULQDQ $0x00, BY, A, T; \
	VPCLMULQDQ $0x11, BY, A, A; \
	VPTERNLOGQ $0x96, NEXT, T, A

// Adds A to B, which follows it. Clobbers T.
#define MERGE(A, T, B) \
	VPCLMULQDQ $0x00, BY, A, T; \
	VPCLMULQDQ $0x11, BY, A, A; \
	VPTERNLOGQ $0x96, A, T, B

// func foldAVX512(rest *[16]byte, b *byte, groups int, state uint32)
TEXT ·foldAVX512(SB), NOSPLIT, $0-28
	MOVQ rest+0(FP), REST
	MOVQ b+8(FP), SRC
	MOVQ groups+16(FP), GROUPS
	MOVL state+24(FP), AX
	VMOVDQU64 0(SRC), Z0
	VMOVDQU64 64(SRC), Z1
	VMOVDQU64 128(SRC), Z2
	VMOVDQU64 192(SRC), Z3
	VMOVD AX, X4
	VPXORQ Z4, Z0, Z0
	VBROADCASTI64X2 by2048<>(SB), BY
	ADDQ $256, SRC
	DECQ GROUPS
	JZ   merge

loop:
	MOVEON(Z0, Z4, 0(SRC))
	MOVEON(Z1, Z5, 64(SRC))
	MOVEON(Z2, Z6, 128(SRC))
	MOVEON(Z3, Z7, 192(SRC))
	ADDQ $256, SRC
	DECQ GROUPS
	JNZ  loop

merge:
	VBROADCASTI64X2 by512<>(SB), BY
	MERGE(Z0, Z4, Z1)
	MERGE(Z1, Z5, Z2)
	MERGE(Z2, Z6, Z3)

	// The four lanes of Z3, in X registers from here on.
	VBROADCASTI64X2 by128<>(SB), BY
	VEXTRACTI64X2 $1, Z3, X0
	VEXTRACTI64X2 $2, Z3, X1
	VEXTRACTI64X2 $3, Z3, X2
	VPCLMULQDQ $0x00, X10, X3, X4
	VPCLMULQDQ $0x11, X10, X3, X5
	VPTERNLOGQ $0x96, X4, X5, X0
	VPCLMULQDQ $0x00, X10, X0, X4
	VPCLMULQDQ $0x11, X10, X0, X5
	VPTERNLOGQ $0x96, X4, X5, X1
	VPCLMULQDQ $0x00, X10, X1, X4
	VPCLMULQDQ $0x11, X10, X1, X5
	VPTERNLOGQ $0x96, X4, X5, X2
	VMOVDQU X2, 0(REST)
	VZEROUPPER
	RET
