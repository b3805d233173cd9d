package npy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// rows are runs of bytes in a file at equal distances.
type rows struct {
	off    int64 // of the first, from the first item
	run    int64 // bytes of each
	count  int64
	stride int64 // from one to the next
}

// items are the bytes of the items of an array.
type items interface {
	// read reads rows into dst, without gaps.
	read(ctx context.Context, dst []byte, r rows) error
}

// fileItems are the items of a file, from an offset on. Their size has been checked.
type fileItems struct {
	file storage.File
	base int64
}

const (
	// gapBytes are read rather than skipped between two rows: a read costs as much as copying them.
	gapBytes = 4 << 10
	// spanBytes is how much is read at a time because of that.
	spanBytes = 256 << 10
	// manyRanges is the most rows that are asked for at a time of a source of ranges.
	manyRanges = 4096
)

// ranged is a file that reads several ranges at once, such as one of storage.OpenRanges.
type ranged interface {
	ReadRanges(ctx context.Context, ranges []storage.Range) error
}

func (f fileItems) read(ctx context.Context, dst []byte, r rows) error {
	many, isRanged := f.file.(ranged)
	switch {
	case isRanged:
		return f.readRanges(ctx, many, dst, r)
	case r.count > 1 && r.stride-r.run <= gapBytes && r.stride+r.run <= spanBytes:
		return f.readSpans(ctx, dst, r)
	}
	for k := range r.count {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.readAt(dst[k*r.run:(k+1)*r.run], r.off+k*r.stride); err != nil {
			return err
		}
	}
	return nil
}

// readSpans reads rows with the gaps between them.
func (f fileItems) readSpans(ctx context.Context, dst []byte, r rows) error {
	most := (spanBytes-r.run)/r.stride + 1 // rows in a span
	scratch := make([]byte, (min(most, r.count)-1)*r.stride+r.run)
	for first := int64(0); first < r.count; first += most {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(most, r.count-first)
		span := scratch[:(n-1)*r.stride+r.run]
		if err := f.readAt(span, r.off+first*r.stride); err != nil {
			return err
		}
		copyRows(dst[first*r.run:], span, rows{run: r.run, count: n, stride: r.stride})
	}
	return nil
}

func (f fileItems) readRanges(ctx context.Context, many ranged, dst []byte, r rows) error {
	ranges := make([]storage.Range, 0, min(r.count, manyRanges))
	for k := range r.count {
		ranges = append(ranges, storage.Range{Off: f.base + r.off + k*r.stride, Data: dst[k*r.run : (k+1)*r.run]})
		if len(ranges) < manyRanges && k < r.count-1 {
			continue
		}
		if err := many.ReadRanges(ctx, ranges); err != nil {
			return fmt.Errorf("reading items: %w", err)
		}
		ranges = ranges[:0]
	}
	return nil
}

func (f fileItems) readAt(dst []byte, off int64) error {
	n, err := f.file.ReadAt(dst, f.base+off)
	if n == len(dst) {
		return nil
	}
	return itemsError(off+int64(n), err)
}

// itemsError explains a read that ended at the given byte of the items.
func itemsError(at int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e := cairn.Corruptf("npy file", -1, "truncated: the items end at byte %d", at)
		e.Err = io.ErrUnexpectedEOF
		return e
	}
	if errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum) {
		return err
	}
	return fmt.Errorf("reading items at byte %d: %w", at, err)
}

// lend returns n bytes at an offset as memory of the file, and a function that ends their use; nil
// if the file has no memory to lend.
func (f fileItems) lend(off, n int64) (*lentItems, func()) {
	l, ok := f.file.(storage.Lender)
	if !ok || n > math.MaxInt {
		return nil, nil
	}
	data := l.Lease(f.base+off, int(n))
	if data == nil {
		return nil, nil
	}
	return &lentItems{data, off}, l.Release
}

// lentItems are items in memory.
type lentItems struct {
	data []byte
	off  int64 // of data, from the first item
}

func (l *lentItems) read(ctx context.Context, dst []byte, r rows) error {
	copyRows(dst, l.data[r.off-l.off:], r)
	return ctx.Err()
}

// copyRows copies the rows of src, which begin at its first byte, into dst, without gaps.
func copyRows(dst, src []byte, r rows) {
	for k := range r.count {
		copy(dst[k*r.run:(k+1)*r.run], src[k*r.stride:])
	}
}
