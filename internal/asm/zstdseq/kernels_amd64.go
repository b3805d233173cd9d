//go:build !purego

package zstdseq

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Run decodes and executes sequences until none is left or the caller must execute one.
func (s *State) Run() Status {
	if cpu.AVX2 {
		return runAVX2(s)
	}
	return s.runGeneric()
}

//go:noescape
func runAVX2(s *State) Status
