package space

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNothingInUseIsTaken stores and removes extents at random, and checks that what Take returns
// was unused for two sweeps, the second of which may reclaim.
func TestNothingInUseIsTaken(t *testing.T) {
	taken := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := &Space{Least: 1, Grain: 1 + int64(seed%5), Wait: 1}
		var end int64
		refs := map[int64]int64{} // live chunks by offset
		kept := map[int64]int64{} // bytes by offset that a state refers to that may be read
		last := map[int64]int64{} // those of the last sweep
		for range 60 {
			s.Begin()
			staged := map[int64]int64{}
			for range rng.IntN(4) {
				n := 1 + rng.Int64N(40)
				at, ok := s.Take(n)
				if !ok {
					at = end
					end += n
					s.Store(at, n)
				} else {
					taken++
				}
				for _, used := range []map[int64]int64{refs, kept, last, staged} {
					for from, length := range used {
						if at < from+length && from < at+n {
							t.Fatalf("seed %d: [%d, %d) overwrites [%d, %d)", seed, at, at+n, from, from+length)
						}
					}
				}
				staged[at] = n
			}

			if rng.IntN(4) == 0 {
				s.Undo()
				continue
			}
			maps.Copy(refs, staged)
			for _, at := range slices.Sorted(maps.Keys(refs)) {
				if rng.IntN(4) == 0 {
					delete(refs, at)
				}
			}

			reclaim := rng.IntN(2) == 0
			err := s.Sweep(func(mark func(at int64)) error {
				if rng.IntN(5) == 0 {
					return errors.New("unreadable")
				}
				for at := range refs {
					mark(at)
				}
				return nil
			}, reclaim)
			maps.Copy(kept, staged)
			switch {
			case err != nil:
				maps.Copy(last, refs)
			case reclaim:
				kept = maps.Clone(refs)
				last = maps.Clone(refs)
			default:
				maps.Copy(kept, refs)
			}
		}
		if s.Unused() < 0 || s.Unused() > end {
			t.Fatalf("seed %d: %d of %d bytes unused", seed, s.Unused(), end)
		}
	}
	if taken < 1000 {
		t.Fatalf("only %d extents were taken", taken)
	}
}

// TestWhatIsFreeIsUsed replaces one chunk again and again.
func TestWhatIsFreeIsUsed(t *testing.T) {
	s := New()
	const n = 100_000
	var end, now int64
	for range 100 {
		s.Begin()
		at, ok := s.Take(n)
		if !ok {
			at = end
			end += n
			s.Store(at, n)
		}
		now = at
		if err := s.Sweep(func(mark func(at int64)) error { mark(now); return nil }, true); err != nil {
			t.Fatal(err)
		}
	}
	if end > 5*n {
		t.Fatalf("chunks of %d bytes take %d", n, end)
	}
	if s.Due(0) || s.Unused() == 0 {
		t.Fatalf("due %v, unused %d", s.Due(0), s.Unused())
	}
	s.Store(end, 2<<20)
	if !s.Due(0) || s.Due(64<<20) {
		t.Fatal("a sweep is not due after a sixteenth of the chunks")
	}
}

func TestNoSpace(t *testing.T) {
	var s *Space
	s.Store(0, 1<<20)
	s.Begin()
	s.Undo()
	if _, ok := s.Take(1); ok || s.Due(0) || s.Unused() != 0 || s.Successor() != nil {
		t.Fatal("nothing has room")
	}
}
