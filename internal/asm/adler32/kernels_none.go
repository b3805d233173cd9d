//go:build purego || (!amd64 && !arm64)

package adler32

func update(s1, s2 uint32, _ []byte) (uint32, uint32, int) { return s1, s2, 0 }
