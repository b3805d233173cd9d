package diskcache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// An index knows which ranges of a version of a source are kept.
type index struct {
	c     *Cache
	place // without an extent

	mu       sync.Mutex
	extents  []extent  // sorted by offset
	modified time.Time // of the directory, when it was listed
	next     time.Time // when it may be listed again
}

// path returns the path of the file of an extent.
func (x *index) path(e extent) string {
	at := x.place
	at.extent = e
	return filepath.Join(x.c.dir, at.folder(), at.name())
}

// refresh lists the directory if other processes may have added something to it. Listing a large
// directory takes at most a tenth of the time.
func (x *index) refresh() {
	began := time.Now()
	if began.Before(x.next) {
		return
	}

	dir := filepath.Join(x.c.dir, x.folder())
	info, err := os.Stat(dir)
	if err != nil || info.ModTime().Equal(x.modified) {
		return
	}

	x.modified = info.ModTime()
	names := namesIn(dir)

	x.extents = x.extents[:0]
	for _, name := range names {
		if p, ok := parsePlace(name); ok && p.source == x.source && p.version == x.version {
			x.extents = append(x.extents, p.extent)
		}
	}

	slices.SortFunc(x.extents, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
	x.next = time.Now().Add(max(time.Second, 10*time.Since(began)))
}

// namesIn returns the names of the files in a directory, none if it cannot be listed.
func namesIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what is not seen is fetched
	return names
}

// knows reports whether anything of a source is kept, of whichever version.
func (c *Cache) knows(source [16]byte) bool {
	p := place{source: source}
	prefix, _, _ := strings.Cut(p.name(), "-")
	return slices.ContainsFunc(namesIn(filepath.Join(c.dir, p.folder())), func(name string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// longest returns the extent with the byte at an offset that reaches farthest. If there is none,
// next is where the first extent after it begins, or end.
func (x *index) longest(off, end int64) (found extent, next int64) {
	after, _ := slices.BinarySearchFunc(x.extents, off, func(e extent, off int64) int {
		if e.off <= off {
			return -1
		}
		return 1
	})

	for i := after - 1; i >= 0 && x.extents[i].off > off-maxExtent; i-- {
		if e := x.extents[i]; e.end() > off && e.end() > found.end() {
			found = e
		}
	}

	if after < len(x.extents) {
		end = min(end, x.extents[after].off)
	}
	return found, end
}

// cover returns extents that have the bytes from off to end, as far as there are any, and the range
// from the first to the last byte that none of them has.
func (x *index) cover(off, end int64) (have []extent, missing extent) {
	x.mu.Lock()
	defer x.mu.Unlock()

	if have, missing = x.lookUp(off, end); missing.n > 0 {
		x.refresh()
		have, missing = x.lookUp(off, end)
	}
	return have, missing
}

func (x *index) lookUp(off, end int64) (have []extent, missing extent) {
	for at := off; at < end; {
		e, next := x.longest(at, end)
		if e.n > 0 {
			have = append(have, e)
			at = e.end()
			continue
		}

		if missing.n == 0 {
			missing.off = at
		}
		missing.n = next - missing.off
		at = next
	}
	return have, missing
}

// add notes that an extent is kept.
func (x *index) add(e extent) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, _ := slices.BinarySearchFunc(x.extents, e, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
	x.extents = slices.Insert(x.extents, at, e)
}

// drop notes that an extent is not kept.
func (x *index) drop(e extent) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.extents = slices.DeleteFunc(x.extents, func(o extent) bool { return o == e })
}
