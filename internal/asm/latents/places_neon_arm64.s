//go:build !purego

#include "textflag.h"
#include "states_neon_arm64.h"

// The loops of places.go, four latents a turn. Most of the instructions for a latent depend on
// where the one before it ended, so that vectors gain nothing.

#define OUT    R14
#define AT     R15
#define LOWERS R16 // of latents of 64 bits that are not near
#define BASE   R16 // of others
#define BITS   R17 // of the stream, which belong to the next latents
#define N0     R19 // nodes, then offsets
#define N1     R20
#define N2     R21
#define N3     R22
#define W      R23
#define L0     R24
#define L1     R25
#define L2     R26
#define L3     R8 // is free while there are offsets

#define LOADNODES \
	LDP (NODES), (N0, N1); \
	LDP 16(NODES), (N2, N3)

#define LOAD \
	LSR  $3, AT, W; \
	MOVD (SRC)(W), BITS; \
	AND  $7, AT, W; \
	LSR  W, BITS, BITS

#define SKIP LSR W, BITS, BITS

// A node, whose upper half is added to its offset, or goes to NUMBER.
#define OFFSET(N) \
	LSR $8, N, W; \
	LSL W, ONES, T1; \
	BIC T1, BITS, T1; \
	ADD W.UXTB, AT; \
	ADD N>>32, T1, N

#define NUMBERED(N, NUMBER) \
	LSR $8, N, W; \
	LSL W, ONES, T1; \
	LSR $32, N, NUMBER; \
	BIC T1, BITS, N; \
	ADD W.UXTB, AT

#define BY14 \
	LOADNODES; \
	LOAD; \
	OFFSET(N0); \
	SKIP; \
	OFFSET(N1); \
	SKIP; \
	OFFSET(N2); \
	SKIP; \
	OFFSET(N3)

#define BY28 \
	LOADNODES; \
	LOAD; \
	OFFSET(N0); \
	SKIP; \
	OFFSET(N1); \
	LOAD; \
	OFFSET(N2); \
	SKIP; \
	OFFSET(N3)

#define BY57 \
	LOADNODES; \
	LOAD; \
	OFFSET(N0); \
	LOAD; \
	OFFSET(N1); \
	LOAD; \
	OFFSET(N2); \
	LOAD; \
	OFFSET(N3)

#define BY0 \
	LOADNODES; \
	LSR $32, N0; \
	LSR $32, N1; \
	LSR $32, N2; \
	LSR $32, N3

#define LOWERBY14 \
	LOADNODES; \
	LOAD; \
	NUMBERED(N0, L0); \
	SKIP; \
	NUMBERED(N1, L1); \
	SKIP; \
	NUMBERED(N2, L2); \
	SKIP; \
	NUMBERED(N3, L3)

#define LOWERBY28 \
	LOADNODES; \
	LOAD; \
	NUMBERED(N0, L0); \
	SKIP; \
	NUMBERED(N1, L1); \
	LOAD; \
	NUMBERED(N2, L2); \
	SKIP; \
	NUMBERED(N3, L3)

#define LOWERBY57 \
	LOADNODES; \
	LOAD; \
	NUMBERED(N0, L0); \
	LOAD; \
	NUMBERED(N1, L1); \
	LOAD; \
	NUMBERED(N2, L2); \
	LOAD; \
	NUMBERED(N3, L3)

// 64 bits behind any bit: the rest is in the byte behind. Of all 64, the mask is shifted in halves.
#define WIDE(N, NUMBER) \
	ADD   AT>>3, SRC, W; \
	AND   $7, AT, T0; \
	MOVD  (W), BITS; \
	MOVBU 8(W), W; \
	EOR   $63, T0, T1; \
	LSR   T0, BITS, BITS; \
	LSL   $1, W; \
	LSL   T1, W; \
	ORR   W, BITS; \
	UBFX  $8, N, $8, W; \
	LSR   $32, N, NUMBER; \
	LSR   $1, W, T0; \
	SUB   T0, W, T1; \
	LSL   T0, ONES, T0; \
	LSL   T1, T0, T0; \
	BIC   T0, BITS, N; \
	ADD   W, AT

#define LOWERBY64 \
	LOADNODES; \
	WIDE(N0, L0); \
	WIDE(N1, L1); \
	WIDE(N2, L2); \
	WIDE(N3, L3)

#define LOWERBY0 \
	LOADNODES; \
	LSR  $32, N0, L0; \
	LSR  $32, N1, L1; \
	LSR  $32, N2, L2; \
	LSR  $32, N3, L3; \
	MOVD (LOWERS)(L0<<3), N0; \
	MOVD (LOWERS)(L1<<3), N1; \
	MOVD (LOWERS)(L2<<3), N2; \
	MOVD (LOWERS)(L3<<3), N3

#define STORE8 \
	MOVB N0, (OUT); \
	MOVB N1, 1(OUT); \
	MOVB N2, 2(OUT); \
	MOVB N3, 3(OUT); \
	ADD  $4, OUT

#define STORE16 \
	MOVH N0, (OUT); \
	MOVH N1, 2(OUT); \
	MOVH N2, 4(OUT); \
	MOVH N3, 6(OUT); \
	ADD  $8, OUT

#define STORE32 \
	STPW.P (N0, N1), 8(OUT); \
	STPW.P (N2, N3), 8(OUT)

#define STORE64 \
	STP.P (N0, N1), 16(OUT); \
	STP.P (N2, N3), 16(OUT)

