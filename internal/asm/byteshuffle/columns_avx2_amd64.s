//go:build !purego

#include "textflag.h"

// Byte shuffle of 16 bytes of each item, whatever the distance between items: 16x16 bytes are
// transposed in each lane. Sixteen registers are too few for that at once, so it takes two passes
// of two steps through memory on the stack. The notation is that of shuffle_avx2_amd64.s. Scratch
// is two halves of 32 items, 16 registers each.

#define DST     DI
#define SRC     SI
#define GROUPS  R8
#define SCRATCH R10
#define LEFT    R11
#define STEP    R12  // from one line of registers to the next, in bytes
#define STEP4   CX
#define STEP12  DX
#define P       AX
#define Q       BX
#define PITCH   R13
#define PITCH3  R14  // Go keeps g here only in functions of its own calling convention

#define LANES(low, high, X, Y) \
	VMOVDQU low, X; \
	VINSERTI128 $1, high, Y, Y

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

// The steps that pair registers 8 and 4 apart, on registers k, k+4, k+8 and k+12.
#define UNPACK84(A, B, C, D, E, F, G, H) \
	UNPACK(A, C, E, G); \
	UNPACK(B, D, F, H); \
	UNPACK(E, F, A, B); \
	UNPACK(G, H, C, D)

// The steps that pair registers 2 and 1 apart, on registers 4k to 4k+3.
#define UNPACK21(A, B, C, D, E, F, G, H) \
	UNPACK(A, C, E, G); \
	UNPACK(B, D, F, H); \
	UNPACK(E, F, A, B); \
	UNPACK(G, H, C, D)

#define ALIGN_SCRATCH \
	LEAQ scratch-1056(SP), SCRATCH; \
	ADDQ $31, SCRATCH; \
	ANDQ $~31, SCRATCH

// Whether to prefetch the next line of each row, as in shuffle_avx512_amd64.s.
#define FAR R9

// func shuffleColumnsAVX2(dst *byte, pitch int, src *byte, stride, groups, quads int)
TEXT ·shuffleColumnsAVX2(SB), 0, $1056-48
	MOVQ dst+0(FP), DST
	MOVQ pitch+8(FP), PITCH
	MOVQ src+16(FP), SRC
	MOVQ stride+24(FP), STEP
	MOVQ groups+32(FP), GROUPS
	LEAQ (PITCH)(PITCH*2), PITCH3
	LEAQ (STEP*4), STEP4
	LEAQ (STEP4)(STEP4*2), STEP12
	ALIGN_SCRATCH
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	MOVQ $2, LEFT // halves of 32 items

half:
	MOVQ $4, R9 // items k, k+4, … of each lane
	MOVQ SRC, P
	LEAQ (SRC)(STEP4*4), Q

