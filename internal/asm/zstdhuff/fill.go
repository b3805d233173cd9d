package zstdhuff

import "math/bits"

// rowSize is the length of a row of symbols: as many as there are, and what a kernel writes or
// reads beyond them.
const rowSize = 256 + 64

// A Builder builds tables of codes.
type Builder struct {
	rows  [MaxBits + 1][rowSize]uint8 // symbols of each weight, in ascending order
	count [MaxBits + 1]uint32         // how many there are
}

// Fill builds the table of a code from the weights of its first n symbols, at most 255, and one
// more that completes the code (RFC 8878 §4.2.1); the weights of others are 0. A symbol of weight
// w has a code of longest+1-w bits. Fill reports whether there is such a code of at most MaxBits
// bits.
func (b *Builder) Fill(t *Single, weights *[256]uint8, n int) bool {
	if !b.order(weights) {
		return false
	}

	total := 0
	for w := 1; w <= MaxBits; w++ {
		total += int(b.count[w]) << (w - 1)
	}

	longest := bits.Len(uint(total))
	rest := 1<<longest - total
	if total == 0 || longest > MaxBits || rest&(rest-1) != 0 {
		return false
	}

	last := bits.Len(uint(rest))
	b.rows[last][b.count[last]] = uint8(n)
	b.count[last]++
	if b.count[1] < 2 || b.count[1]%2 != 0 {
		return false
	}

	b.expand(t, longest)
	return true
}

// orderGeneric is the portable order: it sorts symbols by weight, and reports whether no weight is
// above MaxBits.
func (b *Builder) orderGeneric(weights *[256]uint8) bool {
	clear(b.count[:])
	for s, w := range weights {
		if w > MaxBits {
			return false
		}
		n := b.count[w]
		b.rows[w][n%rowSize] = uint8(s)
		b.count[w] = n + 1
	}
	return true
}

// expandGeneric is the portable expand: codes of equal length are adjacent in the table, the
// longest first, and shorter codes cover more of it.
func (b *Builder) expandGeneric(t *Single, longest int) {
	at := 0
	for w := 1; w <= longest; w++ {
		run := 1 << (w - 1 + MaxBits - longest)
		for _, s := range b.rows[w][:b.count[w]] {
			fillRun(t[at:at+run], uint16(s)<<8|uint16(longest+1-w))
			at += run
		}
	}
}

// fillRun sets a range of a table to one entry.
func fillRun(t []uint16, e uint16) {
	head := t[:min(16, len(t))]
	for i := range head {
		head[i] = e
	}

	for n := 16; n < len(t); n *= 2 {
		copy(t[n:], t[:n])
	}
}

// fillGeneric is the portable [Double.Fill].
func (d *Double) fillGeneric(s *Single) {
	for i := 0; i < len(s); {
		first := uint32(s[i])
		bits := first & 0xff
		run := min(1<<(MaxBits-bits&15), len(s)-i)
		one := bits | 1<<8 | first>>8<<16
		both := bits | 2<<8 | first>>8<<16
		to := d[i : i+run]
		for k := range to {
			second := uint32(s[k<<(bits&15)&(len(s)-1)])
			e := one
			if second&0xff+bits <= MaxBits {
				e = both + second&0xff + second>>8<<24
			}
			to[k] = e
		}
		i += run
	}
}
