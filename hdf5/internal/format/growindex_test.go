package format

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inplace"
)

// TestGrowingIndexes adds chunks to indexes of every kind, whose blocks are so small that few
// chunks fill all kinds of them, and looks every chunk up.
func TestGrowingIndexes(t *testing.T) {
	layouts := map[string]*Layout{
		"tree":         {Index: TreeIndex},
		"tree 2":       {Index: Tree2Index, params: []byte{120, 0, 0, 0, 100, 40}},
		"tree 2, half": {Index: Tree2Index, params: []byte{200, 0, 0, 0, 60, 40}},
		"fixed":        {Index: FixedIndex, params: []byte{10}},
		"fixed, pages": {Index: FixedIndex, params: []byte{3}},
		"extensible":   {Index: ExtensibleIndex, params: []byte{32, 4, 4, 16, 10}},
		"pages":        {Index: ExtensibleIndex, params: []byte{32, 1, 2, 2, 2}},
		"no entries":   {Index: ExtensibleIndex, params: []byte{20, 0, 2, 4, 3}},
	}
	for name, l := range layouts {
		for _, packed := range []bool{false, true} {
			for seed := range uint64(6) {
				t.Run(fmt.Sprint(name, packed, seed), func(t *testing.T) { growAtRandom(t, *l, packed, seed) })
			}
		}
	}
}

func growAtRandom(t *testing.T, l Layout, packed bool, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	l.Chunk = []int64{2, 3}
	l.ItemSize = 4
	l.Address = None
	most := []int64{400, 9}
	if l.Index == ExtensibleIndex {
		most[0] = None
	}
	if seed%2 == 1 {
		slices.Reverse(most)
	}

	file := make([]byte, 900+rng.IntN(600)) // so that headers are anywhere
	end := int64(len(file))
	place := func(n int64) int64 {
		at := end
		end += n
		return at
	}
	want := map[[2]int64]Place{}
	shape := []int64{400, 9}
	if seed%2 == 1 {
		slices.Reverse(shape)
	}
	for range 25 {
		r := Bare(file, cairn.Limits{}).In(context.Background())
		ix, err := NewIndex(&l, Dataspace{Shape: shape, Max: most}, 24, packed)
		if err != nil {
			t.Fatal(err)
		}
		grown := slices.Clone(file)
		g := &GrowingIndex{Layout: &l, Width: 4, Size: 24, Place: place}
		g.Write = func(b []byte, at int64) error {
			if at < int64(len(file)) {
				t.Fatalf("%d bytes at %d, in a file of %d", len(b), at, len(file))
			}
			grown = append(grown, make([]byte, max(0, end-int64(len(grown))))...)
			copy(grown[at:], b)
			return nil
		}
		entries := someChunks(rng, shape, packed, want)
		root, patches, err := g.Put(r, ix, entries)
		if err != nil {
			t.Fatal(err)
		}

		file = append(grown, make([]byte, max(0, end-int64(len(grown))))...)
		for _, p := range patches {
			if !inplace.Whole(p.At, int64(len(p.Bytes))) {
				t.Fatalf("%d bytes at %d", len(p.Bytes), p.At)
			}
			copy(file[p.At:], p.Bytes)
		}
		l.Address = root
		compareChunks(t, file, &l, Dataspace{Shape: shape, Max: most}, packed, want)
	}
}

// someChunks returns chunks in the order of their coordinates, and notes them.
func someChunks(rng *rand.Rand, shape []int64, packed bool, want map[[2]int64]Place) (entries []ChunkEntry) {
	chosen := map[[2]int64]bool{}
	for range 1 + rng.IntN(30) {
		chosen[[2]int64{rng.Int64N((shape[0] + 1) / 2), rng.Int64N((shape[1] + 2) / 3)}] = true
	}
	for at := range chosen {
		p := Place{Address: rng.Int64N(1 << 40), Size: 24}
		if packed {
			p.Size = 1 + rng.Int64N(1<<10)
			p.Mask = rng.Uint32()
		}
		want[at] = p
		entries = append(entries, ChunkEntry{[]int64{at[0] * 2, at[1] * 3}, p})
	}
	slices.SortFunc(entries, func(a, b ChunkEntry) int { return slices.Compare(a.Start, b.Start) })
	return entries
}

func compareChunks(t *testing.T, file []byte, l *Layout, s Dataspace, packed bool, want map[[2]int64]Place) {
	t.Helper()
	r := Bare(file, cairn.Limits{}).In(context.Background())
	ix, err := NewIndex(l, s, 24, packed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range (s.Shape[0] + 1) / 2 {
		for j := range (s.Shape[1] + 2) / 3 {
			got, err := r.Chunk(ix, []int64{i, j})
			if err != nil {
				t.Fatal(err)
			}
			w, ok := want[[2]int64{i, j}]
			if !ok && got.Address == None {
				continue
			}
			if got != w {
				t.Fatalf("chunk %d, %d is at %v, want %v", i, j, got, w)
			}
		}
	}
}
