package main

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// parseSelection parses the -s flag.
func parseSelection(text string) ([]ndarray.Selector, error) {
	selectors, err := ndarray.Parse(text)
	if err != nil {
		return nil, usagef("-s: %v", err)
	}
	return selectors, nil
}

// writeItems writes the selected items in C order, a bounded number of them at a time.
func writeItems(ctx context.Context, w io.Writer, u *ndarray.Untyped, selectors []ndarray.Selector, workers int, bar *progress.Bar) error {
	view := u.Slice(selectors...)
	if err := view.Err(); err != nil {
		return err
	}
	if start, stop, ok := view.Inside().Box(); ok { // slabs then follow the chunks
		chunks, blocks := u.Grid()
		edge := slab.Runs(start, stop, chunks, blocks, int64(u.TypeSize()),
			transferBudget(u, workers))
		return writeSlabs(ctx, w, u, slab.Walk(start, stop, edge), bar)
	}
	shape := view.Shape()
	zero, one := make([]int64, len(shape)), slices.Repeat([]int64{1}, len(shape))
	edge := slab.Runs(zero, shape, one, one, int64(u.TypeSize()), transferBudget(u, workers))
	return writeSlabs(ctx, w, view, slab.Walk(zero, shape, edge), bar)
}

// writeSlabs writes the items of boxes, one after another.
func writeSlabs(ctx context.Context, w io.Writer, from ndarray.Source, boxes iter.Seq[slab.Box],
	bar *progress.Bar) error {
	var buf []byte
	for box := range boxes {
		size := box.Items() * int64(from.DType().Size())
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := from.ReadBytes(ctx, buf, box.Start, box.Stop); err != nil {
			return err
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		bar.Add(size)
	}
	return nil
}
