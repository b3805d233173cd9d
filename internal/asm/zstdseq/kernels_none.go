//go:build purego || !amd64

package zstdseq

// Run decodes and executes sequences until something is left to the caller.
func (s *State) Run() Status { return s.runGeneric() }
