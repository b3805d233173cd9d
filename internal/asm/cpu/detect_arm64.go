//go:build !purego

package cpu

// detect needs not ask: Go runs on no 64-bit ARM processor that lacks NEON.
func detect() flags { return flags{neon: true} }
