// Package sampling reads arrays as numbers for pictures: reduced to as many cells as a picture has,
// or counted in a histogram. It reads box by box, so that memory is bounded whatever the size of
// the array, and gives the same result for any number of workers.
package sampling

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	// boxBytes bounds what a worker reads at a time, unless a single block is larger. As numbers,
	// it takes up to eight times that.
	boxBytes = 2 << 20
	// mostItems bounds what is read for one picture.
	mostItems = 1 << 38
)

// An Input is an array to read from.
type Input struct {
	ndarray.Source
	Workers int  // 0 means one per CPU
	Middle  bool // a cell is the item in its middle, not a mean
}

// A walk goes over all items of an array as numbers. visit is called by workers, for boxes of the
// array; one of one dimension is the only row of one that has two. emit is called after it by the
// same worker, for one box at a time in C order of the boxes.
type walk struct {
	Input
	prepare func(workers int)
	visit   func(worker int, box slab.Box, values []float64)
	emit    func(worker int)
}

func (w *walk) run(ctx context.Context) error {
	numbers, err := govalue.FloatsOf(w.DType())
	if err != nil {
		return err
	}

	shape := w.Shape()
	flat := len(shape) == 1
	items := 1.0
	for _, n := range shape {
		items *= float64(n)
	}

	if items > mostItems {
		return fmt.Errorf("%.3g items are too many for a picture; select some, or every tenth by ::10: %w",
			items, cairn.ErrLimit)
	}
	if items == 0 {
		return nil
	}

	edge := w.edge(shape)
	if flat {
		shape = append(ndarray.Shape{1}, shape...)
		edge = append([]int64{1}, edge...)
	}

	boxes := slab.GridOf(make([]int64, len(shape)), shape, edge)
	workers := max(1, min(parallel.Workers(w.Workers), boxes.Count))
	w.prepare(workers)
	scratch := make([]scratch, workers)

	return parallel.Ordered(ctx, workers, boxes.Count, func(worker, i int) error {
		box := boxes.At(i)
		s := &scratch[worker]
		n := int(box.Items())
		s.raw = slab.Resize(s.raw, n*w.DType().Size())
		s.values = slab.Resize(s.values, n)

		start := box.Start
		stop := box.Stop
		if flat {
			start, stop = start[1:], stop[1:]
		}

		if err := w.ReadBytes(ctx, s.raw, start, stop); err != nil {
			return err
		}

		numbers.Convert(s.values, s.raw)
		w.visit(worker, box, s.values)
		return nil
	}, func(worker, _ int) error {
		w.emit(worker)
		return nil
	})
}

type scratch struct {
	raw    []byte
	values []float64
}

// edge returns the shape of the boxes: whole chunks, or blocks where chunks are large.
func (w *walk) edge(shape ndarray.Shape) []int64 {
	size := int64(w.DType().Size())
	chunks, blocks := w.Grid()

	if chunks == nil {
		chunks = make(ndarray.Shape, len(shape))
		blocks = make(ndarray.Shape, len(shape))
		for i := range chunks {
			chunks[i] = 1
			blocks[i] = 1
		}
	}

	for _, unit := range []ndarray.Shape{chunks, blocks} {
		edge := slab.Chunked(shape, unit, size, boxBytes)
		if bytesOf(edge, size) <= boxBytes {
			return edge
		}
	}

	edge := slices.Clone(shape)
	for d := range edge { // a huge block: rows, or parts of one
		rest := bytesOf(edge[d+1:], size)
		edge[d] = max(1, min(edge[d], boxBytes/max(1, rest)))
	}
	return edge
}

func bytesOf(shape []int64, size int64) int64 {
	n := float64(size)
	for _, extent := range shape {
		n *= float64(extent)
	}
	return int64(min(n, math.MaxInt64/2))
}
