//go:build !purego

package zstdhuff

import "github.com/cairn-go/cairn/internal/asm/cpu"

// singleRounds runs n rounds of all four streams; n must be positive.
func (s *Streams) singleRounds(t *Single, n int) {
	if cpu.AVX2 {
		singleRoundsAVX2(s, t, n)
		return
	}
	s.singleRoundsGeneric(t, n)
}

// doubleRounds is singleRounds with two bytes per look-up where possible.
func (s *Streams) doubleRounds(d *Double, n int) {
	if cpu.AVX2 {
		doubleRoundsAVX2(s, d, n)
		return
	}
	s.doubleRoundsGeneric(d, n)
}

// order sorts symbols by weight, and reports whether no weight is above MaxBits.
func (b *Builder) order(weights *[256]uint8) bool {
	if cpu.AVX512GFNI {
		return orderAVX512(b, weights)
	}
	return b.orderGeneric(weights)
}

// expand builds the table of the sorted symbols.
func (b *Builder) expand(t *Single, longest int) {
	if cpu.AVX2 {
		expandAVX2(t, b, longest)
		return
	}
	b.expandGeneric(t, longest)
}

// fill sets d to yield the same bytes as s.
func (d *Double) fill(s *Single) {
	if cpu.AVX2 {
		doubleFillAVX2(d, s)
		return
	}
	d.fillGeneric(s)
}

//go:noescape
func orderAVX512(b *Builder, weights *[256]uint8) bool

//go:noescape
func expandAVX2(t *Single, b *Builder, longest int)

//go:noescape
func doubleFillAVX2(d *Double, s *Single)

//go:noescape
func singleRoundsAVX2(s *Streams, table *Single, n int)

//go:noescape
func doubleRoundsAVX2(s *Streams, table *Double, n int)