#define STORENEAR \
	ADD BASE, N0; \
	ADD BASE, N1; \
	ADD BASE, N2; \
	ADD BASE, N3; \
	STORE64

#define STORELOWER \
	MOVD (LOWERS)(L0<<3), L0; \
	MOVD (LOWERS)(L1<<3), L1; \
	MOVD (LOWERS)(L2<<3), L2; \
	MOVD (LOWERS)(L3<<3), L3; \
	ADD  L0, N0; \
	ADD  L1, N1; \
	ADD  L2, N2; \
	ADD  L3, N3; \
	STORE64

#define OPEN(ENDS) \
	MOVD dst+0(FP), OUT; \
	MOVD nodes+8(FP), NODES; \
	MOVD src+16(FP), SRC; \
	MOVD at+24(FP), AT; \
	MOVD ENDS, BASE; \
	MOVD turns+48(FP), TURNS; \
	MOVD $-1, ONES

#define TAKE(ENDS, OFFSETS, STORE) \
	OPEN(ENDS); \
next: \
	OFFSETS; \
	STORE; \
	ADD  $32, NODES; \
	SUBS $1, TURNS; \
	BNE  next; \
	MOVD AT, ret+56(FP); \
	RET

// The states of the next batch wait for each other, so that offsets take hardly any time.
#define JOIN(ENDS, OFFSETS, STORE) \
	OPEN(ENDS); \
	MOVD table+56(FP), TABLE; \
	ENTER(states+64(FP)); \
	MOVD next+72(FP), NEXT; \
	MOVD $0, SUM; \
next: \
	OFFSETS; \
	STORE; \
	STATES; \
	UBFX $8, T1, $8, T1; \
	ADD  T1, SUM; \
	CODES; \
	ADD  $32, NODES; \
	SUBS $1, TURNS; \
	BNE  next; \
	LEAVE(states+64(FP)); \
	MOVD AT, end+80(FP); \
	MOVD NEXT, ret+88(FP); \
	MOVD SUM, widths+96(FP); \
	RET

// func take8by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take8by0NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY0, STORE8)

// func take8by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take8by14NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY14, STORE8)

// func take16by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take16by0NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY0, STORE16)

// func take16by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take16by14NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY14, STORE16)

// func take16by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take16by28NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY28, STORE16)

// func take32by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take32by0NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY0, STORE32)

// func take32by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take32by14NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY14, STORE32)

// func take32by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take32by28NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY28, STORE32)

// func take32by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take32by57NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY57, STORE32)

// func take64nearby0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64nearby0NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY0, STORENEAR)

// func take64nearby14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64nearby14NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY14, STORENEAR)

// func take64nearby28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64nearby28NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY28, STORENEAR)

// func take64nearby57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64nearby57NEON(SB), NOSPLIT, $0-64
	TAKE(base+32(FP), BY57, STORENEAR)

// func take64by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64by0NEON(SB), NOSPLIT, $0-64
	TAKE(lowers+40(FP), LOWERBY0, STORE64)

// func take64by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64by14NEON(SB), NOSPLIT, $0-64
	TAKE(lowers+40(FP), LOWERBY14, STORELOWER)

// func take64by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64by28NEON(SB), NOSPLIT, $0-64
	TAKE(lowers+40(FP), LOWERBY28, STORELOWER)

// func take64by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64by57NEON(SB), NOSPLIT, $0-64
	TAKE(lowers+40(FP), LOWERBY57, STORELOWER)

// func take64by64NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int) uint
TEXT ·take64by64NEON(SB), NOSPLIT, $0-64
	TAKE(lowers+40(FP), LOWERBY64, STORELOWER)

// func join8by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join8by0NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY0, STORE8)

// func join8by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join8by14NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY14, STORE8)

// func join16by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join16by0NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY0, STORE16)

// func join16by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join16by14NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY14, STORE16)

// func join16by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join16by28NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY28, STORE16)

// func join32by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join32by0NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY0, STORE32)

// func join32by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join32by14NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY14, STORE32)

// func join32by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join32by28NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY28, STORE32)

// func join32by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join32by57NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY57, STORE32)

// func join64nearby0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64nearby0NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY0, STORENEAR)

// func join64nearby14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64nearby14NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY14, STORENEAR)

// func join64nearby28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64nearby28NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY28, STORENEAR)

// func join64nearby57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64nearby57NEON(SB), NOSPLIT, $0-104
	JOIN(base+32(FP), BY57, STORENEAR)

// func join64by0NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64by0NEON(SB), NOSPLIT, $0-104
	JOIN(lowers+40(FP), LOWERBY0, STORE64)

// func join64by14NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64by14NEON(SB), NOSPLIT, $0-104
	JOIN(lowers+40(FP), LOWERBY14, STORELOWER)

// func join64by28NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64by28NEON(SB), NOSPLIT, $0-104
	JOIN(lowers+40(FP), LOWERBY28, STORELOWER)

// func join64by57NEON(dst unsafe.Pointer, nodes *Node, src *byte, at uint,
//	base uint64, lowers *uint64, turns int, table *Node, states *[4]uint32,
//	next uint) (end, ret uint, widths int)
TEXT ·join64by57NEON(SB), NOSPLIT, $0-104
	JOIN(lowers+40(FP), LOWERBY57, STORELOWER)
