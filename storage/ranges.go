package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
)

// An Object describes an object of a [Bucket] or any other source that is read in ranges.
type Object struct {
	Name string
	Size int64 // bytes
	// Version differs if the bytes differ: an ETag, or an inode and a time. It is empty if the
	// source has no versions.
	Version string
	// time of the last write by the clock of a Bucket; only List sets it, if the bucket knows it
	Modified time.Time
}

// A Range is a destination for the bytes [Off, Off+len(Data)) of a source.
type Range struct {
	Off  int64
	Data []byte
}

// A RangeReader is a source that is read in ranges, usually over a network: an object of a
// [Bucket], or a file on a web server. It is safe for concurrent use.
type RangeReader interface {
	// Stat returns the size and the version of the source.
	Stat(ctx context.Context) (Object, error)
	// ReadRanges fills all ranges, possibly with concurrent requests. They lie within the size that
	// Stat returned. The error matches cairn.ErrConflict if the version has changed since Stat.
	// ReadRanges returns early when ctx is done.
	ReadRanges(ctx context.Context, ranges []Range) error
}

// An EndReader is a RangeReader that can read both ends of a source in one round of requests.
// Without it, OpenRanges waits for Stat first.
type EndReader interface {
	RangeReader
	// ReadEnds returns what Stat does, and the first head and the last tail bytes, or all if there
	// are fewer.
	ReadEnds(ctx context.Context, head, tail int) (at Object, first, last []byte, err error)
}

// RangeOptions are the options of [OpenRanges]. Zero fields have their defaults.
type RangeOptions struct {
	// Requests is the maximum number of concurrent requests, regardless of the number of workers;
	// 16 by default.
	Requests int
	// Gap is the number of unneeded bytes that are read to merge two requests into one: 64 KiB by
	// default, none if negative.
	Gap int64
	// Keep is the size of the cache for headers and offset tables: 8 MiB by default, no cache if
	// negative.
	Keep int64
}

const (
	rangeRequests = 16
	rangeGap      = 64 << 10
	rangeKeep     = 8 << 20

	rangeHead = 16 << 10 // size of the first bytes, read and cached on opening
	rangeTail = 64 << 10 // size of the last bytes, read and cached on opening
	rangeWhat = 16 << 10 // reads of at most this size are cached
)

