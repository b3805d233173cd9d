//go:build !purego

#include "textflag.h"
#include "states_neon_arm64.h"

// turnsGeneric in latents.go.

// func symbolsNEON(nodes, table *Node, states *[4]uint32, src *byte, at uint, turns int) uint
TEXT ·symbolsNEON(SB), NOSPLIT, $0-56
	MOVD nodes+0(FP), NODES
	MOVD table+8(FP), TABLE
	ENTER(states+16(FP))
	MOVD src+24(FP), SRC
	MOVD at+32(FP), NEXT
	MOVD turns+40(FP), TURNS
	MOVD $-1, ONES

next:
	STATES
	CODES
	ADD  $32, NODES
	SUBS $1, TURNS
	BNE  next

	LEAVE(states+16(FP))
	MOVD NEXT, ret+48(FP)
	RET
