//go:build purego || !amd64

package minmax

// reduce reports that there is no kernel.
func reduce[T Number](*byte, int, *vectors) bool { return false }
