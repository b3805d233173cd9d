package storage_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// far is a file of OpenRanges as a RangeReader.
type far struct {
	storage.RangeReader
	many manyRanges
}

func (f far) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	return f.many.ReadRanges(ctx, ranges)
}

func openFar(t *testing.T, src storage.RangeReader, o *storage.RangeOptions) storage.File {
	t.Helper()
	f, err := storage.OpenRanges(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// object returns an object of a bucket in memory.
func object(t *testing.T, data []byte) storage.RangeReader {
	t.Helper()
	fsys := storage.NewMemory()
	if err := fsys.Mkdir("b"); err != nil {
		t.Fatal(err)
	}
	b := storage.FSBucket(fsys, "b")
	if _, err := b.Put(t.Context(), "data", data, storage.When{}); err != nil {
		t.Fatal(err)
	}
	return storage.ObjectRanges(b, "data")
}

func TestRangeReaders(t *testing.T) {
	t.Run("ObjectRanges", func(t *testing.T) {
		storagetest.RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader { return object(t, data) })
	})
	t.Run("OpenRanges", func(t *testing.T) {
		storagetest.RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader {
			f := openFar(t, object(t, data), &storage.RangeOptions{Gap: 100, Keep: 1000, Requests: 3})
			return far{object(t, data), f.(manyRanges)}
		})
	})
}

// manyRanges reads several ranges at once.
type manyRanges interface {
	ReadRanges(ctx context.Context, ranges []storage.Range) error
}

// counted counts the requested ranges.
type counted struct {
	storage.RangeReader
	mu    sync.Mutex
	asked [][2]int64
}

func (c *counted) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	c.mu.Lock()
	for _, r := range ranges {
		c.asked = append(c.asked, [2]int64{r.Off, r.Off + int64(len(r.Data))})
	}
	c.mu.Unlock()
	return c.RangeReader.ReadRanges(ctx, ranges)
}

// TestRangesThatLieTogetherAreOneRequest checks merging of ranges and caching of small ones.
func TestRangesThatLieTogetherAreOneRequest(t *testing.T) {
	data := make([]byte, 1<<20)
	c := &counted{RangeReader: object(t, data)}
	f := openFar(t, c, &storage.RangeOptions{Gap: 1000})
	want := [][2]int64{{0, 16 << 10}, {1<<20 - 64<<10, 1 << 20}}
	read := func(ranges ...[2]int64) {
		t.Helper()
		var all []storage.Range
		for _, r := range ranges {
			all = append(all, storage.Range{Off: r[0], Data: make([]byte, r[1]-r[0])})
		}
		if err := f.(manyRanges).ReadRanges(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(c.asked, func(a, b [2]int64) int { return int(a[0] - b[0]) })
		if !slices.Equal(c.asked, want) {
			t.Errorf("asked for %v, want %v", c.asked, want)
		}
		c.asked, want = nil, nil
	}
	read([2]int64{100, 200}, [2]int64{1<<20 - 10, 1 << 20})
	want = [][2]int64{{100_000, 102_010}, {200_000, 200_010}}
	read([2]int64{102_000, 102_010}, [2]int64{100_000, 101_000}, [2]int64{200_000, 200_010})
	read([2]int64{100_000, 100_500}, [2]int64{102_000, 102_010})
	want = [][2]int64{{101_500, 101_510}, {102_511, 102_520}}
	read([2]int64{102_511, 102_520}, [2]int64{101_500, 101_510})
	if n, err := f.ReadAt(make([]byte, 20), 1<<20-10); n != 10 || err != io.EOF {
		t.Errorf("beyond the end: %d, %v", n, err)
	}
	beyond := []storage.Range{{Off: 1 << 20, Data: make([]byte, 1)}}
	if err := f.(manyRanges).ReadRanges(t.Context(), beyond); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("beyond the end: %v", err)
	}
}

// countingReader counts the requests and bytes of a source.
type countingReader struct {
	storage.RangeReader
	mu              sync.Mutex
	requests, bytes int64
}

func (c *countingReader) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	c.mu.Lock()
	for _, r := range ranges {
		c.requests++
		c.bytes += int64(len(r.Data))
	}
	c.mu.Unlock()
	return c.RangeReader.ReadRanges(ctx, ranges)
}

// TestMergedRequestsWasteLittle reads a few bytes of each of many places. Over gaps of 20 kB, which
// usually are read as well, that is a request for each if little of what is read would be wanted.
func TestMergedRequestsWasteLittle(t *testing.T) {
	data := make([]byte, 4<<20)
	for i := range data {
		data[i] = byte(i >> 8)
	}
	for _, c := range []struct {
		name                string
		every, size         int
		mostRequests, bytes int64
	}{
		{"numbers far apart", 20_000, 8, 200, 200 * 8},
		{"numbers near each other", 5_000, 8, 1, 4 << 20},
		{"blocks", 20_000, 2_000, 1, 4 << 20},
	} {
		src := &countingReader{RangeReader: object(t, data)}
		f := openFar(t, src, nil)
		var ranges []storage.Range
		for off := 100_000; off+c.size <= len(data)-100_000; off += c.every {
			ranges = append(ranges, storage.Range{Off: int64(off), Data: make([]byte, c.size)})
		}
		src.requests, src.bytes = 0, 0
		if err := f.(manyRanges).ReadRanges(t.Context(), ranges); err != nil {
			t.Fatal(err)
		}
		if src.requests > c.mostRequests || src.bytes > c.bytes {
			t.Errorf("%s: %d requests, %d bytes; want %d, %d", c.name, src.requests, src.bytes, c.mostRequests, c.bytes)
		}
		for _, r := range ranges {
			if !slices.Equal(r.Data, data[r.Off:r.Off+int64(c.size)]) {
				t.Fatalf("%s: other bytes at %d", c.name, r.Off)
			}
		}
	}
}
