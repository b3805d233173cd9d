//go:build purego || (!amd64 && !arm64)

package crc32c

func fold(*[16]byte, []byte, uint32) int { return 0 }
