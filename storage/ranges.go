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

	"github.com/cairn-go/cairn"
)

// An Object describes an object of a [Bucket] or any other source that is read in ranges.
type Object struct {
	Name string
	Size int64 // bytes
	// Version differs if the bytes differ: an ETag, or an inode and a time. It is empty if the
	// source has no versions.
	Version string
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
// ranges of a call into one request, and calls wait while the maximum number of requests is in
// flight. ctx applies to opening. o may be nil. Closing the File does not close src.
//
// Frames verify the checksum of a chunk when it is first read and fetch the whole chunk for that.
// For single items or blocks of large chunks from a trusted source, set the Verify option of frames
// or arrays to VerifyOff.
func OpenRanges(ctx context.Context, src RangeReader, o *RangeOptions) (File, error) {
	f := &rangeFile{src: src, kept: map[int64][]byte{}}
	if o != nil {
		f.o = *o
	}
	f.o.Requests = max(1, cmp.Or(f.o.Requests, rangeRequests))
	f.o.Gap, f.o.Keep = max(0, cmp.Or(f.o.Gap, rangeGap)), max(0, cmp.Or(f.o.Keep, rangeKeep))
	f.slots = make(chan struct{}, f.o.Requests)
	at, err := src.Stat(ctx)
	if err != nil {
		return nil, err
	}
	if f.name, f.size = at.Name, at.Size; f.size < 0 {
		return nil, nameError("open", f.name, fmt.Errorf("%d bytes: %w", f.size, fs.ErrInvalid))
	}
	f.head = make([]byte, min(f.size, rangeHead))
	f.tail = make([]byte, min(f.size-int64(len(f.head)), rangeTail))
	if err := f.fetch(ctx, []Range{{0, f.head}, {f.size - int64(len(f.tail)), f.tail}}); err != nil {
		return nil, err
	}
	return f, nil
}

// A rangeFile reads ranges through a cache.
type rangeFile struct {
	readOnly
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
}

// Requests returns the maximum number of concurrent requests.
func (f *rangeFile) Requests() int { return f.o.Requests }

// ReadAt reads without a context. Callers that have one use ReadRanges.
func (f *rangeFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, nameError("read", f.name, fs.ErrInvalid)
	}
	n := min(int64(len(p)), max(0, f.size-off))
	if n > 0 {
		if err := f.ReadRanges(context.Background(), []Range{{off, p[:n]}}); err != nil {
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
		return ctx.Err()
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
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.kept[r.Off]
	if len(b) < len(r.Data) {
		return false
	}
	copy(r.Data, b)
	return true
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

// fetch fills ranges from the source, merging nearby ones into one request, with concurrent
// requests.
func (f *rangeFile) fetch(ctx context.Context, ranges []Range) error {
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.Off, b.Off) })
	var errs []error
	var mu sync.Mutex
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for len(ranges) > 0 {
		n, end := 1, ranges[0].Off+int64(len(ranges[0].Data))
		for n < len(ranges) && ranges[n].Off <= end+f.o.Gap {
			end = max(end, ranges[n].Off+int64(len(ranges[n].Data)))
			n++
		}
		together := ranges[:n]
		request := func() {
			if err := f.request(ctx, together, end); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				cancel() // the other results are not needed
			}
		}
		if ranges = ranges[n:]; len(ranges) == 0 {
			request()
		} else {
			wg.Go(request)
		}
	}
	wg.Wait()
	if len(errs) > 0 { // errors caused by cancel come after the first
		return nameError("read", f.name, errs[0])
	}
	return nil
}

// request fills ranges, the last of which ends at end, by one request.
func (f *rangeFile) request(ctx context.Context, ranges []Range, end int64) error {
	if ranges[0].Off == end {
		return nil // empty ranges
	}
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.slots }()
	if len(ranges) == 1 {
		return f.src.ReadRanges(ctx, ranges)
	}
	all := Range{ranges[0].Off, make([]byte, end-ranges[0].Off)}
	if err := f.src.ReadRanges(ctx, []Range{all}); err != nil {
		return err
	}
	for _, r := range ranges {
		copy(r.Data, all.Data[r.Off-all.Off:])
	}
	return nil
}

func (f *rangeFile) Size() (int64, error) { return f.size, nil }
func (f *rangeFile) Close() error         { return nil }

// readRanges fills ranges from r, which has size bytes, one after the other.
func readRanges(ctx context.Context, r io.ReaderAt, size int64, ranges []Range) error {
	for _, one := range ranges {
		if err := ctx.Err(); err != nil {
			return err
		}
		if end := one.Off + int64(len(one.Data)); one.Off < 0 || end > size {
			return fmt.Errorf("bytes %d to %d of %d: %w", one.Off, end, size, cairn.ErrBounds)
		}
		n, err := r.ReadAt(one.Data, one.Off)
		if n == len(one.Data) {
			continue
		}
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}
