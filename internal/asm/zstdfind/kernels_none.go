//go:build purego || !amd64

package zstdfind

// Find replaces what is in Out by the next matches, until Out is full or the data ends.
func (s *State) Find() { s.findGeneric() }
