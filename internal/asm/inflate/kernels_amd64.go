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

// A spreader has for each distance below 16 where each of 32 bytes comes from, and how many of them
// are whole repetitions.
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

// runAVX2 is generic. There has to be room for a round at first.
//
//go:noescape
func runAVX2(l *Loop, s *spreader) uint8
