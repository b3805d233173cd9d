package ndarray_test

import (
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// TestSmallCallsAllocateNothing counts the allocations of reads of one item, one block, a box and
// lines of several chunks, once the array has been used.
func TestSmallCallsAllocateNothing(t *testing.T) {
	at := func(at []int64) float32 { return float32(at[0] * at[1]) }
	for _, codec := range []codecs.Codec{codecs.LZ4, codecs.Zstd} {
		path := filepath.Join(t.TempDir(), "a.b2nd")
		o := &ndarray.Options{Codec: codec, ChunkShape: ndarray.Shape{256, 256}, BlockShape: ndarray.Shape{32, 32}}
		a, err := ndarray.FromFunc(t.Context(), path, ndarray.Shape{512, 512}, at, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		for _, o := range []*ndarray.OpenOptions{{Workers: 1}, {Workers: 2}, {Workers: 4}, {NoCache: true}} {
			a, err := ndarray.OpenAs[float32](path, o)
			if err != nil {
				t.Fatal(err)
			}
			smallReads(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, workers := range []int{1, 2} {
			o.Workers = workers
			a, err := ndarray.FromFunc(t.Context(), "", ndarray.Shape{512, 512}, at, o)
			if err != nil {
				t.Fatal(err)
			}
			smallReads(t, a)
		}
	}
}

// smallReads reads parts of an array whose items are the products of their coordinates.
func smallReads(t *testing.T, a ndarray.Array[float32]) {
	t.Helper()
	allocs(t, "At", 0, func() error {
		value, err := a.At(40, -3)
		if value != 40*509 {
			t.Error(value)
		}
		return err
	})
	for name, corners := range map[string][2][]int64{
		"a block":            {{64, 64}, {96, 96}},
		"a box of one chunk": {{10, 20}, {60, 70}},
		"a box of 4 chunks":  {{240, 240}, {270, 270}},
		"a row":              {{300, 0}, {301, 512}},
		"a column":           {{0, 300}, {512, 301}},
	} {
		start, stop := corners[0], corners[1]
		width := stop[1] - start[1]
		dst := make([]float32, (stop[0]-start[0])*width)
		allocs(t, "ReadBox of "+name, 0, func() error { return a.ReadBox(t.Context(), dst, start, stop) })
		for i, value := range dst {
			if y, x := start[0]+int64(i)/width, start[1]+int64(i)%width; value != float32(y*x) {
				t.Fatalf("%s: item %d,%d is %v", name, y, x, value)
			}
		}
	}
}

// TestAllocsOfAppendedRows counts the allocations of appended rows, in a file and in memory.
func TestAllocsOfAppendedRows(t *testing.T) {
	for n, shape := range []ndarray.Shape{{0, 16}, {16, 0}, {0, 16}, {16, 0}} {
		axis := n % 2
		o := &ndarray.Options{Codec: codecs.LZ4, Workers: 1 + n/2}
		log, err := ndarray.New[float32](shape, o)
		if n > 0 {
			o.Codec = codecs.Zstd
			log, err = ndarray.Create[float32](filepath.Join(t.TempDir(), "log.b2nd"), shape, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		row, rows := make([]float32, 16), 0
		allocs(t, "Append of a row", 2, func() error {
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
