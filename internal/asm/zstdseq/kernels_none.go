//go:build purego || (!amd64 && !arm64)

package zstdseq

// Run decodes and executes sequences until none is left or the caller must execute one.
func (s *State) Run() Status { return s.runGeneric() }
