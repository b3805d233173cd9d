package hdf5

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// expected reports whether an error is one that bad bytes may cause.
func expected(err error) bool {
	for _, target := range []error{cairn.ErrCorrupt, cairn.ErrUnsupported, cairn.ErrChecksum, cairn.ErrLimit,
		cairn.ErrNotFound, cairn.ErrLocked, cairn.ErrBounds, io.ErrUnexpectedEOF, fs.ErrNotExist} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// fuzzLimits keep the calls of fuzz targets small.
var fuzzLimits = cairn.Limits{MaxHeader: 1 << 16, MaxMeta: 1 << 18, MaxIndex: 1 << 18, MaxChunk: 1 << 18, MaxAlloc: 1 << 18}

// FuzzOpen opens files and reads everything in them, in half of the cases whatever the checksums
// are.
func FuzzOpen(f *testing.F) {
	names, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		f.Fatal(err)
	}
	names = append(names, "testdata/links/main.h5", "testdata/links/old.h5")
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) <= 20<<10 {
			f.Add(b, true)
			f.Add(b, false)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, trusting bool) {
		in, err := OpenReader(bytes.NewReader(b), int64(len(b)), &OpenOptions{Workers: 1, Limits: fuzzLimits,
			Links: []string{"testdata/links"}, Path: "testdata/links/main.h5"})
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}
		defer in.Close()
		in.format.Trusting = trusting
		readEverything(t, in)
	})
}

// FuzzChange changes files, in half of the cases whatever the checksums are. What a commit has made
// must be readable as far as it was.
func FuzzChange(f *testing.F) {
	names, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(names, "testdata/links/old.h5") {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) <= 20<<10 {
			f.Add(b, true)
			f.Add(b, false)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, trusting bool) {
		fsys := storage.NewMemory()
		putFile(t, fsys, b)
		c, err := Change("a.h5", &AppendOptions{FS: fsys, Workers: 1, Limits: fuzzLimits})
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}

		c.a.file.format.Trusting = trusting
		if err := changeAll(t, c); err != nil && !expected(err) {
			t.Fatal(err)
		}
		if err := c.Commit(t.Context()); err != nil && !expected(err) {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil && !expected(err) && !errors.Is(err, cairn.ErrClosed) {
			t.Fatal(err)
		}
	})
}

// readEverything reads a file, of which only errors of bad bytes are expected.
func readEverything(t *testing.T, f *File) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil && !expected(err) {
			t.Fatal(err)
		}
	}
	keys, err := keysOf(ctx, f)
	check(err)
	if err != nil {
		keys = []string{"/"}
	}
	for _, key := range keys[:min(len(keys), 30)] {
		list, err := f.AllAttributes(ctx, key)
		check(err)
		for _, a := range list {
			check(a.Err)
		}
		nodes, err := f.Children(ctx, key)
		check(err)
		if len(nodes) != 1 || nodes[0].Key != key {
			_, err = f.Links(ctx, key)
			check(err)
			continue
		}
		_, err = f.Values(ctx, key)
		check(err)
		d, err := f.Dataset(ctx, key)
		check(err)
		if err != nil {
			continue
		}
		d.Info()
		_, err = d.Labels()
		check(err)
		readSome(t, d, check)
	}
}

// readSome reads the first and the last items of a dataset.
func readSome(t *testing.T, d *Dataset, check func(error)) {
	shape := d.Shape()
	const most = 5 // in each dimension
	for _, last := range []bool{false, true} {
		start, stop := make([]int64, len(shape)), make([]int64, len(shape))
		n := int64(d.DType().Size())
		for i, extent := range shape {
			stop[i] = min(extent, most)
			if last {
				start[i], stop[i] = max(0, extent-most), extent
			}
			n *= stop[i] - start[i]
			if n > 1<<20 {
				return
			}
		}
		check(d.ReadBytes(context.Background(), make([]byte, n), start, stop))
	}
}

// FuzzDatatype converts items of any datatype.
func FuzzDatatype(f *testing.F) {
	for _, seed := range []string{
		"\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00",
		"\x13\x00\x00\x00\x05\x00\x00\x00",
		"\x19\x11\x01\x00\x10\x00\x00\x00\x13\x00\x00\x00\x01\x00\x00\x00",
		"\x36\x01\x00\x00\x04\x00\x00\x00a\x00\x00\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00",
	} {
		f.Add([]byte(seed), []byte("some items, as bytes"))
	}
	f.Fuzz(func(t *testing.T, message, items []byte) {
		in := format.Bare(message, fuzzLimits)
		d, err := in.In(t.Context()).ParseDatatype(message)
		if err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			return
		}
		_ = d.String()
		if len(items) == 0 || d.Size > int64(len(items)) {
			return
		}
		file := &File{format: in, objects: map[int64]*object{}}
		a := format.Attribute{Name: "a", Type: d, Data: items[:d.Size]}
		var out Attribute
		if err := file.values(t.Context()).read(&out, &a); err != nil && !expected(err) {
			t.Fatal(err)
		}
		if out.DType.Size() > 0 && len(out.Data) != out.DType.Size() {
			t.Fatalf("%d bytes for an item of %d", len(out.Data), out.DType.Size())
		}
	})
}
