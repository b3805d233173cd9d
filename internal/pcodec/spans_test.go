package pcodec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDivider checks that spans have all latents, the equal ones together, and are about as large
// as each other.
func TestDivider(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var d divider[uint32]
	for range 3000 {
		latents := make([]uint32, 1+r.IntN(1<<r.IntN(13)))
		width := r.IntN(33)
		for i := range latents {
			latents[i] = uint32(r.Uint64()>>(64-width)) + 5
			if r.IntN(3) == 0 {
				latents[i] >>= r.IntN(20)
			}
			if r.IntN(3) == 0 && i > 0 {
				latents[i] = latents[r.IntN(i)]
			}
		}

		log := r.IntN(10)
		n := len(latents)
		spans := d.spans(nil, latents, log)
		slices.Sort(latents)
		for i, s := range spans {
			if s.count < 1 || s.count > len(latents) {
				t.Fatalf("%d latents in span %d, where %d remain", s.count, i, len(latents))
			}
			part := latents[:s.count]
			latents = latents[s.count:]
			if part[0] != s.lower || part[len(part)-1] != s.upper {
				t.Fatalf("span %d is from %d to %d, not from %d to %d", i, part[0], part[len(part)-1], s.lower, s.upper)
			}
			if len(latents) > 0 && latents[0] == s.upper {
				t.Fatalf("%d is in span %d and the next one", s.upper, i)
			}
			if s.lower != s.upper && s.count > 2*n>>log+2 {
				t.Fatalf("span %d of %d has %d of %d latents", i, 1<<log, s.count, n)
			}
		}
		if len(latents) > 0 || len(spans) > 2<<log {
			t.Fatalf("%d spans of 1<<%d, without %d latents", len(spans), log, len(latents))
		}
	}
}
