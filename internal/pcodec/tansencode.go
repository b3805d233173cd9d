package pcodec

import "math/bits"

// tans codes symbols.
type tans struct {
	table   [1 << maxSizeLog]uint16 // next states, of all symbols one after the other
	symbols []symbol
	states  []uint16 // scratch of prepare
	next    []int
	state   [interleaved]uint32
}

// symbol is how tANS codes a bin.
type symbol struct {
	add  uint32 // to a state, whose upper half is then the number of bits
	from int32  // into the table
}

// prepare makes the tables for symbols with these weights.
func (t *tans) prepare(weights []int, sizeLog int) {
	size := 1 << sizeLog
	t.states = sized(t.states, size)
	spread(t.states, weights)

	t.symbols = sized(t.symbols, len(weights))
	first := 0
	t.next = sized(t.next, len(weights))
	for i, weight := range weights {
		// A state is shifted until it is at least weight and less than twice that.
		most := sizeLog - bits.Len(uint(2*weight-1)) + 2
		t.symbols[i] = symbol{uint32(most<<16 - weight<<most), int32(first - weight)}
		t.next[i] = first
		first += weight
	}
	for state, symbol := range t.states {
		t.table[t.next[symbol]] = uint16(size + state)
		t.next[symbol]++
	}
}

// encode sets states to what they write for symbols: bits, and in the upper half how many.
func (t *tans) encode(states []uint32, symbols []uint16) {
	symbols = symbols[:len(states)]
	n := len(states)
	for ; n%interleaved > 0; n-- {
		states[n-1] = t.code(&t.state[(n-1)%interleaved], symbols[n-1])
	}

	// The four are written out, so that they stay in registers.
	a := t.state[0]
	b := t.state[1]
	c := t.state[2]
	d := t.state[3]
	for ; n >= interleaved; n -= interleaved {
		out := (*[interleaved]uint32)(states[n-interleaved:])
		s := (*[interleaved]uint16)(symbols[n-interleaved:])
		out[3] = t.code(&d, s[3])
		out[2] = t.code(&c, s[2])
		out[1] = t.code(&b, s[1])
		out[0] = t.code(&a, s[0])
	}
	t.state = [interleaved]uint32{a, b, c, d}
}

// code returns what a state writes for a symbol, and changes it to the next one.
func (t *tans) code(state *uint32, symbol uint16) uint32 {
	s := &t.symbols[symbol]
	now := *state
	length := (now + s.add) >> 16
	*state = uint32(t.table[uint32(int32(now>>(length&31))+s.from)%(1<<maxSizeLog)])
	return now&(1<<(length&31)-1) | length<<16
}
