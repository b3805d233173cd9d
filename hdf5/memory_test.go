package hdf5

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
)

// anySource hides what a source is, so that its items are read.
type anySource struct{ ndarray.Source }

func (s anySource) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

// TestItemsInMemory writes items that lie in memory, and the same ones from a source that is read:
// the files are equal, and have the items and beyond the edges the fill value.
func TestItemsInMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	shapes := []struct{ shape, chunk ndarray.Shape }{
		{ndarray.Shape{1000}, ndarray.Shape{300}}, {ndarray.Shape{64, 32}, ndarray.Shape{16, 32}},
		{ndarray.Shape{30, 31}, ndarray.Shape{7, 8}}, {ndarray.Shape{5, 9, 11}, ndarray.Shape{2, 9, 4}},
		{ndarray.Shape{20, 300, 301}, ndarray.Shape{16, 128, 128}}, {ndarray.Shape{3, 4}, nil},
	}
	for _, c := range shapes {
		values := make([]uint16, c.shape[0])
		for _, n := range c.shape[1:] {
			values = make([]uint16, len(values)*int(n))
		}
		for i := range values {
			values[i] = uint16(r.IntN(500))
		}
		for _, filters := range [][]filter.Filter{nil, {{ID: filter.Shuffle}, {ID: filter.LZ4}}, {{ID: filter.Blosc2}}} {
			if c.chunk == nil && filters != nil {
				continue
			}
			o := &DatasetOptions{Chunks: c.chunk, Filters: filters, Fill: []byte{7, 9}}
			if len(c.shape) == 3 {
				o.Fill = nil
			}
			var files [][]byte
			for _, workers := range []int{1, 3} {
				items := ndarray.Items(values, c.shape)
				for _, src := range []ndarray.Source{items, anySource{items}} {
					files = append(files, fileOf(t, src, o, workers))
				}
			}
			for i, file := range files[1:] {
				if !bytes.Equal(file, files[0]) {
					t.Errorf("%v in chunks %v with %v: file %d is another one", c.shape, c.chunk, filters, i+1)
				}
			}
		}
	}
}

// fileOf returns a file with a dataset, whose items it compares.
func fileOf(t *testing.T, src ndarray.Source, o *DatasetOptions, workers int) []byte {
	t.Helper()
	ctx := context.Background()
	name := filepath.Join(t.TempDir(), fmt.Sprint(workers, ".h5"))
	w, err := Create(name, &CreateOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(ctx, "a", src, o); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.Dataset(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ndarray.ViewOf(d).Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ndarray.ViewOf(src).Read(ctx)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("other items: %v", err)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFillBeyond fills what is around corners of chunks.
func TestFillBeyond(t *testing.T) {
	chunk := []int64{3, 4, 5}
	for n := range int64(60) {
		corner := []int64{1 + n/20, 1 + n/5%4, 1 + n%5}
		full := bytes.Repeat([]byte{1}, 2*60)
		fillBeyond(full, chunk, corner, []byte{8, 9})
		for i := range int64(60) {
			inside := i/20 < corner[0] && i/5%4 < corner[1] && i%5 < corner[2]
			if got := full[2*i] == 1; got != inside || !inside && (full[2*i] != 8 || full[2*i+1] != 9) {
				t.Fatalf("corner %v, item %d: %v", corner, i, full[2*i:2*i+2])
			}
		}
	}
}

// TestRuns compares the runs of chunks with their items.
func TestRuns(t *testing.T) {
	chunk := []int64{3, 4, 5}
	const item = leastHole / 2
	for n := range int64(60) {
		corner := []int64{1 + n/20, 1 + n/5%4, 1 + n%5}
		written := make([]bool, 60*item)
		last := -1
		for _, r := range appendRuns(nil, chunk, corner, 0, len(written)) {
			if r.from <= last || r.to <= r.from {
				t.Fatalf("corner %v: run %v behind %d", corner, r, last)
			}
			last = r.to
			for i := r.from; i < r.to; i++ {
				written[i] = true
			}
		}
		skipped := 0
		for i := range int64(60) {
			inside := i/20 < corner[0] && i/5%4 < corner[1] && i%5 < corner[2]
			if inside && !written[i*item] {
				t.Fatalf("corner %v: item %d is not written", corner, i)
			}
			if !written[i*item] {
				skipped++
			}
		}
		if want := 60 - int(corner[0]*corner[1]*corner[2]); corner[2] != 4 && skipped != want {
			t.Fatalf("corner %v: %d items are not written, want %d", corner, skipped, want)
		}
	}
}
