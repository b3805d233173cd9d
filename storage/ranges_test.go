package storage_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/storagetest"
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
