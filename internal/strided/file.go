package strided

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/storage"
)

// A File has the items of an array, from an offset on.
type File struct {
	File io.ReaderAt // one that reads several ranges at once is asked for them together
	Base int64
	Name string // of the layer, for errors: "npy file"
}

const (
	// gapBytes are read rather than skipped between two rows: a read costs as much as copying them.
	gapBytes = 4 << 10
	// spanBytes is how much is read at a time because of that.
	spanBytes = 256 << 10
	// manyRanges is the most runs that are asked for at a time of a source of ranges.
	manyRanges = 4096
)

// ranged is a file that reads several ranges at once, such as one of storage.OpenRanges.
type ranged interface {
	ReadRanges(ctx context.Context, ranges []storage.Range) error
}

// ReadBox reads the items of a box, which must not be empty, into dst, in order. dst has their
// size.
func (f File) ReadBox(ctx context.Context, dst []byte, l Layout, start, stop []int64) error {
	if many, ok := f.File.(ranged); ok {
		return f.readRanges(ctx, many, dst, l, start, stop)
	}

	var scratch []byte
	return l.Walk(start, stop, func(r Rows) error {
		n := r.Count * r.Run
		err := f.read(ctx, dst[:n], r, &scratch)
		dst = dst[n:]
		return err
	})
}

// leastBytes is the least that a goroutine reads of a box.
const leastBytes = 1 << 20

// ReadBoxBy is [File.ReadBox] by several goroutines, if the box has many items. A file that is read
// by requests gets them in parallel anyway.
func (f File) ReadBoxBy(ctx context.Context, workers int, dst []byte, l Layout, start, stop []int64) error {
	moved := f.moved(workers, int64(len(dst)), l, start, stop)
	if workers = int(min(int64(workers), moved/leastBytes)); workers < 2 {
		return f.ReadBox(ctx, dst, l, start, stop)
	}

	one := slices.Repeat([]int64{1}, len(start))
	budget := int64(leastBytes)
	if n := int64(len(dst)); moved > n { // a few parts, as each takes memory for gaps
		budget = max(1, n/int64(4*workers))
	}
	edge := slab.Runs(start, stop, one, one, l.Item, budget)
	type job struct {
		slab.Box
		dst []byte
	}

	var jobs []job
	for box := range slab.Walk(start, stop, edge) {
		n := box.Items() * l.Item
		jobs = append(jobs, job{slab.Box{Start: slices.Clone(box.Start), Stop: slices.Clone(box.Stop)}, dst[:n]})
		dst = dst[n:]
	}

	return parallel.For(ctx, workers, len(jobs), func(_, i int) error {
		return f.ReadBox(ctx, jobs[i].dst, l, jobs[i].Start, jobs[i].Stop)
	})
}

// moved returns how many bytes of the file are read for a box of n bytes, as far as it matters for
// a number of workers: gaps between items are read too.
func (f File) moved(workers int, n int64, l Layout, start, stop []int64) (moved int64) {
	const least = 16 << 10 // so few items are not worth a look
	if workers < 2 || n < least || n >= int64(workers)*leastBytes {
		return n
	}

	// Looking at the runs may not fail.
	_ = l.Walk(start, stop, func(r Rows) error {
		if moved += r.Count * r.Run; r.withGaps() {
			moved += r.Count * (r.Stride - r.Run)
		}
		return nil
	})
	return moved
}

// withGaps reports whether rows are read with the gaps between them.
func (r *Rows) withGaps() bool {
	return r.Count > 1 && r.Stride-r.Run <= gapBytes && r.Stride+r.Run <= spanBytes
}

func (f File) read(ctx context.Context, dst []byte, r Rows, scratch *[]byte) error {
	if r.withGaps() {
		// Read rows with the gaps between them, through scratch.
		most := (spanBytes-r.Run)/r.Stride + 1 // rows in a span
		if n := (min(most, r.Count)-1)*r.Stride + r.Run; int64(len(*scratch)) < n {
			*scratch = make([]byte, n)
		}

		for first := int64(0); first < r.Count; first += most {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := Rows{Run: r.Run, Count: min(most, r.Count-first), Stride: r.Stride}
			span := (*scratch)[:(part.Count-1)*r.Stride+r.Run]
			if err := f.readAt(span, r.Off+first*r.Stride); err != nil {
				return err
			}
			part.Copy(dst[first*r.Run:], span)
		}
		return nil
	}

	for k := range r.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.readAt(dst[k*r.Run:(k+1)*r.Run], r.Off+k*r.Stride); err != nil {
			return err
		}
	}
	return nil
}

// readRanges asks for the runs of a box together.
func (f File) readRanges(ctx context.Context, many ranged, dst []byte, l Layout, start, stop []int64) error {
	var ranges []storage.Range
	flush := func() error {
		err := many.ReadRanges(ctx, ranges)
		ranges = ranges[:0]
		if err != nil {
			return fmt.Errorf("reading items: %w", err)
		}
		return nil
	}

	err := l.Walk(start, stop, func(r Rows) error {
		for k := range r.Count {
			ranges = append(ranges, storage.Range{Off: f.Base + r.Off + k*r.Stride, Data: dst[:r.Run]})
			dst = dst[r.Run:]
			if len(ranges) < manyRanges {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(ranges) > 0 {
		err = flush()
	}
	return err
}

func (f File) readAt(dst []byte, off int64) error {
	n, err := f.File.ReadAt(dst, f.Base+off)
	if n == len(dst) {
		return nil
	}
	return Ended(f.Name, off+int64(n), err)
}

// Ended explains a read that ended at the given byte of the items.
func Ended(name string, at int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e := cairn.Corruptf(name, -1, "truncated: the items end at byte %d", at)
		e.Err = io.ErrUnexpectedEOF
		return e
	}

	if errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum) {
		return err
	}
	return fmt.Errorf("reading items at byte %d: %w", at, err)
}
