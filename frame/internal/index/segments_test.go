package index

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
)

// segmented returns a lazy index with the entries of x, and counts how often it fetches segments.
func segmented(x Index, fetched map[int]int) Index {
	return Lazy(x.n, func(j int) (Index, error) {
		fetched[j]++
		return x.Segment(j)
	})
}

func random(t *testing.T, n int, special int64) Index {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, err := Build(n, special, func(i int) (int64, error) {
		if rng.IntN(3) == 0 || i/SegmentLen == 1 {
			return special, nil
		}
		return rng.Int64N(1 << 62), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func all(t *testing.T, x Index) []int64 {
	t.Helper()
	entries := make([]int64, x.Len())
	for i := range entries {
		var err error
		if entries[i], err = x.At(i); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

func TestLazyIndexesHaveTheirSegments(t *testing.T) {
	nan, _ := Special(chunk.SpecialNaN)
	for _, special := range []int64{New().Fill(), nan} {
		for _, n := range []int{1, LeafLen, BlockLen + 1, SegmentLen, SegmentLen + 1, 2*SegmentLen + 3*BlockLen + 7} {
			x := random(t, n, special)
			fetched := map[int]int{}
			y := segmented(x, fetched)
			if y.Len() != n || len(fetched) > 0 {
				t.Fatalf("%d entries, %d fetched", y.Len(), len(fetched))
			}
			if !slices.Equal(all(t, x), all(t, y)) {
				t.Fatalf("%d entries differ", n)
			}
			var err error
			for i := range int64(3 * LeafLen) {
				if y, err = y.Append(i); err == nil {
					x, err = x.Append(i)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(all(t, x), all(t, y)) {
				t.Fatalf("%d entries differ after appending", n)
			}
		}
	}
}

func TestLazyIndexesTryAgain(t *testing.T) {
	lost := errors.New("lost")
	fail := lost
	x := Lazy(10, func(int) (Index, error) { return Repeat(10, 7), fail })
	if _, err := x.At(3); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	fail = nil
	if e, err := x.At(3); e != 7 || err != nil {
		t.Fatal(e, err)
	}
}

// TestChangesAreFound compares the changes of segments with those of a plain list, and counts what
// is fetched for them.
func TestChangesAreFound(t *testing.T) {
	const n = 3*SegmentLen + 100
	fetched := map[int]int{}
	x := segmented(random(t, n, New().Fill()), fetched)
	y, want, err := x, map[int]int64{}, error(nil)
	set := func(i int, entry int64) {
		if err == nil {
			y, err = y.Set(i, entry)
			want[i] = entry
		}
	}
	set(5, 1)
	set(2*SegmentLen-1, 2)
	for i := n; i < n+3*LeafLen && err == nil; i++ {
		y, err = y.Append(int64(i))
		want[i] = int64(i)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]int64{}
	for j := range y.Len()/SegmentLen + 1 {
		if err := Changes(x, y, j, func(i int, entry int64) { got[i] = entry }); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d changes, want %d", len(got), len(want))
	}
	if fetched[2] > 0 {
		t.Error("a segment that both share was fetched")
	}
	shorter, err := y.Remove(y.Len() - 1)
	if err != nil {
		t.Fatal(err)
	}
	for j := range y.Len()/SegmentLen + 1 {
		if err := Changes(y, shorter, j, func(i int, _ int64) { t.Errorf("entry %d has changed", i) }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUniformSegments(t *testing.T) {
	x := random(t, 2*SegmentLen+1, New().Fill())
	for j, want := range []bool{false, true, true} {
		s, err := x.Segment(j)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok, err := s.Uniform(); ok != want || err != nil || ok && j == 1 && e != x.Fill() {
			t.Errorf("segment %d: %v, %v, %v", j, e, ok, err)
		}
	}
}
