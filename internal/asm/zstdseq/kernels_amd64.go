//go:build !purego

package zstdseq

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Run decodes and executes sequences until something is left to the caller.
func (s *State) Run() Status {
	if cpu.AVX2 {
		return runAVX2(s)
	}
	return s.runGeneric()
}

//go:noescape
func runAVX2(s *State) Status

// periods and steps are for matches at distances below 16: periods has, for each distance, where
// the bytes of a register come from in those that are repeated; steps the largest multiple of the
// distance that a register holds.
var (
	periods = makePeriods()
	steps   = [16]uint8{0, 32, 32, 30, 32, 30, 30, 28, 32, 27, 30, 22, 24, 26, 28, 30}
)

func makePeriods() (t [16][32]uint8) {
	for d := 1; d < len(t); d++ {
		for i := range t[d] {
			t[d][i] = uint8(i % d)
		}
	}
	return t
}
