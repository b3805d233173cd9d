//go:build !purego

package inflate

import "github.com/cairn-go/cairn/internal/asm/cpu"

func (l *Loop) run() Status {
	if !cpu.AVX2 {
		return l.generic()
	}

	status := Status(runAVX2(l, &spread))
	l.Have &= 63
	l.Bits &= 1<<l.Have - 1
	return status
}

// runAVX2 is the kernel of generic. At the start there must be room for a round.
//
//go:noescape
func runAVX2(l *Loop, s *spreader) uint8
