package deltas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// TestTake compares each tier with differences from a copy.
func TestTake(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkTake[uint8](t)
		checkTake[uint16](t)
		checkTake[uint32](t)
		checkTake[uint64](t)
	})
}

func checkTake[L Latent](t *testing.T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		k := make([]L, rng.IntN(400))
		for i := range k {
			k[i] = L(rng.Uint64())
		}
		distance := 1 + rng.IntN(1+rng.IntN(90))
		want := slices.Clone(k)
		for i := distance; i < len(k); i++ {
			want[i] = k[i] - k[i-distance]
		}
		if Take(k, distance); !slices.Equal(k, want) {
			t.Fatalf("%d of %T, distance %d: other differences", len(k), want, distance)
		}
	}
}