// OpenRanges returns src as a read-only File for OpenReader of packages frame, ndarray and store.
// On opening it reads and caches the first and last bytes, where the header and trailer of frames
// are. Later it caches small reads, such as chunk headers and offset tables. It merges nearby
// ranges of a call into one request of at most 8 MiB, divides larger ranges, and waits while the
// maximum number of requests is in flight. The end of ctx ends opening and every later read, as the
// end of the context of a read does. o may be nil. Closing the File closes src if it is an
// [io.Closer].
//
// Frames verify the checksum of a chunk when it is first read and fetch the whole chunk for that.
// For single items or blocks of large chunks, set the Verify option of frames or arrays to
// VerifyWhole.
func OpenRanges(ctx context.Context, src RangeReader, o *RangeOptions) (File, error) {
	f := &rangeFile{ctx: ctx, src: src, kept: map[int64][]byte{}}
	if o != nil {
		f.o = *o
	}

	f.o.Requests = max(1, cmp.Or(f.o.Requests, rangeRequests))
	f.o.Gap = max(0, cmp.Or(f.o.Gap, rangeGap))
	f.o.Keep = max(0, cmp.Or(f.o.Keep, rangeKeep))
	f.slots = make(chan struct{}, f.o.Requests)

	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// begin reads the first and last bytes.
func (f *rangeFile) begin(ctx context.Context) error {
	var at Object
	var err error

	ends, ok := f.src.(EndReader)
	if ok {
		at, f.head, f.tail, err = ends.ReadEnds(ctx, rangeHead, rangeTail)
	} else {
		at, err = f.src.Stat(ctx)
	}

	if f.name, f.size = at.Name, at.Size; err == nil && f.size < 0 {
		err = fmt.Errorf("%d bytes: %w", f.size, fs.ErrInvalid)
	}

	if err != nil || ok {
		return rangeError("open", f.name, err)
	}

	f.head = make([]byte, min(f.size, rangeHead))
	f.tail = make([]byte, min(f.size-int64(len(f.head)), rangeTail))
	return f.fetch(ctx, []Range{{0, f.head}, {f.size - int64(len(f.tail)), f.tail}})
}

// rangeError adds the name of a source to an error, unless it has none.
func rangeError(op, name string, err error) error {
	var named *fs.PathError
	if err == nil || name == "" || errors.As(err, &named) {
		return err
	}
	return nameError(op, name, err)
}

// A rangeFile reads ranges through a cache.
type rangeFile struct {
	readOnly
	ctx        context.Context // ends all reads
	src        RangeReader
	o          RangeOptions
	name       string
	size       int64
	head, tail []byte
	slots      chan struct{} // a semaphore for requests in flight

	mu    sync.Mutex
	kept  map[int64][]byte // the cache, by offset
	order []int64          // keys of kept, oldest first
	bytes int64            // size of kept

	loaded []*Range // by Load
}

// Requests returns the maximum number of concurrent requests.
func (f *rangeFile) Requests() int { return f.o.Requests }

// ReadAt ends with the context of OpenRanges. Callers that have one use ReadRanges.
func (f *rangeFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, nameError("read", f.name, fs.ErrInvalid)
	}

	n := min(int64(len(p)), max(0, f.size-off))
	if n > 0 {
		if err := f.ReadRanges(f.ctx, []Range{{off, p[:n]}}); err != nil {
			return 0, err
		}
	}

	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// ReadRanges fills ranges from the cache and fetches all others at once.
func (f *rangeFile) ReadRanges(ctx context.Context, ranges []Range) error {
	var missing []Range
	for _, r := range ranges {
		if r.Off < 0 || r.Off > f.size || int64(len(r.Data)) > f.size-r.Off {
			err := fmt.Errorf("%d bytes at %d of %d: %w", len(r.Data), r.Off, f.size, cairn.ErrBounds)
			return nameError("read", f.name, err)
		}
		if !f.known(r) {
			missing = append(missing, r)
		}
	}

	if len(missing) == 0 {
		return cmp.Or(ctx.Err(), f.ctx.Err())
	}

	if err := f.fetch(ctx, missing); err != nil {
		return err
	}

	for _, r := range missing {
		f.keep(r)
	}
	return nil
}

// known fills a range if the cache contains all of it.
func (f *rangeFile) known(r Range) bool {
	end := r.Off + int64(len(r.Data))
	if end <= int64(len(f.head)) {
		copy(r.Data, f.head[r.Off:])
		return true
	}

	if from := r.Off - (f.size - int64(len(f.tail))); from >= 0 {
		copy(r.Data, f.tail[from:])
		return true
	}

	// Kept bytes begin where the range does; loaded ones may be around it.
	f.mu.Lock()
	b := f.kept[r.Off]
	for i := 0; i < len(f.loaded) && len(b) < len(r.Data); i++ {
		if l := f.loaded[i]; r.Off >= l.Off && r.Off-l.Off <= int64(len(l.Data)) {
			b = l.Data[r.Off-l.Off:]
		}
	}
	f.mu.Unlock()

	if len(b) < len(r.Data) {
		return false
	}
	copy(r.Data, b) // neither kept nor loaded bytes change
	return true
}

// Load fetches the n bytes at an offset, and keeps them until release is called, so that reads of
// any part of them take no request.
func (f *rangeFile) Load(ctx context.Context, off, n int64) (release func(), err error) {
	r := &Range{off, make([]byte, n)}
	if err := f.ReadRanges(ctx, []Range{*r}); err != nil {
		return nil, err
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.loaded = append(f.loaded, r)

	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.loaded = slices.DeleteFunc(f.loaded, func(l *Range) bool { return l == r })
	}, nil
}

// keep caches a small range, evicting the oldest entries.
func (f *rangeFile) keep(r Range) {
	n := int64(len(r.Data))
	if n > min(rangeWhat, f.o.Keep) {
		return
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	old, there := f.kept[r.Off]
	if len(old) >= len(r.Data) {
		return
	}

	if !there {
		f.order = append(f.order, r.Off)
	}

	f.kept[r.Off] = slices.Clone(r.Data)
	f.bytes += n - int64(len(old))
	for f.bytes > f.o.Keep {
		f.bytes -= int64(len(f.kept[f.order[0]]))
		delete(f.kept, f.order[0])
		f.order = f.order[1:]
	}
}

func (f *rangeFile) Size() (int64, error) { return f.size, nil }

// Close closes the source if it is an io.Closer.
func (f *rangeFile) Close() error {
	if c, ok := f.src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
