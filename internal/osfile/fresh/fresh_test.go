package fresh_test

import (
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// TestMakeIsZero checks that slices of all sizes are as those of make, also where memory is used
// again.
func TestMakeIsZero(t *testing.T) {
	for range 3 {
		for _, n := range []int{0, 1, 4095, 1 << 19, 1<<20 + 3} {
			s := fresh.Make[uint64](n)
			if len(s) != n {
				t.Fatalf("%d items, want %d", len(s), n)
			}
			for i := range s {
				if s[i] != 0 {
					t.Fatalf("of %d items, item %d is %d", n, i, s[i])
				}
				s[i] = uint64(i) + 1
			}
		}
	}

	if s := fresh.Make[struct{}](int64(1) << 30); len(s) != 1<<30 {
		t.Fatalf("%d empty items", len(s))
	}
}

// TestGrowKeepsItems checks that the items of a slice stay, that there is room for more, and that
// a slice with room stays where it is.
func TestGrowKeepsItems(t *testing.T) {
	for _, have := range []int{0, 10, 1 << 20, 3 << 20} {
		for _, more := range []int{0, 1, 1 << 20, 3 << 20} {
			s := make([]uint32, have)
			for i := range s {
				s[i] = uint32(i)
			}

			grown := fresh.Grow(s, more)
			if cap(grown) < have+more || !slices.Equal(s, grown) {
				t.Fatalf("%d items and %d more: %d items, room for %d", have, more, len(grown), cap(grown))
			}
			if again := fresh.Grow(grown, more); have+more > 0 && &again[:1][0] != &grown[:1][0] {
				t.Fatalf("%d items and %d more: a slice with room moved", have, more)
			}
		}
	}
}

// TestGrowByStepsCopiesLittle checks that a slice that grows by small steps moves seldom.
func TestGrowByStepsCopiesLittle(t *testing.T) {
	var s []byte
	moves := 0
	for len(s) < 64<<20 {
		before := cap(s)
		s = fresh.Grow(s, 1<<16)
		s = s[:len(s)+1<<16]
		if cap(s) != before {
			moves++
		}
	}
	if moves > 60 {
		t.Errorf("%d moves", moves)
	}
}
