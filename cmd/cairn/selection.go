package main

import (
	"context"
	"io"

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
	s, err := u.Select(selectors...)
	if err != nil {
		return err
	}
	if !s.Box() {
		items, err := u.Read(ctx, selectors...)
		if err != nil {
			return err
		}
		_, err = w.Write(items)
		bar.Add(int64(len(items)))
		return err
	}
	itemSize := int64(u.TypeSize())
	edge := slab.Runs(s.Start, s.Stop, u.ChunkShape(), u.BlockShape(), itemSize, transferBudget(u, workers))
	var buf []byte
	for box := range slab.Walk(s.Start, s.Stop, edge) {
		size := box.Items() * itemSize
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := u.ReadBox(ctx, buf, box.Start, box.Stop); err != nil {
			return err
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		bar.Add(size)
	}
	return nil
}
