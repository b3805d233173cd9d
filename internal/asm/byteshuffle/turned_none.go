//go:build purego || !amd64

package byteshuffle

func shuffleTurned([]byte, int, []byte, int) int   { return 0 }
func unshuffleTurned([]byte, []byte, int, int) int { return 0 }
