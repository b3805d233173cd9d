//go:build !purego

package cpu

// detect returns constants: every 64-bit ARM processor that Go supports has NEON.
func detect() flags { return flags{neon: true} }
