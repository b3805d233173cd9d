package storage

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// buffer is the content of a file in memory, shared by its handles: a list of contiguous extents.
// Growing the file adds an extent and moves nothing, so that lent memory remains part of the file.
// What is lent never changes: a write over it puts new memory into the file.
type buffer struct {
	mu      sync.RWMutex
	extents []extent
	length  int64
	written int64 // time of the last write, in nanoseconds since 1970
	holders int   // of its lock; see memoryLock
	handles atomic.Int64

	replaced [][]byte // memory that overwrite took out of the file while some was leased

	lent    atomic.Bool                // Slice has lent memory for good
	leases  atomic.Int64               // leases not yet released; they begin under the lock
	claimed atomic.Pointer[memoryFile] // the handle with the claim, or nil
}

// extent is a piece of a file. Only the last extent may have spare capacity, and only capacity that
// was never lent.
type extent struct {
	off   int64
	data  []byte
	whole int // bytes of the memory of which data is a part, or 0 if it is all
}

// Small writes get spare capacity, so that a file of many small writes has few extents: a quarter
// of the file, within these limits. Writes of at least half of that get an extent of exactly their
// size, since spare capacity has to be zeroed and may never be used.
const (
	minSpare = 4 << 10
	maxSpare = 128 << 10
)

func (b *buffer) size() int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.length
}

// find returns the index of the extent that contains the byte at off, which must be below the
// length.
func (b *buffer) find(off int64) int {
	return sort.Search(len(b.extents), func(i int) bool { return b.extents[i].off > off }) - 1
}

// each calls visit with those parts of the bytes [off, off+n) that exist, in order. The caller
// holds the lock.
func (b *buffer) each(off int64, n int, visit func(part []byte)) {
	if off >= b.length {
		return
	}

	for _, e := range b.extents[b.find(off):] {
		if n == 0 {
			return
		}
		part := e.data[off-e.off:]
		part = part[:min(n, len(part))]
		visit(part)
		off, n = off+int64(len(part)), n-len(part)
	}
}

// grow appends pieces, all of them to one extent. The caller holds the lock.
func (b *buffer) grow(pieces ...[]byte) {
	size := sizeOf(pieces)
	if size == 0 {
		return
	}

	if n := len(b.extents); n > 0 {
		if last := &b.extents[n-1]; cap(last.data)-len(last.data) >= size {
			last.data = appended(last.data, pieces)
			b.length += int64(size)
			return
		}
	}

	var data []byte
	if room := min(max(b.length/4, minSpare), maxSpare); int64(size) < room/2 && b.length > 0 {
		if data = takeIdle(int(room)); data == nil {
			data = make([]byte, 0, room)
		}
		data = appended(data, pieces)
	} else {
		data = joined(pieces, size)
	}

	b.extents = append(b.extents, extent{off: b.length, data: data})
	b.length += int64(size)
}

func sizeOf(pieces [][]byte) int {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	return size
}

// joined returns pieces of a size in memory of their own.
func joined(pieces [][]byte, size int) []byte {
	if data := takeIdle(size); data != nil {
		return appended(data, pieces)
	}
	return fresh.Join(pieces)
}

// appended returns data with pieces behind it.
func appended(data []byte, pieces [][]byte) []byte {
	for _, p := range pieces {
		data = append(data, p...)
	}
	return data
}

// borrowed reports whether someone may be using lent memory. The caller holds the lock for writing.
func (b *buffer) borrowed() bool { return b.lent.Load() || b.leases.Load() > 0 }

// overwrite writes pieces at off, which is below the length. The caller holds the lock. Nobody else
// sees the extents, but their memory may be lent.
func (b *buffer) overwrite(pieces [][]byte, off int64) {
	size := sizeOf(pieces)
	i := b.find(off)
	inside := off-b.extents[i].off+int64(size) <= int64(len(b.extents[i].data))
	if b.borrowed() || !inside && size >= minSpare {
		// One extent for all of them, so that it can be lent.
		b.replace(i, pieces, size, off)
		return
	}

	b.reuse()
	for _, p := range pieces {
		n := 0
		b.each(off, len(p), func(part []byte) { n += copy(part, p[n:]) })
		b.grow(p[n:])
		off += int64(len(p))
	}
}

// replace puts pieces of a size in an extent of its own, in place of what the extents from number i
// on have there.
func (b *buffer) replace(i int, pieces [][]byte, size int, off int64) {
	end := off + int64(size)
	last := i
	for last+1 < len(b.extents) && b.extents[last+1].off < end {
		last++
	}
	first := b.extents[i]
	behind := b.extents[last]

	put := make([]extent, 0, 3)
	if k := int(off - first.off); k > 0 {
		put = append(put, first.part(0, k))
	}
	put = append(put, extent{off: off, data: joined(pieces, size)})
	if k := end - behind.off; k < int64(len(behind.data)) {
		put = append(put, behind.part(int(k), len(behind.data)))
	}

	for _, e := range b.extents[i : last+1] {
		if e.whole == 0 && !slices.ContainsFunc(put, e.shares) && len(b.replaced) < mostReplaced {
			b.replaced = append(b.replaced, e.data)
		}
	}
	b.reuse()
	b.extents = slices.Replace(b.extents, i, last+1, put...)
	b.length = max(b.length, end)
}

// mostReplaced is how many pieces of memory wait for the end of all leases, so as to be used again.
// More are left to the garbage collector.
const mostReplaced = 64

