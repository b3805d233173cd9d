package pcodec

import "math/bits"

// lookbackWindow returns how far the encoder looks back in n latents.
func lookbackWindow(n int) int { return 1 << min(max(bits.Len(uint(n-1)), 4), 15) }

// A backtracker finds for each latent an earlier one that is near to it.
type backtracker[L latent] struct {
	// where a latent with the hash was seen last, plus 1: equal ones, and near ones
	last   [2][]int32
	counts []uint32 // of each distance
}

// near is how many of the last bits of a latent do not count when near ones are looked for.
const near = 8

// find returns the distances to earlier latents, for all latents but the first, in the memory of
// back.
func (t *backtracker[L]) find(back []uint32, latents []L, window int) []uint32 {
	log := bits.Len(uint(window))
	for i := range t.last {
		t.last[i] = sized(t.last[i], 1<<log)
		clear(t.last[i])
	}
	t.counts = sized(t.counts, window+1)
	clear(t.counts)
	hash := func(v uint64) uint64 { return v * 0x9e37_79b9_7f4a_7c15 >> (64 - log) }

	back = back[:0]
	recent := [4]int{1, 1, 1, 1}
	turn := 0
	for i, l := range latents {
		coarse := uint64(l) >> near
		if i > 0 {
			best := 0
			most := -1
			try := func(distance int) {
				if distance < 1 || distance > min(i, window) {
					return
				}
				off := l - latents[i-distance]
				same := latentBits[L]() - bits.Len64(uint64(min(off, -off)))
				if gain := same + bits.Len32(t.counts[distance]); gain > most {
					most = gain
					best = distance
				}
			}
			for distance := 1; distance <= 6; distance++ {
				try(distance)
			}
			for _, distance := range recent {
				try(distance)
			}
			try(i + 1 - int(t.last[0][hash(uint64(l))]))
			for _, bucket := range [3]uint64{coarse - 1, coarse, coarse + 1} {
				try(i + 1 - int(t.last[1][hash(bucket)]))
			}

			back = append(back, uint32(best))
			t.counts[best]++
			if best != recent[turn] {
				turn = (turn + 1) % len(recent)
				recent[turn] = best
			}
		}
		t.last[0][hash(uint64(l))] = int32(i + 1)
		t.last[1][hash(coarse)] = int32(i + 1)
	}
	return back
}
