//go:build purego || !(amd64 || arm64)

package byteshuffle

func shuffleColumns([]byte, int, []byte, int, int) { panic("byteshuffle: no kernel for columns here") }
func unshuffleColumns([]byte, int, []byte, int, int) {
	panic("byteshuffle: no kernel for columns here")
}