// reuse lets other files have the memory that this one no longer needs, if nobody can be using it.
func (b *buffer) reuse() {
	switch {
	case b.lent.Load():
		b.replaced = nil
	case b.leases.Load() == 0:
		for _, data := range b.replaced {
			giveIdle(data)
		}
		clear(b.replaced)
		b.replaced = b.replaced[:0]
	}
}

// part returns the bytes [from, to) of e as an extent. They are copied if they would keep much more
// memory in use than they have.
func (e extent) part(from, to int) extent {
	whole := e.whole
	if whole == 0 {
		whole = cap(e.data)
	}
	p := extent{e.off + int64(from), e.data[from:to:to], whole}
	if (to-from)/3 < whole/4 {
		p.data = slices.Clone(p.data)
		p.whole = 0
	}
	return p
}

// shares reports whether p is a part of the memory of e.
func (e extent) shares(p extent) bool {
	return p.whole > 0 && p.off >= e.off && p.off < e.off+int64(len(e.data))
}

// resize sets the length, appending zeros or dropping the rest. The caller holds the lock.
func (b *buffer) resize(size int64) error {
	if size-b.length > math.MaxInt {
		return errors.New("file too large for memory")
	}

	if more := size - b.length; more >= maxSpare {
		b.extents = append(b.extents, extent{off: b.length, data: fresh.Make[byte](more)})
		b.length = size
		return nil
	} else if more >= 0 {
		b.grow(make([]byte, more))
		return nil
	}

	n := 0
	if size > 0 {
		n = b.find(size-1) + 1
	}
	clear(b.extents[n:])
	b.extents, b.length = b.extents[:n], size
	if n > 0 {
		// Bytes beyond the end may be lent, so the capacity there must not be used again.
		last := &b.extents[n-1]
		*last = last.part(0, int(size-last.off))
	}
	return nil
}

// memoryFile is a handle on a buffer.
type memoryFile struct {
	*buffer
	fs       *memory
	name     string
	readOnly bool
	closed   atomic.Bool
}

func (f *memoryFile) check(op string, write bool, off int64) error {
	switch {
	case f.closed.Load():
		return nameError(op, f.name, fs.ErrClosed)
	case write && f.readOnly:
		return nameError(op, f.name, cairn.ErrReadOnly)
	case off < 0:
		return nameError(op, f.name, fs.ErrInvalid)
	}
	return nil
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check("read", false, off); err != nil {
		return 0, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()

	n := 0
	f.each(off, len(p), func(part []byte) { n += copy(p[n:], part) })
	if n < len(p) || off >= f.length {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.WritePieces([][]byte{p}, off)
	return int(n), err
}

// WritePieces writes pieces that follow each other.
func (f *memoryFile) WritePieces(pieces [][]byte, off int64) (int64, error) {
	if err := f.check("write", true, off); err != nil {
		return 0, err
	}

	size := int64(sizeOf(pieces))
	if off > math.MaxInt64-size {
		return 0, nameError("write", f.name, fs.ErrInvalid)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.written = f.fs.tick()

	if off > f.length && size > 0 {
		if err := f.resize(off); err != nil {
			return 0, nameError("write", f.name, err)
		}
	}

	if size > 0 && off < f.length {
		f.overwrite(pieces, off)
	} else {
		f.grow(pieces...)
	}
	return size, nil
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.check("truncate", true, size); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written = f.fs.tick()
	if err := f.resize(size); err != nil {
		return nameError("truncate", f.name, err)
	}
	return nil
}

func (f *memoryFile) Sync() error { return f.check("sync", false, 0) }

func (f *memoryFile) Size() (int64, error) {
	if err := f.check("stat", false, 0); err != nil {
		return 0, err
	}
	return f.size(), nil
}

func (f *memoryFile) Close() error {
	if f.closed.Swap(true) {
		return nameError("close", f.name, fs.ErrClosed)
	}
	f.claimed.CompareAndSwap(f, nil)
	f.handles.Add(-1)
	return nil
}

// Alone reports whether this is the only handle of the file that is not closed.
func (f *memoryFile) Alone() bool { return f.handles.Load() == 1 }

// discard empties the file. Its memory is reused unless a lease or a Slice may still refer to it;
// readers and writers hold the lock.
func (b *buffer) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()

	if !b.borrowed() {
		for _, e := range b.extents {
			if e.whole == 0 {
				giveIdle(e.data)
			}
		}
	}

	b.extents = nil
	b.length = 0
}

// Slice lends the bytes at off for good if they lie in one extent.
func (f *memoryFile) Slice(off int64, n int) []byte {
	if f.closed.Load() {
		return nil
	}

	f.mu.RLock()
	defer f.mu.RUnlock()

	f.lent.Store(true)
	return f.part(off, n)
}

// Lease lends the bytes at off until Release if they lie in one extent.
func (f *memoryFile) Lease(off int64, n int) []byte {
	if f.closed.Load() {
		return nil
	}

	f.mu.RLock()
	defer f.mu.RUnlock()

	b := f.part(off, n)
	if b != nil {
		f.leases.Add(1)
	}
	return b
}

// Release ends a lease.
func (f *memoryFile) Release() { f.leases.Add(-1) }

// part returns the bytes at off if they lie in one extent. The caller holds the lock.
func (f *memoryFile) part(off int64, n int) []byte {
	if off < 0 || n < 0 || off >= f.length {
		return nil
	}

	e := f.extents[f.find(off)]
	from := int(off - e.off)
	if n > len(e.data)-from {
		return nil
	}
	return e.data[from : from+n : from+n]
}
