//go:build !purego

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels take the offsets of a batch, of at most as many bits as the second number in their
// names, and set its nodes to those of the next batch. They return where the states of that end,
// and the widths of its offsets.

//go:noescape
func both8by25AVX2(places *Places[uint8], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

//go:noescape
func both16by25AVX2(places *Places[uint16], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

//go:noescape
func both32by25AVX2(places *Places[uint32], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

//go:noescape
func both32by32AVX2(places *Places[uint32], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

//go:noescape
func both64by25AVX2(places *Places[uint64], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

//go:noescape
func both64by32AVX2(places *Places[uint64], nodes *Node, base uint64, src *byte, at uint, table *Node,
	states *[4]uint32, next uint) (ret uint, widths int)

// joins is Joins.
func (t *Table[L]) joins(widest int) bool {
	return cpu.AVX2 && widest > 0 && widest <= 32 && (unsafe.Sizeof(L(0)) < 8 || t.Near)
}

// both is Next with a kernel, if there is one.
func (t *Table[L]) both(p *Places[L], nodes *[Batch]Node, widest int, src []byte, at, next uint) (uint, int, bool) {
	if !t.joins(widest) || !p.inTurns(8) {
		return 0, 0, false
	}

	node := &nodes[0]
	table := &t.Nodes[0]
	s := &src[0]
	end := uint(0)
	widths := 0
	switch p := any(p).(type) {
	case *Places[uint8]:
		end, widths = both8by25AVX2(p, node, 0, s, at, table, &t.States, next)
	case *Places[uint16]:
		end, widths = both16by25AVX2(p, node, 0, s, at, table, &t.States, next)
	case *Places[uint32]:
		if widest <= 25 {
			end, widths = both32by25AVX2(p, node, 0, s, at, table, &t.States, next)
		} else {
			end, widths = both32by32AVX2(p, node, 0, s, at, table, &t.States, next)
		}
	case *Places[uint64]:
		if widest <= 25 {
			end, widths = both64by25AVX2(p, node, uint64(t.Base), s, at, table, &t.States, next)
		} else {
			end, widths = both64by32AVX2(p, node, uint64(t.Base), s, at, table, &t.States, next)
		}
	}
	return end, widths, true
}
