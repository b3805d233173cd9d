//go:build purego || !(amd64 || arm64)

package runscan

func present() bool { return false }

func same([]byte, int, int) bool { return false }