pass1:
	LANES((P), (Q), X0, Y0)
	LANES((P)(STEP4*1), (Q)(STEP4*1), X1, Y1)
	LANES((P)(STEP4*2), (Q)(STEP4*2), X2, Y2)
	LANES((P)(STEP12*1), (Q)(STEP12*1), X3, Y3)
	UNPACK84(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVDQA Y0, 0(SCRATCH)
	VMOVDQA Y1, 128(SCRATCH)
	VMOVDQA Y2, 256(SCRATCH)
	VMOVDQA Y3, 384(SCRATCH)
	ADDQ STEP, P
	ADDQ STEP, Q
	ADDQ $32, SCRATCH
	DECQ R9
	JNZ  pass1
	LEAQ (SRC)(STEP4*8), SRC
	ADDQ $384, SCRATCH
	DECQ LEFT
	JNZ  half
	SUBQ $1024, SCRATCH

	MOVQ DST, P
	MOVQ quads+40(FP), LEFT
	XORQ FAR, FAR
	CMPQ PITCH, $1024
	JBE  pass2
	MOVQ $1023, FAR
	ANDQ PITCH, FAR

pass2:
	TESTQ FAR, FAR
	JZ   near
	PREFETCHT0 64(P)
	PREFETCHT0 64(P)(PITCH*1)
	PREFETCHT0 64(P)(PITCH*2)
	PREFETCHT0 64(P)(PITCH3*1)

near:
	VMOVDQA 0(SCRATCH), Y0
	VMOVDQA 32(SCRATCH), Y1
	VMOVDQA 64(SCRATCH), Y2
	VMOVDQA 96(SCRATCH), Y3
	VMOVDQA 512(SCRATCH), Y4
	VMOVDQA 544(SCRATCH), Y5
	VMOVDQA 576(SCRATCH), Y6
	VMOVDQA 608(SCRATCH), Y7
	UNPACK21(Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11)
	UNPACK21(Y4, Y5, Y6, Y7, Y12, Y13, Y14, Y15)
	VMOVDQU Y0, 0(P)
	VMOVDQU Y4, 32(P)
	VMOVDQU Y1, 0(P)(PITCH*1)
	VMOVDQU Y5, 32(P)(PITCH*1)
	VMOVDQU Y2, 0(P)(PITCH*2)
	VMOVDQU Y6, 32(P)(PITCH*2)
	VMOVDQU Y3, 0(P)(PITCH3*1)
	VMOVDQU Y7, 32(P)(PITCH3*1)
	LEAQ (P)(PITCH*4), P
	ADDQ $128, SCRATCH
	DECQ LEFT
	JNZ  pass2
	ALIGN_SCRATCH

	ADDQ $64, DST
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET

// func unshuffleColumnsAVX2(dst *byte, stride int, src *byte, pitch, groups int)
TEXT ·unshuffleColumnsAVX2(SB), 0, $1056-40
	MOVQ dst+0(FP), DST
	MOVQ stride+8(FP), STEP
	MOVQ src+16(FP), SRC
	MOVQ pitch+24(FP), PITCH
	MOVQ groups+32(FP), GROUPS
	LEAQ (STEP)(STEP*2), PITCH3 // three items, in the second pass
	LEAQ (PITCH*4), STEP4
	LEAQ (STEP4)(STEP4*2), STEP12
	ALIGN_SCRATCH
	TESTQ GROUPS, GROUPS
	JZ   done

loop:
	MOVQ $4, LEFT // planes k, k+4, …
	MOVQ SRC, P

pass1:
	VMOVDQU 0(P), Y0
	VMOVDQU 0(P)(STEP4*1), Y1
	VMOVDQU 0(P)(STEP4*2), Y2
	VMOVDQU 0(P)(STEP12*1), Y3
	VMOVDQU 32(P), Y4
	VMOVDQU 32(P)(STEP4*1), Y5
	VMOVDQU 32(P)(STEP4*2), Y6
	VMOVDQU 32(P)(STEP12*1), Y7
	UNPACK84(Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11)
	UNPACK84(Y4, Y5, Y6, Y7, Y12, Y13, Y14, Y15)
	VMOVDQA Y0, 0(SCRATCH)
	VMOVDQA Y1, 128(SCRATCH)
	VMOVDQA Y2, 256(SCRATCH)
	VMOVDQA Y3, 384(SCRATCH)
	VMOVDQA Y4, 512(SCRATCH)
	VMOVDQA Y5, 640(SCRATCH)
	VMOVDQA Y6, 768(SCRATCH)
	VMOVDQA Y7, 896(SCRATCH)
	ADDQ PITCH, P
	ADDQ $32, SCRATCH
	DECQ LEFT
	JNZ  pass1
	SUBQ $128, SCRATCH
	MOVQ $2, LEFT // halves of 32 items

half:
	MOVQ $4, R9
	MOVQ STEP, Q
	SHLQ $4, Q
	ADDQ DST, Q // the high lanes' items

pass2:
	VMOVDQA 0(SCRATCH), Y0
	VMOVDQA 32(SCRATCH), Y1
	VMOVDQA 64(SCRATCH), Y2
	VMOVDQA 96(SCRATCH), Y3
	UNPACK21(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVDQU X0, (DST)
	VMOVDQU X1, (DST)(STEP*1)
	VMOVDQU X2, (DST)(STEP*2)
	VMOVDQU X3, (DST)(PITCH3*1)
	VEXTRACTI128 $1, Y0, (Q)
	VEXTRACTI128 $1, Y1, (Q)(STEP*1)
	VEXTRACTI128 $1, Y2, (Q)(STEP*2)
	VEXTRACTI128 $1, Y3, (Q)(PITCH3*1)
	LEAQ (DST)(STEP*4), DST
	LEAQ (Q)(STEP*4), Q
	ADDQ $128, SCRATCH
	DECQ R9
	JNZ  pass2
	MOVQ Q, DST
	DECQ LEFT
	JNZ  half
	SUBQ $1024, SCRATCH

	ADDQ $64, SRC
	DECQ GROUPS
	JNZ  loop

done:
	VZEROUPPER
	RET
