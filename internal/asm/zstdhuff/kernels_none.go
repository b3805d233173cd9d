//go:build purego || (!amd64 && !arm64)

package zstdhuff

// singleRounds runs n rounds of all four streams.
func (s *Streams) singleRounds(t *Single, n int) { s.singleRoundsGeneric(t, n) }

// doubleRounds is singleRounds with two bytes per look-up where possible.
func (s *Streams) doubleRounds(d *Double, n int) { s.doubleRoundsGeneric(d, n) }
