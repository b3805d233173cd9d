package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

func TestIndexAgreesWithASlice(t *testing.T) {
	zeros, _ := Special(chunk.SpecialZeros)
	nan, _ := Special(chunk.SpecialNaN)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var x Index
		var want []int64
		var history []modelled
		for step := range 3000 {
			entry := []int64{zeros, nan, int64(rng.IntN(1000)), int64(rng.IntN(1000))}[rng.IntN(4)]
			switch op := rng.IntN(100); {
			case op < 80:
				x, want = must(x.Append(entry)), append(slices.Clone(want), entry)
			case op < 88 && len(want) > 0:
				i := rng.IntN(len(want))
				x = must(x.Set(i, entry))
				want = slices.Clone(want)
				want[i] = entry
			case op < 91:
				i := rng.IntN(len(want) + 1)
				x, want = must(x.Insert(i, entry)), slices.Insert(slices.Clone(want), i, entry)
			case op < 94 && len(want) > 0:
				i := rng.IntN(len(want))
				if rng.IntN(2) == 0 {
					i = len(want) - 1
				}
				x, want = must(x.Remove(i)), slices.Delete(slices.Clone(want), i, i+1)
			case op < 96:
				n := rng.IntN(1500)
				if len(want) > 6000 {
					n = 3
				}
				x, want = must(x.AppendRun(entry, n)), append(slices.Clone(want), slices.Repeat([]int64{entry}, n)...)
			case op < 98 && len(history) > 0: // as Rollback does
				back := history[rng.IntN(len(history))]
				x, want = back.x.Seal(), back.want
			}
			if step%100 == 0 {
				history = append(history, modelled{x, want})
			}
		}
		history = append(history, modelled{x, want})
		for k, h := range history {
			h.check(t, fmt.Sprintf("seed %d, state %d", seed, k))
		}
	}
}

// modelled is an index and its expected entries.
type modelled struct {
	x    Index
	want []int64
}

func (h *modelled) check(t *testing.T, what string) {
	t.Helper()
	if h.x.n != len(h.want) {
		t.Fatalf("%s: %d entries, want %d", what, h.x.n, len(h.want))
	}
	for i, e := range h.want {
		if got := must(h.x.At(i)); got != e {
			t.Fatalf("%s: entry %d is %#x, want %#x", what, i, got, e)
		}
	}
	for i := 0; i < h.x.n; i++ {
		run := h.x.Run(i)
		if run < 1 || i+run > h.x.n {
			t.Fatalf("%s: run of %d at %d of %d", what, run, i, h.x.n)
		}
		if c := slices.Compact(slices.Clone(h.want[i : i+run])); len(c) != 1 {
			t.Fatalf("%s: a run of %d at %d has %d kinds of entries", what, run, i, len(c))
		}
		i += run / 3 // also to the middle of runs
	}
	uniform := len(slices.Compact(slices.Clone(h.want))) <= 1
	if must(h.x.uniform()) != uniform {
		t.Fatalf("%s: uniform is %v", what, !uniform)
	}
}

func TestRunsOfEmptyRangesAreLong(t *testing.T) {
	zeros, _ := Special(chunk.SpecialZeros)
	x := must(Repeat(200_000_000, zeros).Set(100_000_000, 5))
	if n := x.Run(0); n < 99_000_000 {
		t.Errorf("run of %d before the only other entry", n)
	}
	if n := x.Run(101_000_000); n != 99_000_000 {
		t.Errorf("run of %d behind it", n)
	}
}

func TestAppendingIsConstant(t *testing.T) {
	var x Index
	perAppend := testing.AllocsPerRun(20_000, func() { x = must(x.Append(int64(x.n))) })
	if perAppend > 0.1 {
		t.Fatalf("%v allocations per append", perAppend)
	}
	used := allocated(func() {
		for range 100_000 {
			x = must(x.Append(7))
		}
	})
	if used > 4<<20 {
		t.Fatalf("100000 appends allocate %d bytes", used)
	}
}

