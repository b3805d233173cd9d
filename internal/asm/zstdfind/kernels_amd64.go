//go:build !purego

package zstdfind

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Find replaces what is in Out by the next matches, until Out is full or the data ends.
func (s *State) Find() {
	if cpu.AVX2 {
		findAVX2(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func findAVX2(s *State)
