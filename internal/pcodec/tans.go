package pcodec

import "math/bits"

// A bin is a range of latents: those from lower that differ from it in offset bits.
type bin[L latent] struct {
	weight int // of the states
	lower  L
	offset int
}

// A node says what a state of tANS decodes to, and how the next state is found.
type node[L latent] struct {
	lower  L
	next   uint16 // next state, without the bits that are read
	read   uint8  // bits to read for it
	offset uint8  // bits of the offset from lower
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

// nodesOf returns the decoding table of bins. Without bins it has one node for latents of 0.
func nodesOf[L latent](nodes []node[L], states []uint16, sizeLog int, bins []bin[L]) []node[L] {
	size := 1 << sizeLog
	nodes = nodes[:size]
	if len(bins) == 0 {
		clear(nodes)
		return nodes
	}

	weights := make([]int, len(bins))
	for i := range bins {
		weights[i] = bins[i].weight
	}
	spread(states[:size], weights)

	// The k-th state of a symbol of weight w continues at w+k, brought into the range of states.
	for i, symbol := range states[:size] {
		b := &bins[symbol]
		x := weights[symbol]
		weights[symbol]++

		read := sizeLog - (bits.Len(uint(x)) - 1)
		nodes[i] = node[L]{
			lower:  b.lower,
			next:   uint16(x<<read - size),
			read:   uint8(read),
			offset: uint8(b.offset),
		}
	}
	return nodes
}
