package diskcache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestRangeReader(t *testing.T) {
	c := openCache(t, t.TempDir(), 0)
	for _, version := range []string{"1", ""} {
		for name, wrap := range map[string]func(s *source) storage.RangeReader{
			"ends":  func(s *source) storage.RangeReader { return bothEnds{s} },
			"plain": func(s *source) storage.RangeReader { return s },
		} {
			t.Run(fmt.Sprintf("%s, version %q", name, version), func(t *testing.T) {
				storagetest.RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader {
					return c.Ranges(wrap(&source{data: data, version: version}), fmt.Sprint(len(data)))
				})
			})
		}
	}
}

// TestSecondReading checks that what was read once is not read again, by whichever ranges, and that
// only what is missing is asked for, by one range at most.
func TestSecondReading(t *testing.T) {
	dir := t.TempDir()
	s := &source{data: pattern(20 << 20), version: "1"}
	for _, c := range []struct{ read, want []extent }{
		{[]extent{{100, 50}}, []extent{{100, 50}}},
		{[]extent{{100, 50}, {120, 10}, {149, 1}}, nil},
		{[]extent{{90, 20}}, []extent{{90, 10}}},
		{[]extent{{140, 20}}, []extent{{150, 10}}},
		{[]extent{{90, 70}, {155, 5}}, nil},
		{[]extent{{1000, 100}, {1200, 100}}, []extent{{1000, 100}, {1200, 100}}},
		{[]extent{{950, 400}}, []extent{{950, 400}}}, // from the first to the last that is missing
		{[]extent{{1000, 200}, {1, 0}}, nil},
		{[]extent{{1 << 20, 18 << 20}}, []extent{{1 << 20, 8 << 20}, {9 << 20, 8 << 20}, {17 << 20, 2 << 20}}},
		{[]extent{{8 << 20, 4 << 20}, {2 << 20, 1}, {2<<20 - 1, 16<<10 + 1}}, nil},
	} {
		for range 2 { // the second time by another process, as it were
			cache := openCache(t, dir, 0)
			read(t, cache, s, c.read...)
			if stats, got := s.since(); stats != 1 || !slices.Equal(got, c.want) {
				t.Errorf("%v: asked for %v, want %v; %d calls of Stat", c.read, got, c.want, stats)
			}
			c.want = nil
		}
	}
	// Nothing of another version, size or source is taken.
	cache := openCache(t, dir, 0)
	for _, other := range []*source{{data: s.data, version: "2"}, {data: s.data[:19<<20], version: "1"},
		{data: s.data, version: ""}, {data: s.data, version: ""}} {
		read(t, cache, other, extent{100, 50})
		if _, got := other.since(); len(got) != 1 {
			t.Errorf("version %q: asked for %v", other.version, got)
		}
	}
	readFrom(t, cache.Ranges(s, "elsewhere"), s, extent{100, 50})
	if _, got := s.since(); len(got) != 1 {
		t.Errorf("another source: asked for %v", got)
	}
}

// TestEnds checks that opening for the first time takes the round that it takes without a cache,
// and later the version alone.
func TestEnds(t *testing.T) {
	for _, n := range []int{0, 1, 16 << 10, 16<<10 + 1, 80 << 10, 80<<10 + 1, 1 << 20} {
		dir := t.TempDir()
		s := &source{data: pattern(n), version: "1"}
		for i, wrap := range []storage.RangeReader{bothEnds{s}, bothEnds{s}, s, bothEnds{s}} {
			c := openCache(t, dir, 0)
			if i == 3 {
				s.version = "2"
			}
			f, err := storage.OpenRanges(t.Context(), c.Ranges(wrap, "far"), nil)
			check(t, err)
			head, tail := make([]byte, min(n, 16<<10)), make([]byte, min(n, 64<<10))
			_, err = f.ReadAt(head, 0)
			check(t, err)
			_, err = f.ReadAt(tail, int64(n-len(tail)))
			check(t, err)
			if !bytes.Equal(head, s.data[:len(head)]) || !bytes.Equal(tail, s.data[n-len(tail):]) {
				t.Errorf("%d bytes: other bytes", n)
			}
			stats, ranges := s.since()
			if stats != 1 || i < 3 && len(ranges) > 0 || i == 3 && n > 0 && len(ranges) == 0 {
				t.Errorf("%d bytes, opening %d: %d calls of Stat, ranges %v", n, i, stats, ranges)
			}
			check(t, f.Close())
		}
	}
}

