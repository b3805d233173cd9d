//go:build !purego

package inflate

import "github.com/cairn-go/cairn/internal/asm/cpu"

func (l *Loop) run() Status {
	if !cpu.NEON {
		return l.generic()
	}

	status := Status(runNEON(l, &spread))
	l.Have &= 63
	l.Bits &= 1<<l.Have - 1
	return status
}

// runNEON is the kernel of generic. At the start there must be room for a round.
//
//go:noescape
func runNEON(l *Loop, s *spreader) uint8
