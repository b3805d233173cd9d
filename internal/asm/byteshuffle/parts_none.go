//go:build purego || !amd64

package byteshuffle

func shuffleReversed([]byte, int, []byte, int) int { return 0 }

func shuffleColumns([]byte, int, []byte, int)   { panic("byteshuffle: no kernel for columns here") }
func unshuffleColumns([]byte, int, []byte, int) { panic("byteshuffle: no kernel for columns here") }
