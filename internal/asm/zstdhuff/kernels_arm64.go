//go:build !purego

package zstdhuff

import "github.com/cairn-go/cairn/internal/asm/cpu"

// singleRounds runs n rounds of all four streams; n must be positive.
func (s *Streams) singleRounds(t *Single, n int) {
	if cpu.NEON {
		singleRoundsNEON(s, t, n)
		return
	}
	s.singleRoundsGeneric(t, n)
}

// doubleRounds is singleRounds with two bytes per look-up where possible.
func (s *Streams) doubleRounds(d *Double, n int) {
	if cpu.NEON {
		doubleRoundsNEON(s, d, n)
		return
	}
	s.doubleRoundsGeneric(d, n)
}

//go:noescape
func singleRoundsNEON(s *Streams, table *Single, n int)

//go:noescape
func doubleRoundsNEON(s *Streams, table *Double, n int)
