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

//go:noescape
func latents8by14AVX2(places *Places[uint8], nodes *Node, lowers *uint8, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents16by14AVX2(places *Places[uint16], nodes *Node, lowers *uint16, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents16by28AVX2(places *Places[uint16], nodes *Node, lowers *uint16, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents32by14AVX2(places *Places[uint32], nodes *Node, lowers *uint32, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents32by28AVX2(places *Places[uint32], nodes *Node, lowers *uint32, src *byte, at uint, turns int) (ret uint, left int)

//go:noescape
func latents32by57AVX2(places *Places[uint32], nodes *Node, lowers *uint32, src *byte, at uint, turns int) (ret uint, left int)

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

	left := turns
	node := &nodes[0]
	s := &src[0]
	switch p := any(p).(type) {
	case *Places[uint8]:
		if widest == 0 {
			at, left = latents8by0AVX2(p, node, nil, s, at, turns)
		} else {
			at, left = latents8by14AVX2(p, node, nil, s, at, turns)
		}
	case *Places[uint16]:
		switch {
		case widest == 0:
			at, left = latents16by0AVX2(p, node, nil, s, at, turns)
		case widest <= 14:
			at, left = latents16by14AVX2(p, node, nil, s, at, turns)
		default:
			at, left = latents16by28AVX2(p, node, nil, s, at, turns)
		}
	case *Places[uint32]:
		switch {
		case widest == 0:
			at, left = latents32by0AVX2(p, node, nil, s, at, turns)
		case widest <= 14:
			at, left = latents32by14AVX2(p, node, nil, s, at, turns)
		case widest <= 28:
			at, left = latents32by28AVX2(p, node, nil, s, at, turns)
		default:
			at, left = latents32by57AVX2(p, node, nil, s, at, turns)
		}
	case *Places[uint64]:
		at, left = latents64(p, node, (*uint64)(unsafe.Pointer(&t.Lowers[0])), widest, s, at, turns)
	}
	return at, (turns - left) * turn
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
