package hdf5_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// put writes a source as the dataset "a" of a file, and opens that.
func put(t *testing.T, fsys storage.FS, name string, src ndarray.Source, o *hdf5.DatasetOptions,
	c hdf5.CreateOptions) (*hdf5.Dataset, error) {
	t.Helper()
	c.FS = fsys
	w, err := hdf5.Create(name, &c)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "a", src, o); err != nil {
		w.Abort()
		return nil, err
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := hdf5.Open(name, &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	d, err := f.Dataset(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return d, nil
}

// all returns the bytes of all items of a source.
func all(t *testing.T, src ndarray.Source) []byte {
	t.Helper()
	n := src.DType().Size()
	for _, extent := range src.Shape() {
		n *= int(extent)
	}
	b := make([]byte, n)
	if err := src.ReadBytes(t.Context(), b, make([]int64, len(src.Shape())), src.Shape()); err != nil {
		t.Fatal(err)
	}
	return b
}

// damaged changes a byte in the middle of the first chunk of a file that holds one dataset.
func damaged(t *testing.T, fsys storage.FS, name string) *hdf5.Dataset {
	t.Helper()
	file, err := fsys.OpenRW(name)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	const at = 96 + 40 // behind the superblock
	if _, err := file.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x55
	if _, err := file.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := hdf5.Open(name, &hdf5.OpenOptions{FS: fsys, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	d, err := f.Dataset(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestChunksAreTakenOver copies a dataset with a damaged chunk. That nothing fails shows that the
// chunk is not decoded; a checksum fails, and so does whatever asks for other chunks.
func TestChunksAreTakenOver(t *testing.T) {
	values := make([]int32, 90*37)
	for i := range values {
		values[i] = int32(i * i % 77)
	}
	packed := []filter.Filter{{ID: filter.Shuffle, Params: []uint32{4}}, {ID: filter.Deflate, Params: []uint32{6}}}
	summed := append(slices.Clone(packed), filter.Filter{ID: filter.Fletcher32})
	slower := []filter.Filter{packed[0], {ID: filter.Deflate, Params: []uint32{7}}}

	for name, c := range map[string]struct {
		from, to []filter.Filter
		chunks   ndarray.Shape
		checked  bool
		want     error
	}{
		"the same":           {from: packed, to: packed, chunks: ndarray.Shape{20, 37}},
		"decoded to check":   {from: packed, to: packed, chunks: ndarray.Shape{20, 37}, checked: true, want: cairn.ErrCorrupt},
		"with a checksum":    {from: summed, to: summed, chunks: ndarray.Shape{20, 37}, want: cairn.ErrChecksum},
		"at another level":   {from: packed, to: slower, chunks: ndarray.Shape{20, 37}, want: cairn.ErrCorrupt},
		"with a filter more": {from: packed, to: summed, chunks: ndarray.Shape{20, 37}, want: cairn.ErrCorrupt},
		"other chunks":       {from: packed, to: packed, chunks: ndarray.Shape{37, 20}, want: cairn.ErrCorrupt},
	} {
		fsys := storage.NewMemory()
		o := &hdf5.DatasetOptions{Chunks: ndarray.Shape{20, 37}, Filters: c.from}
		if _, err := put(t, fsys, "a.h5", inMemory(t, values, ndarray.Shape{90, 37}), o, hdf5.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		src := damaged(t, fsys, "a.h5")
		made, err := put(t, fsys, "b.h5", src, &hdf5.DatasetOptions{Chunks: c.chunks, Filters: c.to},
			hdf5.CreateOptions{Checked: c.checked, Workers: 2})
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil {
			continue
		}

		// All other chunks are as they should be.
		got := make([]byte, 70*37*4)
		if err := made.ReadBytes(t.Context(), got, []int64{20, 0}, []int64{90, 37}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want := all(t, inMemory(t, values[20*37:], ndarray.Shape{70, 37})); !bytes.Equal(got, want) {
			t.Errorf("%s: other items", name)
		}
		if err := made.ReadBytes(t.Context(), got[:4], []int64{0, 0}, []int64{1, 1}); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: the damaged chunk: %v", name, err)
		}
	}
}

// TestPartsOfChunksAreTakenOver copies parts and joins, of which some chunks are those of the
// source.
func TestPartsOfChunksAreTakenOver(t *testing.T) {
	values := make([]int32, 100*64)
	for i := range values {
		values[i] = int32(i)
	}
	o := &hdf5.DatasetOptions{Chunks: ndarray.Shape{16, 32}, MaxShape: ndarray.Shape{-1, -1},
		Filters: []filter.Filter{{ID: filter.LZ4, Params: []uint32{0}}}}
	fsys := storage.NewMemory()
	d, err := put(t, fsys, "a.h5", inMemory(t, values, ndarray.Shape{100, 64}), o, hdf5.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}

	v := ndarray.ViewOf(d)
	rows := func(from, to int64) ndarray.UntypedView { return v.Slice(ndarray.Range(from, to)) }
	for name, part := range map[string]ndarray.UntypedView{
		"all":                v,
		"rows of chunks":     rows(16, 64),
		"to the end":         rows(32, 100),
		"cut":                rows(16, 50),
		"within a chunk":     rows(17, 30),
		"off the grid":       rows(5, 90),
		"every other row":    v.Slice(ndarray.Range(0, 100).Step(2)),
		"transposed":         v.Transpose(),
		"joined":             ndarray.Concat(0, rows(16, 48), rows(0, 32), d),
		"joined off a chunk": ndarray.Concat(0, rows(0, 40), rows(0, 32)),
		"part of a join":     ndarray.Concat(0, rows(16, 48), d).Slice(ndarray.Range(16, 100)),
		"joined columns":     ndarray.Concat(1, d, d).Slice(ndarray.Range(48, 100)),
	} {
		made, err := put(t, fsys, "b.h5", part, o, hdf5.CreateOptions{Overwrite: true, Workers: 3})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(all(t, made), all(t, part)) {
			t.Errorf("%s: other items", name)
		}
	}
}

// TestOddChunksAreTakenOver copies what the HDF5 library has written, with its filters: chunks that
// were never written, filters that were left out, edges that are not encoded.
func TestOddChunksAreTakenOver(t *testing.T) {
	for _, name := range []string{"chunked-earliest.h5", "chunked-latest.h5", "odd.h5", "plists-latest.h5", "v108.h5"} {
		f, err := hdf5.Open("testdata/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for n, err := range ndarray.Walk(t.Context(), f, "/") {
			if err != nil || n.Kind != ndarray.ArrayNode {
				continue
			}
			d, err := f.Dataset(t.Context(), n.Key)
			if err != nil {
				continue
			}
			info := d.Info()
			if info.Chunks == nil || items(d.Shape()) > 1<<14 {
				continue
			}
			o := &hdf5.DatasetOptions{Chunks: info.Chunks, Filters: info.Filters, MaxShape: info.MaxShape}
			if len(info.MaxShape) != len(info.Chunks) {
				o.MaxShape = nil
			}
			made, err := put(t, storage.NewMemory(), "a.h5", d, o, hdf5.CreateOptions{Checked: true})
			if errors.Is(err, cairn.ErrUnsupported) || errors.Is(err, cairn.ErrBounds) {
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, n.Key, err)
				continue
			}
			if !bytes.Equal(all(t, made), all(t, d)) {
				t.Errorf("%s, %s: other items", name, n.Key)
			}
		}
	}
}
