package netcdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// countingRanges is a source of ranges that notes what is asked of it.
type countingRanges struct {
	data          []byte
	calls, ranges int
	bytes         int64
}

func (c *countingRanges) Stat(context.Context) (storage.Object, error) {
	return storage.Object{Name: "memory", Size: int64(len(c.data))}, nil
}

func (c *countingRanges) ReadRanges(_ context.Context, ranges []storage.Range) error {
	c.calls++
	for _, r := range ranges {
		c.ranges++
		c.bytes += int64(copy(r.Data, c.data[r.Off:]))
	}
	return nil
}

func TestBoxesAreWhatTheWholeHas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, variables := range goldens(t) {
		f := open(t, name)
		for key := range variables {
			v, err := f.Variable(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			shape, size := v.Shape(), int64(v.DType().Size())
			whole := make([]byte, itemsOf(shape)*size)
			if err := v.ReadBytes(t.Context(), whole, make([]int64, len(shape)), shape); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				start, stop := make([]int64, len(shape)), make([]int64, len(shape))
				for d, n := range shape {
					start[d] = rng.Int64N(n + 1)
					stop[d] = start[d] + rng.Int64N(n-start[d]+1)
				}
				want := boxOf(whole, shape, start, stop, size)
				got := make([]byte, len(want))
				if err := v.ReadBytes(t.Context(), got, start, stop); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s %s from %v to %v: %v", name, key, start, stop, err)
				}
			}
		}
	}
}

// boxOf returns the items of a box of an array in memory.
func boxOf(whole []byte, shape, start, stop []int64, size int64) (box []byte) {
	for i := range int64(len(whole)) / size {
		rest, inside := i, true
		for d := len(shape) - 1; d >= 0; d-- {
			at := rest % shape[d]
			rest /= shape[d]
			inside = inside && at >= start[d] && at < stop[d]
		}
		if inside {
			box = append(box, whole[i*size:][:size]...)
		}
	}
	return box
}

func TestRangesAreAskedForTogether(t *testing.T) {
	data, err := os.ReadFile("testdata/classic.nc")
	if err != nil {
		t.Fatal(err)
	}
	ranges := &countingRanges{data: data}
	file, err := storage.OpenRanges(t.Context(), ranges, &storage.RangeOptions{Keep: -1, Gap: -1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenReader(file, int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Variable(t.Context(), "t2m")
	if err != nil {
		t.Fatal(err)
	}
	*ranges = countingRanges{data: data}
	got := make([]byte, 4*2*2*2)
	if err := v.ReadBytes(t.Context(), got, []int64{0, 1, 1}, []int64{4, 3, 3}); err != nil {
		t.Fatal(err)
	}
	if ranges.bytes > int64(len(got)) {
		t.Errorf("%d bytes were read for %d", ranges.bytes, len(got))
	}
}

func TestOpenRefuses(t *testing.T) {
	whole, err := os.ReadFile("testdata/classic.nc")
	if err != nil {
		t.Fatal(err)
	}
	put := func(at int, b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { copy(f[at:], b); return f }
	}
	for _, c := range []struct {
		name   string
		change func(f []byte) []byte
		is     error
		says   string
	}{
		{"nothing", func([]byte) []byte { return nil }, cairn.ErrCorrupt, "the file ends at byte 0"},
		{"another version", put(3, 3), cairn.ErrCorrupt, "CDF\\x03"},
		{"no dimensions", put(11, 9), cairn.ErrCorrupt, "tag 9, want 10"},
		{"too many dimensions", put(12, 0x7f), io.ErrUnexpectedEOF, "dimensions, but the file ends"},
		{"a long name", put(16, 0x7f), cairn.ErrCorrupt, "bytes of a name"},
		{"a slash in a name", put(20, '/'), cairn.ErrCorrupt, "the name"},
		{"two unlimited dimensions", put(39, 0), cairn.ErrCorrupt, "both unlimited"},
		{"records beyond an integer", put(4, 0xff, 0xff, 0xff, 0xfe), nil, ""},
		{"half a header", func(f []byte) []byte { return f[:300] }, io.ErrUnexpectedEOF, "the file ends at byte 300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.change(slices.Clone(whole))
			_, err := OpenReader(bytes.NewReader(f), int64(len(f)), nil)
			if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want %v: %s", err, c.is, c.says)
			}
		})
	}
	o := &OpenOptions{Limits: cairn.Limits{MaxHeader: 100}}
	if _, err := OpenReader(bytes.NewReader(whole), int64(len(whole)), o); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("a header beyond the limit: %v", err)
	}
}

