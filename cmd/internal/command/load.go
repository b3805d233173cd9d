package command

import (
	"context"
	"os"
	"slices"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/waiting"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// A loader writes the items of a source into an array.
type loader struct {
	name     string // of the source, for errors
	workers  int
	tempDir  string                  // for items of streams that are read in another order
	progress func(done, total int64) // may be nil
}

// load writes all items into the array, box by box, from the coordinates origin on.
func (l *loader) load(ctx context.Context, u *ndarray.Untyped, origin []int64, src ndarray.Source) error {
	a, ok := src.(*npy.Array)
	fortran := ok && a.Fortran()
	inOrder := ok && a.InOrder()
	order := func(list []int64) []int64 {
		if fortran { // such a file holds the array with its dimensions reversed
			slices.Reverse(list)
		}
		return list
	}

	itemSize := int64(u.TypeSize())
	chunks, _ := u.Grid()
	shape := order(src.Shape())
	order(chunks)
	budget := formats.Budget(u, l.workers)
	edge := slab.Chunked(shape, chunks, itemSize, max(budget, wholeLines(shape, chunks, itemSize)))

	if inOrder && len(shape) > 0 {
		row := slab.Box{Start: make([]int64, len(shape)), Stop: slab.Rows(shape, chunks, itemSize, 0)}
		if described.Bytes(src) > 0 && row.Items() > streamBudget/itemSize {
			spooled, done, err := spoolItems(ctx, a, l.tempDir)
			if err != nil {
				return naming.In(l.name, err)
			}
			defer done()
			src = spooled
		} else {
			edge = slab.Rows(shape, chunks, itemSize, budget)
		}
	}

	var buf []byte
	done := int64(0)
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		if err := ctx.Err(); err != nil {
			return err
		}

		size := box.Items() * itemSize
		buf = slab.Resize(buf, size)

		start := order(slices.Clone(box.Start))
		stop := order(slices.Clone(box.Stop))
		if err := src.ReadBytes(ctx, buf, start, stop); err != nil {
			return naming.In(l.name, err)
		}

		for i := range origin {
			start[i] += origin[i]
			stop[i] += origin[i]
		}
		if err := u.WriteBox(ctx, buf, start, stop); err != nil {
			return naming.In(l.name, err)
		}
		if done += size; l.progress != nil {
			l.progress(done, described.Bytes(src))
		}
	}
	return nil
}

// wholeLines returns the bytes of the chunks along the last dimension, or 0 if they are more than
// formats.RowBudget. Boxes of that size lie in long pieces in a NumPy file, while those that end
// within the last dimension lie in as many pieces as they have lines.
func wholeLines(shape, chunks []int64, itemSize int64) int64 {
	size := itemSize
	for d, n := range shape {
		if d < len(shape)-1 {
			n = min(n, chunks[d])
		}
		if n > formats.RowBudget/max(size, 1) {
			return 0
		}
		size *= n
	}
	return size
}

// spoolItems copies items that come in order into a temporary file, from where they can be read in
// any order until done is called.
func spoolItems(ctx context.Context, a *npy.Array, dir string) (spooled *npy.Array, done func() error, err error) {
	f, err := os.CreateTemp(dir, ".cairn-*.tmp")
	if err != nil {
		return nil, nil, err
	}
	done = waiting.TempFile{File: f}.Close
	if err = npy.Write(ctx, f, a, &npy.SaveOptions{Raw: true, Fortran: a.Fortran()}); err != nil {
		done()
		return nil, nil, err
	}

	h := npy.Header{DType: a.DType(), Shape: a.Shape(), Fortran: a.Fortran()}
	spooled, err = npy.OpenReader(f, described.Bytes(a), &npy.OpenOptions{Raw: &h})
	if err != nil {
		done()
		return nil, nil, err
	}
	return spooled, done, nil
}

// streamBudget is the largest row of chunks that is read from a stream at once. Arrays with larger
// ones go through a temporary file.
const streamBudget = 512 << 20
