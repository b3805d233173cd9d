//go:build !purego

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

//go:noescape
func symbolsNEON(nodes, table *Node, states *[4]uint32, src *byte, at uint, turns int) uint

// turns decodes a latent of each of the four states a turn.
func (t *Table[L]) turns(nodes *[Batch]Node, turns int, src []byte, at uint) uint {
	if !cpu.NEON {
		return t.turnsGeneric(nodes, turns, src, at)
	}
	return symbolsNEON(&nodes[0], &t.Nodes[0], &t.States, &src[0], at, turns)
}

// A taker takes offsets of adjacent latents, and returns where they end. Of latents of 64 bits,
// base is what lower ends in nodes are relative to, or lowers has them.
type taker func(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64, turns int) uint

// A joiner does so, and sets the nodes to those of the next batch, whose bits begin at next. It
// also returns where these end, and the widths of their offsets.
type joiner func(dst unsafe.Pointer, nodes *Node, src *byte, at uint, base uint64, lowers *uint64, turns int,
	table *Node, states *[4]uint32, next uint) (end, ret uint, widths int)

// latents does what Latents does, of the first nodes, and returns of how many.
func (t *Table[L]) latents(p *Places[L], nodes []Node, widest int, src []byte, at uint) (uint, int) {
	if !cpu.NEON || len(nodes) < turn {
		return at, 0
	}

	kernel := takers[t.kind()][kernelFor(widest)]
	base, lowers := t.ends()
	done := 0
	for {
		n := p.ready(len(nodes)-done) / turn * turn
		if n == 0 {
			return at, done
		}
		out := p.take(n)
		at = kernel(unsafe.Pointer(&out[0]), &nodes[done], &src[0], at, base, lowers, n/turn)
		done += n
	}
}

// ready returns how many of the next n places are adjacent, of a new segment if one has ended.
func (p *Places[L]) ready(n int) int {
	if n > 0 && p.from == p.to {
		if p.index >= len(p.segments) {
			return 0
		}
		p.take(0)
	}
	return min(n, p.to-p.from)
}

// kind returns the row of kernels for the latents.
func (t *Table[L]) kind() int {
	switch width[L]() {
	case 8:
		return 0
	case 16:
		return 1
	case 32:
		return 2
	}
	if t.Near {
		return 3
	}
	return 4
}

// ends returns what kernels need for the lower ends of latents of 64 bits.
func (t *Table[L]) ends() (uint64, *uint64) {
	if width[L]() < 64 || t.Near || len(t.Lowers) == 0 {
		return uint64(t.Base), nil
	}
	return 0, (*uint64)(unsafe.Pointer(&t.Lowers[0]))
}

// kernelFor returns the column of kernels for offsets of so many bits. Those of the last one are
// longer than what a load surely has.
func kernelFor(widest int) int {
	switch {
	case widest == 0:
		return 0
	case widest <= 14:
		return 1
	case widest <= 28:
		return 2
	case widest <= 57:
		return 3
	}
	return 4
}

// joins is Joins.
func (t *Table[L]) joins(widest int) bool { return cpu.NEON && widest <= 57 }

// both is Next with a kernel.
func (t *Table[L]) both(p *Places[L], nodes *[Batch]Node, widest int, src []byte, at, next uint) (uint, int, bool) {
	if !t.joins(widest) || !p.inTurns(turn) {
		return 0, 0, false
	}

	kernel := joiners[t.kind()][kernelFor(widest)]
	base, lowers := t.ends()
	sum := 0
	for done := 0; done < Batch; {
		out := p.take(Batch - done)
		widths := 0
		at, next, widths = kernel(unsafe.Pointer(&out[0]), &nodes[done], &src[0], at, base, lowers, len(out)/turn,
			&t.Nodes[0], &t.States, next)
		done += len(out)
		sum += widths
	}
	return next, sum, true
}
