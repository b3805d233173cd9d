package ndarray_test

import (
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// TestSmallCallsAllocateNothing counts the allocations of reads of one item and of one block, and
// of appended rows, once the array has been used.
func TestSmallCallsAllocateNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	at := func(at []int64) float32 { return float32(at[0] * at[1]) }
	a, err := ndarray.FromFunc(t.Context(), path, ndarray.Shape{512, 512}, at, &ndarray.Options{Codec: codecs.LZ4,
		ChunkShape: ndarray.Shape{256, 256}, BlockShape: ndarray.Shape{32, 32}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	block, start, stop := make([]float32, 32*32), []int64{64, 64}, []int64{96, 96}
	for _, o := range []*ndarray.OpenOptions{{Workers: 1}, {Workers: 4}, {CacheBytes: 1 << 20}} {
		a, err := ndarray.OpenAs[float32](path, o)
		if err != nil {
			t.Fatal(err)
		}
		allocs(t, "At", 0, func() error {
			value, err := a.At(40, -3)
			if value != 40*509 {
				t.Error(value)
			}
			return err
		})
		allocs(t, "ReadBox of a block", 0, func() error { return a.ReadBox(t.Context(), block, start, stop) })
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, shape := range []ndarray.Shape{{0, 16}, {16, 0}} {
		axis := 0
		if shape[1] == 0 {
			axis = 1
		}
		log, err := ndarray.Create[float32](filepath.Join(t.TempDir(), "log.b2nd"), shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		row, rows := make([]float32, 16), 0
		allocs(t, "Append of a row", 3, func() error {
			rows++
			row[3] = float32(rows)
			return log.Append(t.Context(), axis, row)
		})
		if got := log.Shape()[axis]; got != int64(rows) {
			t.Errorf("%d rows of %d", got, rows)
		}
		read, err := log.Slice().Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			place := 16*i + 3
			if axis == 1 {
				place = 3*rows + i
			}
			if read[place] != float32(i+1) {
				t.Fatalf("row %d is %v", i, read[place])
			}
		}
		if err := log.Abort(); err != nil {
			t.Fatal(err)
		}
	}
}

// allocs checks that a call does not allocate more than most times.
func allocs(t *testing.T, name string, most float64, call func() error) {
	t.Helper()
	n := testing.AllocsPerRun(200, func() {
		if err := call(); err != nil {
			t.Fatal(name, err)
		}
	})
	if n > most {
		t.Errorf("%s: %v allocations, want %v", name, n, most)
	}
}
