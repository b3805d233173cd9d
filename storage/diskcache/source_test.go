package diskcache

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A source is a file in memory that counts what is asked of it.
type source struct {
	mu      sync.Mutex
	data    []byte
	version string
	stats   int // calls of Stat and ReadEnds
	ranges  []storage.Range
}

func (s *source) Stat(ctx context.Context) (storage.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats++
	return storage.Object{Name: "far", Size: int64(len(s.data)), Version: s.version}, ctx.Err()
}

func (s *source) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range ranges {
		if r.Off < 0 || r.Off+int64(len(r.Data)) > int64(len(s.data)) || len(r.Data) == 0 {
			return cairn.ErrBounds
		}
		copy(r.Data, s.data[r.Off:])
		s.ranges = append(s.ranges, storage.Range{Off: r.Off, Data: bytes.Clone(r.Data)})
	}
	return ctx.Err()
}

// since returns what was asked for since the last call.
func (s *source) since() (stats int, ranges []extent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.ranges {
		ranges = append(ranges, extent{r.Off, int64(len(r.Data))})
	}
	stats = s.stats
	s.stats, s.ranges = 0, nil
	return stats, ranges
}

// bothEnds is a source that reads both ends at once.
type bothEnds struct{ *source }

func (s bothEnds) ReadEnds(ctx context.Context, head, tail int) (at storage.Object, first, last []byte, err error) {
	at, err = s.Stat(ctx)
	n, m := min(head, len(s.data)), min(tail, len(s.data))
	return at, bytes.Clone(s.data[:n]), bytes.Clone(s.data[len(s.data)-m:]), err
}

// pattern returns n bytes, each of which tells where it is.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return b
}

func check(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// openCache opens a cache, and closes it after the test.
func openCache(t testing.TB, dir string, size int64) *Cache {
	t.Helper()
	c, err := Open(dir, &Options{Size: size})
	check(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// read reads through a new reader of a cache, and compares with the source.
func read(t testing.TB, c *Cache, s *source, ranges ...extent) {
	t.Helper()
	readFrom(t, c.Ranges(s, "far"), s, ranges...)
}

func readFrom(t testing.TB, r storage.RangeReader, s *source, ranges ...extent) {
	t.Helper()
	var all []storage.Range
	for _, e := range ranges {
		all = append(all, storage.Range{Off: e.off, Data: make([]byte, e.n)})
	}
	check(t, r.ReadRanges(t.Context(), all))
	for _, one := range all {
		if !bytes.Equal(one.Data, s.data[one.Off:][:len(one.Data)]) {
			t.Fatalf("%d bytes at %d are others", len(one.Data), one.Off)
		}
	}
}

// keptFiles returns the paths of all extents in the directory of a cache, and what they count.
func keptFiles(t testing.TB, dir string) (paths []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		info, err := d.Info()
		if err == nil {
			paths = append(paths, path)
			size += charge(info.Size())
		}
		if os.IsNotExist(err) {
			err = nil
		}
		return err
	})
	check(t, err)
	return paths, size
}
