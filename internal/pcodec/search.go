package pcodec

import "math/bits"

// searchLog is the logarithm of the number of entries of a searcher.
const searchLog = 12

// A searcher finds the bins of latents.
type searcher[L latent] struct {
	lowers []L // of the bins, and then as many as a search may look at
	bins   int
	base   L
	shift  int
	first  [1<<searchLog + 1]uint16 // of an interval of latents: the last bin that begins before it
	steps  int                      // of a search for any latent
}

// prepare makes the searcher one of at least two bins.
func (s *searcher[L]) prepare(bins []span[L]) {
	s.bins = len(bins)
	s.lowers = s.lowers[:0]
	for i := range bins {
		s.lowers = append(s.lowers, bins[i].lower)
	}

	s.base = bins[0].lower
	width := bits.Len64(uint64(bins[len(bins)-1].lower - s.base))
	s.shift = max(0, width-searchLog)
	s.first[1<<searchLog] = uint16(len(bins) - 1)
	bin := 0
	most := 0
	for i := range s.first[:1<<searchLog] {
		begin := uint64(i) << s.shift
		before := bin
		for bin+1 < len(bins) && uint64(bins[bin+1].lower-s.base) <= begin {
			bin++
		}
		s.first[i] = uint16(bin)
		most = max(most, bin-before)
	}
	most = max(most, len(bins)-1-bin)

	s.steps = bits.Len(uint(most))
	for range 1 << s.steps {
		s.lowers = append(s.lowers, ^L(0))
	}
}

// find writes the numbers of the bins that have the latents. All take as many steps, so that
// nothing depends on what a branch did before.
func (s *searcher[L]) find(into []uint16, latents []L) {
	lowers := s.lowers
	last := s.bins - 1
	base := s.base
	shift := s.shift & 63
	into = into[:len(latents)]
	for i, l := range latents {
		low := int(s.first[min(uint64(l-base)>>shift, 1<<searchLog-1)])
		for step := 1 << s.steps >> 1; step > 0; step >>= 1 {
			next := low + step
			if lowers[next] <= l {
				low = next
			}
		}
		into[i] = uint16(min(low, last))
	}
}
