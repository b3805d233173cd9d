package pcodec

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/latents"
)

// A bin is a range of latents: those from lower that differ from it in offset bits.
type bin[L latent] struct {
	weight int // of the states
	lower  L
	offset int
}

// spread assigns states to symbols by their weights, whose sum is the number of states, a power of
// two. Symbols are numbered as bins.
func spread(states []uint16, weights []int) {
	size := len(states)
	stride := size*3/5 | 1

	at := 0
	for symbol, weight := range weights {
		for range weight {
			states[at] = uint16(symbol)
			at = (at + stride) & (size - 1)
		}
	}
}

// A builder has the scratch memory to build tables with.
type builder struct {
	states  []uint16
	weights []int
	nodes   []latents.Node // of symbols, without what differs from state to state
}

// buildTable makes the decoding table of the bins, which has no states if there is one bin.
func (v *variable[L]) buildTable() {
	if v.table == nil {
		v.table = new(latents.Table[L])
	}
	t := v.table
	t.Lowers = t.Lowers[:0]
	weights := v.builder.weights[:0]
	for i := range v.bins {
		weights = append(weights, v.bins[i].weight)
		t.Lowers = append(t.Lowers, v.bins[i].lower)
	}
	v.builder.weights = weights
	v.findBase()
	if len(v.bins) < 2 {
		return
	}

	size := 1 << v.sizeLog
	v.builder.states = sized(v.builder.states, size)
	states := v.builder.states
	clear(states)
	spread(states, weights)

	nodes := v.builder.nodes[:0]
	for i := range v.bins {
		nodes = append(nodes, v.node(i, &v.bins[i], 0, 0))
	}
	v.builder.nodes = nodes

	// The k-th state of a symbol of weight w continues at w+k, brought into the range of states.
	weights = weights[:len(nodes)]
	most := v.sizeLog + 1
	to := t.Nodes[:len(states)]
	for i, symbol := range states {
		x := weights[symbol]
		weights[symbol] = x + 1
		read := most - bits.Len(uint(x))
		to[i] = nodes[symbol] | latents.NodeOf(read, 0, x<<(read&63)-size, 0)
	}
}

// findBase finds whether bins of 64 bits are near to each other.
func (v *variable[L]) findBase() {
	t := v.table
	t.Base = 0
	t.Near = false
	if sizeOf[L]() < 8 || v.widest > 32 || len(t.Lowers) == 0 {
		return
	}

	// The first one is the least, before something was added, which wraps around.
	t.Base = t.Lowers[0]
	t.Near = !slices.ContainsFunc(t.Lowers, func(l L) bool { return uint64(l-t.Base) > math.MaxUint32 })
	if !t.Near {
		t.Base = 0
	}
}

// node returns the node of a bin.
func (v *variable[L]) node(symbol int, b *bin[L], read, next int) latents.Node {
	to := uint32(symbol)
	if sizeOf[L]() < 8 || v.table.Near {
		to = uint32(b.lower - v.table.Base)
	}
	return latents.NodeOf(read, b.offset, next, to)
}