// TestEqualIndexesEncodeEqually checks that an index encoded from cached blocks equals one
// that is encoded as a whole.
func TestEqualIndexesEncodeEqually(t *testing.T) {
	zeros, _ := Special(chunk.SpecialZeros)
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 2))
		wide := int64(1) << (10 + 17*seed) // seed 3: entries that do not compress
		p := &Packer{}
		var x Index
		for step := range 40 {
			for range rng.IntN(700) {
				x = must(x.Append(rng.Int64N(wide)))
			}
			switch rng.IntN(5) {
			case 0:
				x = must(x.AppendRun(zeros, rng.IntN(5000)))
			case 1:
				for range min(x.n, rng.IntN(3000)) {
					x = must(x.Remove(x.n - 1))
				}
			case 2:
				x = must(x.AppendRun(77, rng.IntN(5000)))
			default:
				for range min(x.n, 3) {
					x = must(x.Set(rng.IntN(x.n), rng.Int64N(wide)))
				}
			}
			if x.n == 0 {
				continue
			}
			got := must(p.Append(nil, x))
			fresh := must(Build(x.n, x.fill, x.At))
			if want := must(new(Packer).appendWhole(nil, fresh)); !bytes.Equal(got, want) && !must(x.uniform()) {
				t.Fatalf("seed %d, step %d: %d entries in %d bytes differ from %d bytes in one go",
					seed, step, x.n, len(got), len(want))
			}
			if step%5 == 0 {
				limits := Limits{cairn.Limits{}.WithDefaults(), true}
				x = must(Decode(got, 0, limits, func(int, int64) error { return nil }))
			}
		}
	}
}

func TestIndexUpdatesCostTheSameForAnyLength(t *testing.T) {
	bytesPerUpdate := func(n int) uint64 {
		x := must(Build(n, 0, func(i int) (int64, error) { return int64(i), nil }))
		return allocated(func() {
			for i := range 100 {
				x = must(x.Set(i*(n/100), 1))
			}
		}) / 100
	}
	if small, large := bytesPerUpdate(1000), bytesPerUpdate(1_000_000); large > small+256 || large > 3000 {
		t.Fatalf("%d bytes for an update of 1000 entries, %d for one of a million", small, large)
	}
}

// must returns the first of two results, and panics if the second is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// allocated returns how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDiffFindsEveryChange changes random indexes, some of them read from their encoding, and
// compares what Diff reports with a comparison of all entries.
func TestDiffFindsEveryChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		x := randomIndex(rng)
		y := x
		for range rng.IntN(4) {
			y = randomChange(rng, y)
		}
		type pair struct{ old, new int64 }
		var want, got []pair
		for i := range max(x.Len(), y.Len()) {
			if p := (pair{chunkOrNone(x, i), chunkOrNone(y, i)}); p.old != p.new {
				want = append(want, p)
			}
		}
		if err := Diff(x, y, func(old, new int64) { got = append(got, pair{old, new}) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d and %d entries: %d differences, want %d", x.Len(), y.Len(), len(got), len(want))
		}
	}
}

func chunkOrNone(x Index, i int) int64 {
	if i >= x.Len() {
		return none
	}
	return max(must(x.At(i)), none)
}

// TestDiffSkipsRuns compares indexes of a hundred million special entries.
func TestDiffSkipsRuns(t *testing.T) {
	zeros, _ := Special(chunk.SpecialZeros)
	nan, _ := Special(chunk.SpecialNaN)
	best := time.Hour // of several tries, because other programs may have the processor
	for range 5 {
		visits := 0
		count := func(_, _ int64) { visits++ }
		begin := time.Now()
		for _, x := range []Index{New(), Repeat(100_000_000, nan), must(Repeat(50_000_000, zeros).Append(7))} {
			if err := Diff(x, must(Repeat(100_000_000, zeros).Set(99_000_000, 7)), count); err != nil {
				t.Fatal(err)
			}
		}
		best = min(best, time.Since(begin))
		if visits != 4 {
			t.Errorf("%d differences, want 4", visits)
		}
	}
	if best > time.Second {
		t.Errorf("took %v", best)
	}
}

func randomIndex(rng *rand.Rand) Index {
	x := must(New().AppendRun(randomSpecial(rng), rng.IntN(3*nodeBlocks*BlockLen/2)))
	for range rng.IntN(3 * BlockLen) {
		x = must(x.Append(rng.Int64N(1000)))
	}
	if x.Len() == 0 || rng.IntN(2) == 0 {
		return x
	}
	limits := Limits{cairn.Limits{}.WithDefaults(), true}
	return must(Decode(must(new(Packer).Append(nil, x)), 0, limits, func(int, int64) error { return nil }))
}

func randomChange(rng *rand.Rand, x Index) Index {
	n := x.Len()
	switch change := rng.IntN(4); {
	case change == 0:
		return must(x.AppendRun(randomSpecial(rng), rng.IntN(2*BlockLen)))
	case change == 1 || n == 0:
		return must(x.Append(rng.Int64N(1000)))
	case change == 2:
		return must(x.Remove(n - 1 - rng.IntN(min(n, 3*BlockLen))))
	}
	return must(x.Set(rng.IntN(n), rng.Int64N(1000)))
}

// randomSpecial returns the entry for zeros or NaN.
func randomSpecial(rng *rand.Rand) int64 {
	kinds := []chunk.Special{chunk.SpecialZeros, chunk.SpecialNaN}
	entry, _ := Special(kinds[rng.IntN(len(kinds))])
	return entry
}
