//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

// detect returns constants: every 64-bit ARM processor that Go supports has NEON.
func detect() flags { return flags{neon: true} }

// HasPMULL reports whether the processor multiplies polynomials of 64 bits. Those without
// instructions for cryptography do not.
func HasPMULL() bool { return cpu.ARM64.HasPMULL }
