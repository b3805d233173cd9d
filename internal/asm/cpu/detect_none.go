//go:build purego || !(amd64 || arm64)

package cpu

func detect() flags { return flags{} }
