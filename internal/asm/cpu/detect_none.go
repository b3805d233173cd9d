//go:build purego || !(amd64 || arm64)

package cpu

func detect() flags { return flags{} }

// HasPMULL reports whether an ARM processor multiplies polynomials of 64 bits.
func HasPMULL() bool { return false }