func TestMissingItemsAreAnError(t *testing.T) {
	whole, err := os.ReadFile("testdata/classic.nc")
	if err != nil {
		t.Fatal(err)
	}
	short := bytes.NewReader(whole[:len(whole)-100])
	f, err := OpenReader(short, short.Size(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Variable(t.Context(), "time")
	if err != nil {
		t.Fatal(err)
	}
	err = v.ReadBytes(t.Context(), make([]byte, 4*8), []int64{0}, []int64{4})
	if !errors.Is(err, cairn.ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("items beyond the end: %v", err)
	}
	if err := v.ReadBytes(t.Context(), make([]byte, 8), []int64{0}, []int64{1}); err != nil {
		t.Errorf("items before the end: %v", err)
	}
}

func TestBoxesOutsideAreRefused(t *testing.T) {
	v, err := open(t, "classic.nc").Variable(t.Context(), "lat")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n           int
		start, stop []int64
	}{{4, []int64{3}, []int64{4}}, {4, []int64{-1}, []int64{0}}, {4, []int64{1}, []int64{0}}, {3, []int64{0}, []int64{1}},
		{4, nil, nil}} {
		if err := v.ReadBytes(t.Context(), make([]byte, c.n), c.start, c.stop); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("from %v to %v in %d bytes: %v", c.start, c.stop, c.n, err)
		}
	}
}

// A file of 2 GiB and more has variables whose size does not fit into the header.
func TestSizesInTheHeaderDoNotMatter(t *testing.T) {
	whole, err := os.ReadFile("testdata/single.nc")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte("b\x00\x00\x00")) // rank, 2 dimensions, attributes, type, size
	binary.BigEndian.PutUint32(whole[at+4+4+8+8+4:], 0xffffffff)
	f, err := OpenReader(bytes.NewReader(whole), int64(len(whole)), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Variable(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hashOf(t, v), goldens(t)["single.nc"]["/b"].SHA256; got != want {
		t.Errorf("items %s, want %s", got, want)
	}
}

// FuzzClassic opens files and reads the first and last items of all variables.
func FuzzClassic(f *testing.F) {
	for name := range goldens(f) {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if isClassic(data) {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !isClassic(data) {
			return
		}
		o := &OpenOptions{Limits: cairn.Limits{MaxHeader: 1 << 16}}
		file, err := OpenReader(bytes.NewReader(data), int64(len(data)), o)
		if err != nil {
			allowed(t, err)
			return
		}
		readAll(t, file)
	})
}

// FuzzNetCDF4 does the same with HDF5 files.
func FuzzNetCDF4(f *testing.F) {
	for name := range goldens(f) {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if !isClassic(data) && len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := &OpenOptions{Workers: 1, Limits: cairn.Limits{MaxHeader: 1 << 16, MaxMeta: 1 << 18, MaxChunk: 1 << 18,
			MaxIndex: 1 << 16, MaxAlloc: 1 << 18}}
		file, err := OpenReader(bytes.NewReader(data), int64(len(data)), o)
		if err != nil {
			allowed(t, err)
			return
		}
		readAll(t, file)
	})
}

// readAll reads the first and the last items of all variables, and the header.
func readAll(t *testing.T, f *File) {
	if err := f.Header(io.Discard, "fuzz.nc"); err != nil {
		t.Fatal(err)
	}
	for _, key := range keysOf(t, f) {
		v, err := f.Variable(t.Context(), key)
		if err != nil {
			continue
		}
		for _, last := range []bool{false, true} {
			start, stop := make([]int64, len(v.Dimensions)), slices.Clone(v.Shape())
			n := int64(v.DType().Size())
			for d, extent := range v.Shape() {
				if last {
					start[d] = max(0, extent-2)
				} else {
					stop[d] = min(extent, 2)
				}
				n *= stop[d] - start[d]
			}
			if n <= 1<<16 {
				allowed(t, v.ReadBytes(t.Context(), make([]byte, n), start, stop))
			}
		}
		if _, err := ndarray.ViewOf(v).Labels(); err != nil {
			t.Fatal(err)
		}
	}
}

// allowed fails unless an error is one that bad input may cause.
func allowed(t *testing.T, err error) {
	t.Helper()
	for _, ok := range []error{cairn.ErrCorrupt, cairn.ErrUnsupported, cairn.ErrLimit, cairn.ErrChecksum, cairn.ErrLocked,
		cairn.ErrNotFound, io.ErrUnexpectedEOF} {
		if err == nil || errors.Is(err, ok) {
			return
		}
	}
	t.Fatal(err)
}