// TestBound checks that files never count more than the size of the cache, and that what was used
// last is kept.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	const size = 400 << 10
	s := &source{data: pattern(4 << 20), version: "1"}
	first, second := openCache(t, dir, size), openCache(t, dir, size)
	rnd := rand.New(rand.NewPCG(1, 2))
	favourite := extent{1000, 5000}
	old := time.Now().Add(-time.Hour)
	for i := range 400 {
		c := []*Cache{first, second}[rnd.IntN(2)]
		n := rnd.Int64N(20_000) + 1
		read(t, c, s, extent{10_000 + rnd.Int64N(4<<20-10_000-n), n})
		s.since()
		read(t, c, s, favourite)
		if _, asked := s.since(); i > 0 && len(asked) > 0 {
			t.Fatalf("what was used last is gone after %d reads", i)
		}
		paths, total := keptFiles(t, dir)
		if total > size {
			t.Fatalf("%d bytes are kept, of %d", total, size)
		}
		for _, path := range paths { // as if an hour had passed
			if p, ok := parsePlace(filepath.Base(path)); ok && p.extent != favourite {
				check(t, os.Chtimes(path, old, old))
			}
			old = old.Add(time.Millisecond)
		}
	}
	if n := first.Stats().Removed + second.Stats().Removed; n < 10 {
		t.Errorf("%d files were removed", n)
	}
	// What is larger than the cache is read all the same, and does not empty it.
	read(t, first, s, extent{0, 2 << 20})
	s.since()
	read(t, first, s, favourite)
	if _, asked := s.since(); len(asked) > 0 {
		t.Error("a large range emptied the cache")
	}
}

// TestTotalIsRepaired checks that a damaged total is counted anew.
func TestTotalIsRepaired(t *testing.T) {
	dir := t.TempDir()
	s := &source{data: pattern(1 << 20), version: "1"}
	c := openCache(t, dir, 100<<10)
	for i := range int64(40) {
		if i%3 == 1 {
			check(t, os.WriteFile(filepath.Join(c.dir, lockName), bytes.Repeat([]byte{byte(i)}, 20), 0o600))
		}
		if i%3 == 2 {
			check(t, os.Truncate(filepath.Join(c.dir, lockName), 0))
		}
		read(t, c, s, extent{i * 20_000, 10_000})
		if _, total := keptFiles(t, dir); total > 100<<10 {
			t.Fatalf("%d bytes are kept", total)
		}
	}
	if st := c.Stats(); st.Failed > 0 || st.Kept != 400_000 || st.Fetched != 400_000 {
		t.Errorf("%+v", st)
	}
}

// TestDamage checks that no damage of a file gives wrong bytes or an error: each byte changed, each
// length, another file under the name, and things that are no files.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := &source{data: pattern(100_000), version: "1"}
	at, n := extent{20_000, 300}, 0
	c := openCache(t, dir, 0)
	read(t, c, s, at)
	read(t, c, s, extent{50_000, 300})
	v := c.Ranges(s, "far").(*reader).pin(storage.Object{Size: 100_000, Version: "1"})
	path, other := v.index.path(at), v.index.path(extent{50_000, 300})
	good, err := os.ReadFile(path)
	check(t, err)
	another, err := os.ReadFile(other)
	check(t, err)
	damaged := func(what string, spoil func() error) {
		t.Helper()
		check(t, os.RemoveAll(path), spoil())
		s.since()
		before := c.Stats().Damaged
		read(t, c, s, at)
		if _, asked := s.since(); len(asked) != 1 {
			t.Fatalf("%s: was read from the cache", what)
		}
		if c.Stats().Damaged != before+1 {
			t.Fatalf("%s: was not counted", what)
		}
		read(t, c, s, at)
		if _, asked := s.since(); len(asked) != 0 {
			t.Fatalf("%s: was not replaced", what)
		}
		n++
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		damaged(fmt.Sprintf("byte %d", i), func() error { return os.WriteFile(path, bad, 0o600) })
	}
	for i := range good {
		damaged(fmt.Sprintf("%d bytes", i), func() error { return os.WriteFile(path, good[:i], 0o600) })
	}
	damaged("more bytes", func() error { return os.WriteFile(path, append(bytes.Clone(good), 0), 0o600) })
	damaged("another file", func() error { return os.WriteFile(path, another, 0o600) })
	damaged("a directory", func() error { return os.Mkdir(path, 0o700) })
	if runtime.GOOS != "windows" {
		damaged("a link to another file", func() error { return os.Symlink(other, path) })
	}
	if n < 2*len(good) {
		t.Error(n)
	}
	// A directory that cannot be removed is not a file that is kept, but does no harm.
	check(t, os.RemoveAll(path), os.MkdirAll(filepath.Join(path, "x"), 0o700))
	read(t, c, s, at)
	read(t, c, s, at)
}

