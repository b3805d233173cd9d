package numeric

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// TestTiers checks that each tier writes the same streams.
func TestTiers(t *testing.T) {
	for i, b := range blocks() {
		if i%3 != 0 {
			continue
		}
		var want []byte
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			got := NewEncoder(b.size, b.shape, 5).Append(nil, b.items, nil)
			restore()
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: %v writes another stream than plain Go", b.name, tier)
			}
		}
	}
}

// TestCounter checks that a sequence with equal steps takes next to no room.
func TestCounter(t *testing.T) {
	for _, size := range []int{2, 4, 8} {
		b := fillBlock("counter", size, []int32{5000}, func(i []int) uint64 { return uint64(7 + 3*i[0]) })
		if n := len(NewEncoder(size, b.shape, 5).Append(nil, b.items, nil)); n > 40 {
			t.Errorf("%d bytes for a counter in items of %d", n, size)
		}
	}
}

// TestDamage decodes streams of which bytes were changed, in every tier: what is not refused is
// the same.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, b := range blocks() {
		if len(b.items) > 8000 {
			continue
		}
		stream := NewEncoder(b.size, b.shape, 5).Append(nil, b.items, nil)
		for range 3 {
			damaged := bytes.Clone(stream)
			for range 1 + r.IntN(3) {
				damaged[r.IntN(len(damaged))] ^= byte(1 << r.IntN(8))
			}

			var want []byte
			var refused error
			for i, tier := range cpu.Tiers() {
				restore := cpu.Limit(tier)
				got := make([]byte, len(b.items))
				err := new(Decoder).Decode(got, damaged)
				restore()
				if i == 0 {
					want, refused = got, err
				}
				if (err == nil) != (refused == nil) || err == nil && !bytes.Equal(got, want) {
					t.Fatalf("%s: %v decodes other items than plain Go, errors %v and %v", b.name, tier, err, refused)
				}
			}
		}
	}
}
