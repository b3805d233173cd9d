//go:build !linux

package fresh

func askHuge(_, _ uintptr) {}