// TestRemovedMeanwhile checks that the directory may lose anything while the cache is open.
func TestRemovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s := &source{data: pattern(1 << 20), version: "1"}
	c := openCache(t, dir, 0)
	r := c.Ranges(s, "far")
	readFrom(t, r, s, extent{0, 100_000})
	paths, _ := keptFiles(t, dir)
	check(t, os.Remove(paths[0]))
	readFrom(t, r, s, extent{1000, 50_000})
	check(t, os.RemoveAll(c.dir))
	readFrom(t, r, s, extent{1000, 60_000})
	if st := c.Stats(); st.Failed != 1 {
		t.Errorf("%+v", st)
	}
	check(t, c.Close(), c.Close())
	readFrom(t, r, s, extent{1000, 60_000})
}

// A fullDisk takes some bytes, and no more.
type fullDisk struct {
	io.WriteCloser
	left *int
}

func (f fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), *f.left)
	*f.left -= n
	n, err := f.WriteCloser.Write(b[:n])
	if err == nil && n < len(b) {
		err = errors.New("no space left on device")
	}
	return n, err
}

// TestFullDisk checks that reads succeed while nothing can be kept, and that nothing is left
// behind.
func TestFullDisk(t *testing.T) {
	s := &source{data: pattern(1 << 20), version: "1"}
	for _, left := range []int{0, 10, 1000, 10_000} {
		dir := t.TempDir()
		c := openCache(t, dir, 0)
		c.create = func(name string) (io.WriteCloser, error) {
			f, err := createFile(name)
			return fullDisk{f, &left}, err
		}
		read(t, c, s, extent{5, 20_000})
		read(t, c, s, extent{5, 20_000})
		if st := c.Stats(); st.Failed != 2 || st.Kept != 0 || st.Fetched != 40_000 || st.Read != 0 {
			t.Errorf("%+v", st)
		}
		if paths, _ := keptFiles(t, dir); len(paths) > 0 {
			t.Errorf("%v are left", paths)
		}
		left = 1 << 20
		read(t, c, s, extent{5, 20_000})
		read(t, c, s, extent{5, 20_000})
		if st := c.Stats(); st.Kept != 20_000 || st.Read != 20_000 {
			t.Errorf("%+v, when there is space again", st)
		}
	}
}

// TestStoppedProcess checks that a process that was stopped within the lock slows nobody down much.
func TestStoppedProcess(t *testing.T) {
	dir := t.TempDir()
	s := &source{data: pattern(1 << 20), version: "1"}
	stopped, c := openCache(t, dir, 0), openCache(t, dir, 0)
	check(t, stopped.locked(t.Context(), func() error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if err := c.locked(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		for i := range int64(100) {
			read(t, c, s, extent{i * 1000, 1000})
		}
		if took := time.Since(began); took > 60*lockWait {
			t.Errorf("100 reads took %v", took)
		}
		return nil
	}))
	if st := c.Stats(); st.Failed != 100 {
		t.Errorf("%+v", st)
	}
}

// TestLeftovers checks that what killed processes were writing is removed, once it is old.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	c := openCache(t, dir, 0)
	for name, age := range map[string]time.Duration{"old": time.Hour, "young": 0, "future": -time.Hour} {
		path := filepath.Join(c.dir, newName, name)
		check(t, os.WriteFile(path, pattern(100), 0o600))
		check(t, os.Chtimes(path, time.Now().Add(-age), time.Now().Add(-age)))
	}
	openCache(t, dir, 0)
	if paths, _ := keptFiles(t, dir); len(paths) != 1 || filepath.Base(paths[0]) != "young" {
		t.Errorf("%v are left", paths)
	}
}

// TestPermissions checks that nobody else may write to the directory, or read what is in it.
func TestPermissions(t *testing.T) {
	if _, err := Open(t.TempDir(), &Options{Size: -1}); !errors.Is(err, cairn.ErrBounds) {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(file, nil); err == nil {
		t.Error("a file is a directory")
	}
	if runtime.GOOS == "windows" {
		return // has no such permissions
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	c := openCache(t, dir, 0)
	s := &source{data: pattern(1000), version: "1"}
	read(t, c, s, extent{0, 1000})
	for _, d := range []string{filepath.Dir(dir), dir, c.dir, filepath.Join(c.dir, newName)} {
		info, err := os.Stat(d)
		check(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has %v", d, info.Mode())
		}
	}
	for _, mode := range []fs.FileMode{0o777, 0o770, 0o702, 0o720, 0o1777} {
		for _, d := range []string{dir, c.dir, filepath.Join(c.dir, newName)} {
			check(t, os.Chmod(d, mode))
			if _, err := Open(dir, nil); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s with %v: %v", d, mode, err)
			}
			check(t, os.Chmod(d, 0o755))
		}
	}
	openCache(t, dir, 0)
}
