//go:build !linux

package osfile

func hugePages([]byte) {}
