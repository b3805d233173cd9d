//go:build purego || (!amd64 && !arm64)

package byteshuffle

func rowsFor(int) bool { return false }

func interleave(*byte, int, *planes, int, Rows) { panic("byteshuffle: no kernel for rows here") }

func copyRows(*byte, int, *byte, Rows, int) { panic("byteshuffle: no kernel for rows here") }
