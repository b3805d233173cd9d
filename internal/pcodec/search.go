package pcodec

import "math/bits"

// searchLog is the logarithm of the number of entries of a searcher.
const searchLog = 10

// A searcher finds the bins of latents.
type searcher[L latent] struct {
	lowers []L
	base   L
	shift  int
	first  [1<<searchLog + 1]uint16 // of an interval of latents: the last bin that begins before it
}

// prepare makes the searcher one of at least two bins.
func (s *searcher[L]) prepare(bins []span[L]) {
	s.lowers = s.lowers[:0]
	for i := range bins {
		s.lowers = append(s.lowers, bins[i].lower)
	}

	s.base = bins[0].lower
	width := bits.Len64(uint64(bins[len(bins)-1].lower - s.base))
	s.shift = max(0, width-searchLog)
	s.first[1<<searchLog] = uint16(len(bins) - 1)
	bin := 0
	for i := range s.first[:1<<searchLog] {
		begin := uint64(i) << s.shift
		for bin+1 < len(bins) && uint64(bins[bin+1].lower-s.base) <= begin {
			bin++
		}
		s.first[i] = uint16(bin)
	}
}

// find writes the numbers of the bins that have the latents.
func (s *searcher[L]) find(into []uint16, latents []L) {
	lowers := s.lowers
	into = into[:len(latents)]
	for i, l := range latents {
		at := min(uint64(l-s.base)>>s.shift, 1<<searchLog-1)
		low := int(s.first[at])
		high := int(s.first[at+1])

		for low < high {
			mid := (low + high + 1) / 2
			if lowers[mid] <= l {
				low = mid
			} else {
				high = mid - 1
			}
		}
		into[i] = uint16(low)
	}
}
