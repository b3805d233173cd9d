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

// A spreader contains, for each distance below 16, the source of each of 32 bytes, and how many of
// these are whole repetitions.
type spreader struct {
	from  [16][32]uint8
	whole [16]uint8
}

var spread = func() (s spreader) {
	for back := 1; back < 16; back++ {
		for i := range s.from[back] {
			s.from[back][i] = uint8(i % back)
		}
		s.whole[back] = uint8(32 / back * back)
	}
	return s
}()

// runAVX2 is the kernel of generic. At the start there must be room for a round.
//
//go:noescape
func runAVX2(l *Loop, s *spreader) uint8
