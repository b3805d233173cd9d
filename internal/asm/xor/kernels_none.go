//go:build purego || !amd64

package xor

func running([]byte, []byte, int) int { return 0 }
