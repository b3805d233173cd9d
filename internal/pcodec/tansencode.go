package pcodec

import (
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/bins"
)

// tans codes symbols.
type tans struct {
	coder  bins.Coder
	states []uint16 // scratch of prepare
	next   []int
}

// prepare makes the tables for symbols with these weights.
func (t *tans) prepare(weights []int, sizeLog int) {
	size := 1 << sizeLog
	t.states = sized(t.states, size)
	spread(t.states, weights)

	t.coder.Symbols = sized(t.coder.Symbols, len(weights))
	first := 0
	t.next = sized(t.next, len(weights))
	for i, weight := range weights {
		// A state is shifted until it is at least weight and less than twice that.
		most := sizeLog - bits.Len(uint(2*weight-1)) + 2
		t.coder.Symbols[i] = bins.Symbol{Add: uint32(most<<16 - weight<<most), From: int32(first - weight)}
		t.next[i] = first
		first += weight
	}
	for state, symbol := range t.states {
		t.coder.Table[t.next[symbol]] = uint16(size + state)
		t.next[symbol]++
	}
}
