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

// An Object says what a name stands for somewhere that keeps whole objects.
type Object struct {
	Name string
	Size int64 // bytes
	// Version is another one for other bytes: an ETag, or an inode and a time. Empty where nothing
	// tells.
	Version string
}

// A Range is a part of something: the len(Data) bytes from Off on, and where they go.
type Range struct {
	Off  int64
	Data []byte
}

// A RangeReader is bytes that are read in ranges, usually over a network: an object of a [Bucket],
// or what an HTTP server answers requests for ranges with. It is safe for concurrent use.
type RangeReader interface {
	// Stat returns the size and the version of the bytes.
	Stat(ctx context.Context) (Object, error)
	// ReadRanges fills all ranges, which lie within the bytes and may be fetched at the same time,
	// or returns an error: one that matches cairn.ErrConflict if there is another version now than
	// Stat has seen. It ends early with ctx.
	ReadRanges(ctx context.Context, ranges []Range) error
}

// RangeOptions say how ranges are read. Nil and zero fields mean the defaults.
type RangeOptions struct {
	// Requests is how many ranges are fetched at the same time, whatever the number of workers; 16
	// by default.
	Requests int
	// Gap is how many bytes that nobody wants are read rather than asking twice: 64 KiB by default,
	// none if it is negative.
	Gap int64
	// Keep is how many bytes of headers and tables of offsets are kept: 8 MiB by default, none if
	// it is negative.
	Keep int64
}

const (
	rangeRequests = 16
	rangeGap      = 64 << 10
	rangeKeep     = 8 << 20

	rangeHead = 16 << 10 // read and kept of the begin
	rangeTail = 64 << 10 // read and kept of the end
	rangeWhat = 16 << 10 // what is read in pieces of at most so many bytes is kept
)

// OpenRanges returns src as a read-only File for OpenReader of packages frame, ndarray and store.
// It reads the begin and the end at once, where frames say what they are, and keeps them, as it
// keeps small pieces that are read elsewhere: headers of chunks and their tables of offsets. Of
// several pieces that a call needs those become one that have no more than a gap between them, and
// calls wait for each other where more requests would be in flight than the options allow. ctx is
// for opening. o may be nil. Closing the File does not close src.
//
// Frames compare a chunk with its checksum when it is read for the first time, and fetch all of it
// for that. Where single items and blocks of large chunks are wanted, and the bytes are trusted,
// the Verify option VerifyOff of frames and arrays spares that.
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

// A rangeFile reads ranges through what it keeps of them.
type rangeFile struct {
	readOnly
	src        RangeReader
	o          RangeOptions
	name       string
	size       int64
	head, tail []byte
	slots      chan struct{} // one for each request in flight

	mu    sync.Mutex
	kept  map[int64][]byte // by the offset
	order []int64          // of those, oldest first
	bytes int64            // of them
}

// Requests returns how many goroutines have use for a request at a time.
func (f *rangeFile) Requests() int { return f.o.Requests }

// ReadAt reads without a context: whoever has one uses ReadRanges.
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

// ReadRanges fills ranges from what is kept, and all others at once.
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

// known fills a range if all of it is kept.
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

// keep keeps a copy of a small range, for older ones.
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

// fetch fills ranges from the source: those that lie together in one request, several at a time.
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
				cancel() // the others are of no use
			}
		}
		if ranges = ranges[n:]; len(ranges) == 0 {
			request()
		} else {
			wg.Go(request)
		}
	}
	wg.Wait()
	if len(errs) > 0 { // those of others that were cancelled come later
		return nameError("read", f.name, errs[0])
	}
	return nil
}

// request fills ranges, which end at end, by one request.
func (f *rangeFile) request(ctx context.Context, ranges []Range, end int64) error {
	if ranges[0].Off == end {
		return nil // no bytes at all
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

// readRanges fills ranges from the size bytes of r, one after the other.
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
