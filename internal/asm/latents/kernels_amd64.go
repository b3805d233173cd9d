//go:build !purego

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

//go:noescape
func symbolsAVX2(nodes, table *Node, states *[4]uint32, src *byte, at uint, turns int) uint

// turns decodes a latent of each of the four states a turn.
func (t *Table[L]) turns(nodes *[Batch]Node, turns int, src []byte, at uint) uint {
	if !cpu.AVX2 {
		return t.turnsGeneric(nodes, turns, src, at)
	}
	return symbolsAVX2(&nodes[0], &t.Nodes[0], &t.States, &src[0], at, turns)
}

// A kernel takes offsets of at most as many bits as the second number in its name. Those of 32 bits
// and fewer do not use lowers. They return where bits end, and how many turns are left.

//go:noescape
func latents8by0AVX2(places *Places[uint8], nodes *Node, lowers *uint8, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents16by0AVX2(places *Places[uint16], nodes *Node, lowers *uint16, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents32by0AVX2(places *Places[uint32], nodes *Node, lowers *uint32, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents64by0AVX2(places *Places[uint64], nodes *Node, lowers *uint64, src *byte, at uint, turns int) (ret uint, left int)

// These take eight latents a turn.

//go:noescape
func eights8by25AVX2(places *Places[uint8], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func eights16by25AVX2(places *Places[uint16], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func eights32by25AVX2(places *Places[uint32], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func eights32by32AVX2(places *Places[uint32], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func eights64by25AVX2(places *Places[uint64], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func eights64by32AVX2(places *Places[uint64], nodes *Node, base uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents64by14AVX2(places *Places[uint64], nodes *Node, lowers *uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents64by28AVX2(places *Places[uint64], nodes *Node, lowers *uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents64by57AVX2(places *Places[uint64], nodes *Node, lowers *uint64, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents64by64AVX2(places *Places[uint64], nodes *Node, lowers *uint64, src *byte, at uint, turns int) (ret uint, left int)

// latents does what Latents does, of the first nodes, and returns of how many.
func (t *Table[L]) latents(p *Places[L], nodes []Node, widest int, src []byte, at uint) (uint, int) {
	turns := len(nodes) / turn
	if !cpu.AVX2 || turns == 0 {
		return at, 0
	}
	if widest > 0 && widest <= 32 && (unsafe.Sizeof(L(0)) < 8 || t.Near) {
		return t.eights(p, nodes, widest, src, at)
	}

	left := turns
	node := &nodes[0]
	s := &src[0]
	switch p := any(p).(type) {
	case *Places[uint8]:
		at, left = latents8by0AVX2(p, node, nil, s, at, turns)
	case *Places[uint16]:
		at, left = latents16by0AVX2(p, node, nil, s, at, turns)
	case *Places[uint32]:
		at, left = latents32by0AVX2(p, node, nil, s, at, turns)
	case *Places[uint64]:
		if t.Near {
			break
		}
		at, left = latents64(p, node, (*uint64)(unsafe.Pointer(&t.Lowers[0])), widest, s, at, turns)
	}
	return at, (turns - left) * turn
}

// eights is latents of offsets of 1 to 32 bits.
func (t *Table[L]) eights(p *Places[L], nodes []Node, widest int, src []byte, at uint) (uint, int) {
	turns := len(nodes) / 8
	if turns == 0 {
		return at, 0
	}

	left := turns
	node := &nodes[0]
	s := &src[0]
	switch p := any(p).(type) {
	case *Places[uint8]:
		at, left = eights8by25AVX2(p, node, 0, s, at, turns)
	case *Places[uint16]:
		at, left = eights16by25AVX2(p, node, 0, s, at, turns)
	case *Places[uint32]:
		if widest <= 25 {
			at, left = eights32by25AVX2(p, node, 0, s, at, turns)
		} else {
			at, left = eights32by32AVX2(p, node, 0, s, at, turns)
		}
	case *Places[uint64]:
		if widest <= 25 {
			at, left = eights64by25AVX2(p, node, uint64(t.Base), s, at, turns)
		} else {
			at, left = eights64by32AVX2(p, node, uint64(t.Base), s, at, turns)
		}
	}
	return at, (turns - left) * 8
}

// latents64 is latents of 64 bits.
func latents64(p *Places[uint64], node *Node, lowers *uint64, widest int, s *byte, at uint, turns int) (uint, int) {
	switch {
	case widest == 0:
		return latents64by0AVX2(p, node, lowers, s, at, turns)
	case widest <= 14:
		return latents64by14AVX2(p, node, lowers, s, at, turns)
	case widest <= 28:
		return latents64by28AVX2(p, node, lowers, s, at, turns)
	case widest <= 57:
		return latents64by57AVX2(p, node, lowers, s, at, turns)
	}
	return latents64by64AVX2(p, node, lowers, s, at, turns)
}
