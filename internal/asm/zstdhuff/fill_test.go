package zstdhuff

import (
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// weightsOf returns the weights of all symbols of a table but the last one, and their number.
func weightsOf(t *Single) (weights [256]uint8, n int) {
	var lengths [256]uint8
	longest := uint8(0)
	for _, e := range t {
		lengths[e>>8] = uint8(e)
		longest = max(longest, uint8(e))
	}
	for s, bits := range lengths {
		if bits > 0 {
			weights[s] = longest + 1 - bits
			n = s
		}
	}
	weights[n] = 0
	return weights, n
}

// shuffled returns the table of a code in which symbols have random numbers, with gaps.
func shuffled(r *rand.Rand, t *Single) *Single {
	names := r.Perm(256)
	var lengths [256]uint8
	for _, e := range t {
		lengths[names[e>>8]] = uint8(e)
	}
	out := new(Single)
	at := 0
	for n := MaxBits; n > 0; n-- {
		for s, bits := range lengths {
			if int(bits) == n {
				for range 1 << (MaxBits - n) {
					out[at] = uint16(n) | uint16(s)<<8
					at++
				}
			}
		}
	}
	return out
}

func TestFill(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		var b Builder
		for symbols := 2; symbols <= 256; symbols++ {
			for _, skewed := range []bool{false, true} {
				want := shuffled(r, code(r, symbols, skewed))
				weights, n := weightsOf(want)
				var got Single
				if !b.Fill(&got, &weights, n) || got != *want {
					t.Fatalf("%d symbols: another table", symbols)
				}
				var pairs, wantPairs Double
				pairs.Fill(&got)
				wantPairs.fillGeneric(&got)
				if pairs != wantPairs {
					t.Fatalf("%d symbols: another table of pairs", symbols)
				}
			}
		}
	})
}

// FuzzFill builds tables of any weights; all tiers must agree.
func FuzzFill(f *testing.F) {
	f.Add([]byte{1})
	f.Add([]byte{1, 1, 2, 3})
	f.Add([]byte{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1})
	f.Add([]byte{1, 12})
	f.Fuzz(func(t *testing.T, b []byte) {
		var weights [256]uint8
		n := copy(weights[:255], b)
		for i, w := range weights {
			weights[i] = w & 15
		}
		var first, want Builder
		var table, again Single
		ok := first.Fill(&table, &weights, n)
		same := want.orderGeneric(&weights)
		if ok && !same {
			t.Fatal("accepts a weight that is too large")
		}
		if !ok {
			return
		}
		want.count = first.count
		for w := range want.rows {
			if w > 0 {
				want.rows[w] = first.rows[w]
			}
		}
		longest := 0
		for _, e := range table {
			longest = max(longest, int(e&0xff))
		}
		want.expandGeneric(&again, longest)
		if again != table {
			t.Fatal("another table")
		}
		var pairs, wantPairs Double
		pairs.Fill(&table)
		wantPairs.fillGeneric(&table)
		if pairs != wantPairs {
			t.Fatal("another table of pairs")
		}
	})
}
