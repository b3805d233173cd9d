//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

// detect detects the flags of the processor. The imported package also checks that the operating
// system saves the wide registers.
func detect() flags {
	x := &cpu.X86
	v3 := x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasFMA && x.HasF16C && x.HasLZCNT && x.HasMOVBE && x.HasPOPCNT
	v4 := v3 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL
	gfni := v4 && x.HasAVX512VBMI && x.HasAVX512VBMI2 && x.HasAVX512GFNI && x.HasAVX512VPCLMULQDQ
	return flags{avx2: v3, avx512: v4, gfni: gfni}
}

// HasPMULL reports whether an ARM processor multiplies polynomials of 64 bits.
func HasPMULL() bool { return false }
