package frame

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
)

func TestIndexAgreesWithASlice(t *testing.T) {
	zeros, _ := specialEntry(chunk.SpecialZeros)
	nan, _ := specialEntry(chunk.SpecialNaN)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var x index
		var want []int64
		type old struct {
			x    index
			want []int64
		}
		var history []old
		for step := range 3000 {
			entry := []int64{zeros, nan, int64(rng.IntN(1000)), int64(rng.IntN(1000))}[rng.IntN(4)]
			switch op := rng.IntN(100); {
			case op < 80:
				x, want = must(x.append(entry)), append(slices.Clone(want), entry)
			case op < 88 && len(want) > 0:
				i := rng.IntN(len(want))
				x = must(x.set(i, entry))
				want = slices.Clone(want)
				want[i] = entry
			case op < 91:
				i := rng.IntN(len(want) + 1)
				x, want = must(x.insert(i, entry)), slices.Insert(slices.Clone(want), i, entry)
			case op < 94 && len(want) > 0:
				i := rng.IntN(len(want))
				if rng.IntN(2) == 0 {
					i = len(want) - 1
				}
				x, want = must(x.remove(i)), slices.Delete(slices.Clone(want), i, i+1)
			case op < 96:
				n := rng.IntN(1500)
				if len(want) > 6000 {
					n = 3
				}
				x, want = must(x.appendRun(entry, n)), append(slices.Clone(want), slices.Repeat([]int64{entry}, n)...)
			case op < 98 && len(history) > 0: // as Rollback does
				back := history[rng.IntN(len(history))]
				x, want = back.x.seal(), back.want
			}
			if step%100 == 0 {
				history = append(history, old{x, want})
			}
		}
		history = append(history, old{x, want})
		for k, h := range history {
			if h.x.n != len(h.want) {
				t.Fatalf("seed %d, state %d: %d entries, want %d", seed, k, h.x.n, len(h.want))
			}
			for i, e := range h.want {
				if got := entryAt(t, h.x, i); got != e {
					t.Fatalf("seed %d, state %d: entry %d is %#x, want %#x", seed, k, i, got, e)
				}
			}
			for i := 0; i < h.x.n; i++ {
				run := h.x.run(i)
				if run < 1 || i+run > h.x.n {
					t.Fatalf("seed %d, state %d: run of %d at %d of %d", seed, k, run, i, h.x.n)
				}
				if c := slices.Compact(slices.Clone(h.want[i : i+run])); len(c) != 1 {
					t.Fatalf("seed %d, state %d: a run of %d at %d has %d kinds of entries", seed, k, run, i, len(c))
				}
				i += run / 3 // also into the middle of runs
			}
			uniform := len(slices.Compact(slices.Clone(h.want))) <= 1
			if must(h.x.uniform()) != uniform {
				t.Fatalf("seed %d, state %d: uniform is %v", seed, k, !uniform)
			}
		}
	}
}

func TestRunsOfAnEmptyStretchAreLong(t *testing.T) {
	zeros, _ := specialEntry(chunk.SpecialZeros)
	x := must(runIndex(200_000_000, zeros).set(100_000_000, 5))
	if n := x.run(0); n < 99_000_000 {
		t.Errorf("run of %d before the only other entry", n)
	}
	if n := x.run(101_000_000); n != 99_000_000 {
		t.Errorf("run of %d behind it", n)
	}
}

func TestAppendingIsConstant(t *testing.T) {
	var x index
	perAppend := testing.AllocsPerRun(20_000, func() { x = must(x.append(int64(x.n))) })
	if perAppend > 0.1 {
		t.Fatalf("%v allocations per append", perAppend)
	}
	used := allocated(func() {
		for range 100_000 {
			x = must(x.append(7))
		}
	})
	if used > 4<<20 {
		t.Fatalf("100000 appends allocate %d bytes", used)
	}
}
