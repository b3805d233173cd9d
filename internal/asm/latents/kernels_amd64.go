//go:build !purego

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels of 32 bits and fewer do not use lowers.

//go:noescape
func symbols8AVX2(out *uint8, widths *uint16, nodes *Node, lowers *uint8, states *[4]uint32, src *byte, at uint, turns int) uint

//go:noescape
func symbols16AVX2(out *uint16, widths *uint16, nodes *Node, lowers *uint16, states *[4]uint32, src *byte, at uint, turns int) uint

//go:noescape
func symbols32AVX2(out *uint32, widths *uint16, nodes *Node, lowers *uint32, states *[4]uint32, src *byte, at uint, turns int) uint

//go:noescape
func symbols64AVX2(out *uint64, widths *uint16, nodes *Node, lowers *uint64, states *[4]uint32, src *byte, at uint, turns int) uint

// turns decodes a latent of each of the four states a turn.
func (t *Table[L]) turns(b *Batched[L], turns int, src []byte, at uint) uint {
	if !cpu.AVX2 {
		return t.turnsGeneric(b, turns, src, at)
	}

	widths := &b.Widths[0]
	nodes := &t.Nodes[0]
	switch out := any(&b.Latents[0]).(type) {
	case *uint8:
		return symbols8AVX2(out, widths, nodes, nil, &t.States, &src[0], at, turns)
	case *uint16:
		return symbols16AVX2(out, widths, nodes, nil, &t.States, &src[0], at, turns)
	case *uint32:
		return symbols32AVX2(out, widths, nodes, nil, &t.States, &src[0], at, turns)
	case *uint64:
		lowers := (*uint64)(unsafe.Pointer(&t.Lowers[0]))
		return symbols64AVX2(out, widths, nodes, lowers, &t.States, &src[0], at, turns)
	}
	return at
}

// The kernels named by 14 and 28 take offsets of at most so many bits, those named by 57 so many,
// and the one named by 64 any.

//go:noescape
func add8by14AVX2(out *uint8, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add16by14AVX2(out *uint16, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add16by28AVX2(out *uint16, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add32by14AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add32by28AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add32by57AVX2(out *uint32, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add64by14AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add64by28AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add64by57AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint

//go:noescape
func add64by64AVX2(out *uint64, widths *uint16, src *byte, at uint, turns int) uint

// add adds their offsets to the latents of some turns.
func (b *Batched[L]) add(turns, widest int, src []byte, at uint) uint {
	if !cpu.AVX2 {
		return b.addGeneric(0, turns*turn, src, at)
	}

	widths := &b.Widths[0]
	switch out := any(&b.Latents[0]).(type) {
	case *uint8:
		return add8by14AVX2(out, widths, &src[0], at, turns)
	case *uint16:
		if widest <= 14 {
			return add16by14AVX2(out, widths, &src[0], at, turns)
		}
		return add16by28AVX2(out, widths, &src[0], at, turns)
	case *uint32:
		switch {
		case widest <= 14:
			return add32by14AVX2(out, widths, &src[0], at, turns)
		case widest <= 28:
			return add32by28AVX2(out, widths, &src[0], at, turns)
		}
		return add32by57AVX2(out, widths, &src[0], at, turns)
	case *uint64:
		switch {
		case widest <= 14:
			return add64by14AVX2(out, widths, &src[0], at, turns)
		case widest <= 28:
			return add64by28AVX2(out, widths, &src[0], at, turns)
		case widest <= 57:
			return add64by57AVX2(out, widths, &src[0], at, turns)
		}
		return add64by64AVX2(out, widths, &src[0], at, turns)
	}
	return at
}
