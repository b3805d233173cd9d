//go:build !purego

#include "textflag.h"

// Multiply, Quotients, Products, Add and ToSingles of undo.go, a vector at a time.

#define MULTIPLY(MUL, ADD) \
	MOVQ p+0(FP), SI; \
	MOVQ vectors+8(FP), CX; \
	VPBROADCASTQ step+16(FP), Y5; \
	VPBROADCASTQ first+24(FP), Y6; \
	VPSRLQ $32, Y5, Y7; \
next: \
	MUL; \
	ADD     Y6, Y0, Y0; \
	VMOVDQU Y0, (SI); \
	ADDQ    $32, SI; \
	DECQ    CX; \
	JNZ     next; \
	VZEROUPPER; \
	RET

// The products of even bytes, and above them those of odd ones.
#define MUL8 \
	VMOVDQU (SI), Y0; \
	VPSRLW  $8, Y0, Y1; \
	VPMULLW Y5, Y0, Y0; \
	VPMULLW Y5, Y1, Y1; \
	VPAND   Y8, Y0, Y0; \
	VPSLLW  $8, Y1, Y1; \
	VPOR    Y1, Y0, Y0

#define MUL16 VPMULLW (SI), Y5, Y0
#define MUL32 VPMULLD (SI), Y5, Y0

// The products of the lower halves, and above them those of each with the other's upper one.
#define MUL64 \
	VMOVDQU  (SI), Y0; \
	VPSRLQ   $32, Y0, Y1; \
	VPMULUDQ Y5, Y1, Y1; \
	VPMULUDQ Y7, Y0, Y2; \
	VPMULUDQ Y5, Y0, Y0; \
	VPADDQ   Y2, Y1, Y1; \
	VPSLLQ   $32, Y1, Y1; \
	VPADDQ   Y1, Y0, Y0

#define BY32(BY) \
	MOVQ p+0(FP), SI; \
	MOVQ vectors+8(FP), CX; \
	VPBROADCASTQ first+16(FP), Y5; \
	VBROADCASTSD by+24(FP), Y6; \
	VBROADCASTSD offset+32(FP), Y10; \
next: \
	VPADDD       (SI), Y5, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VCVTDQ2PD    X0, Y0; \
	VCVTDQ2PD    X1, Y1; \
	BY           Y6, Y0, Y0; \
	BY           Y6, Y1, Y1; \
	VADDPD       Y10, Y0, Y0; \
	VADDPD       Y10, Y1, Y1; \
	VCVTPD2PSY   Y0, X0; \
	VCVTPD2PSY   Y1, X1; \
	VMOVUPS      X0, (SI); \
	VMOVUPS      X1, 16(SI); \
	ADDQ         $32, SI; \
	DECQ         CX; \
	JNZ          next; \
	VZEROUPPER; \
	RET

// Halves of integers are in the lowest bits of numbers that are large enough. What these are more
// is subtracted, and only the last addition rounds.
DATA numbers<>+0(SB)/8, $0x4330000000000000 // 1<<52
DATA numbers<>+8(SB)/8, $0x4530000080000000 // 1<<84 + 1<<63
DATA numbers<>+16(SB)/8, $0x4530000080100000 // 1<<84 + 1<<63 + 1<<52
GLOBL numbers<>(SB), RODATA|NOPTR, $24

#define BY64(BY) \
	MOVQ p+0(FP), SI; \
	MOVQ vectors+8(FP), CX; \
	VPBROADCASTQ first+16(FP), Y5; \
	VBROADCASTSD by+24(FP), Y6; \
	VBROADCASTSD offset+32(FP), Y10; \
	VPBROADCASTQ numbers<>+0(SB), Y7; \
	VPBROADCASTQ numbers<>+8(SB), Y8; \
	VPBROADCASTQ numbers<>+16(SB), Y9; \
next: \
	VPADDQ   (SI), Y5, Y0; \
	VPSRLQ   $32, Y0, Y1; \
	VPXOR    Y8, Y1, Y1; \
	VPBLENDD $0xaa, Y7, Y0, Y0; \
	VSUBPD   Y9, Y1, Y1; \
	VADDPD   Y1, Y0, Y0; \
	BY       Y6, Y0, Y0; \
	VADDPD   Y10, Y0, Y0; \
	VMOVUPD  Y0, (SI); \
	ADDQ     $32, SI; \
	DECQ     CX; \
	JNZ      next; \
	VZEROUPPER; \
	RET

#define ADD(ADDITION) \
	MOVQ p+0(FP), SI; \
	MOVQ others+8(FP), DI; \
	MOVQ vectors+16(FP), CX; \
next: \
	VMOVDQU  (DI), Y0; \
	ADDITION (SI), Y0, Y0; \
	VMOVDQU  Y0, (SI); \
	ADDQ     $32, SI; \
	ADDQ     $32, DI; \
	DECQ     CX; \
	JNZ      next; \
	VZEROUPPER; \
	RET

// func multiply8Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply8Kernel(SB), NOSPLIT, $0-32
	VPCMPEQD Y8, Y8, Y8
	VPSRLW   $8, Y8, Y8
	MULTIPLY(MUL8, VPADDB)

// func multiply16Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply16Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(MUL16, VPADDW)

// func multiply32Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply32Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(MUL32, VPADDD)

// func multiply64Kernel(p unsafe.Pointer, vectors int, step, first uint64)
TEXT ·multiply64Kernel(SB), NOSPLIT, $0-32
	MULTIPLY(MUL64, VPADDQ)

// func quotients32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·quotients32Kernel(SB), NOSPLIT, $0-40
	BY32(VDIVPD)

// func quotients64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·quotients64Kernel(SB), NOSPLIT, $0-40
	BY64(VDIVPD)

// func products32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·products32Kernel(SB), NOSPLIT, $0-40
	BY32(VMULPD)

// func products64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)
TEXT ·products64Kernel(SB), NOSPLIT, $0-40
	BY64(VMULPD)

// func add32Kernel(p, others unsafe.Pointer, vectors int)
TEXT ·add32Kernel(SB), NOSPLIT, $0-24
	ADD(VPADDD)

// func add64Kernel(p, others unsafe.Pointer, vectors int)
TEXT ·add64Kernel(SB), NOSPLIT, $0-24
	ADD(VPADDQ)

// func toSinglesKernel(p unsafe.Pointer, vectors int)
TEXT ·toSinglesKernel(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ vectors+8(FP), CX

next:
	VCVTPD2PSY (SI), X0
	VCVTPS2PD  X0, Y0
	VMOVUPD    Y0, (SI)
	ADDQ       $32, SI
	DECQ       CX
	JNZ        next
	VZEROUPPER
	RET
