package ndarray

import (
	"context"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// Frozen returns a source that shows src as it is now, whatever is written afterwards. Its reads use a
// number of goroutines each, as many as src's if that is 0, and visits as many of them as have room in
// memory. It is closed with src.
func Frozen[T Element](ctx context.Context, src Source[T], workers int, memory int64) (Source[T], error) {
	a, ok := src.(Array[T])
	if !ok {
		return src, nil
	}
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if workers > 0 {
		s.workers = workers
	}
	s.memory = Memory(memory)
	return s, nil
}

// VisitShape returns the shape of the chunks in which src is visited: an array's own.
func VisitShape[T Element](src Source[T]) Shape {
	if a, ok := src.(Array[T]); ok {
		return a.ChunkShape()
	}
	chunks, _, err := AutoPartition(src.Shape(), int(reflect.TypeFor[T]().Size()), nil)
	if err != nil { // such as more chunks than a file can have
		chunks = slices.Repeat(Shape{1}, len(src.Shape()))
	}
	return chunks
}

// VisitWorkers returns how many goroutines visit src at most.
func VisitWorkers[T Element](src Source[T]) int {
	if a, ok := src.(Array[T]); ok {
		return a.Workers()
	}
	return parallel.Workers(0)
}

// VisitBlocks is [Array.VisitBlocks] for any source. One that is no array as a whole is read in boxes, each of which is a run.
func VisitBlocks[T Element](ctx context.Context, src Source[T], v Visitor[T]) error {
	if a, ok := src.(Array[T]); ok {
		return a.VisitBlocks(ctx, v)
	}
	part, err := visitPartition(src)
	if err != nil {
		return err
	}
	all := func(run int) iter.Seq[int64] { return slices.Values([]int64{int64(run)}) }
	return visitBoxes(ctx, src, part, int(min(part.ChunkCount, math.MaxInt)), all, v)
}

// VisitChunks is [Array.VisitChunks] for any source; chunks are of the shape [VisitShape].
func VisitChunks[T Element](ctx context.Context, src Source[T], count int, chunks func(run int) iter.Seq[int64], v Visitor[T]) error {
	if a, ok := src.(Array[T]); ok {
		return a.VisitChunks(ctx, count, chunks, v)
	}
	part, err := visitPartition(src)
	if err != nil {
		return err
	}
	return visitBoxes(ctx, src, part, count, chunks, v)
}

func visitPartition[T Element](src Source[T]) (*grid.Partition, error) {
	shape := VisitShape(src)
	return grid.New(src.Shape(), shape, shape, int64(reflect.TypeFor[T]().Size()))
}

// visitBoxes visits a source in the boxes of a partition.
func visitBoxes[T Element](ctx context.Context, src Source[T], part *grid.Partition, count int, chunks func(run int) iter.Seq[int64], v Visitor[T]) error {
	workers := v.most(parallel.Workers(0))
	buffers := make([][]T, workers)
	progress, quiet := follow(ctx, int64(count)), WithProgress(ctx, nil)
	return parallel.Ahead(ctx, workers, count, runsAhead*workers, func(worker, run int) error {
		for number := range chunks(run) {
			start, stop := part.ChunkBox(number)
			b := Block[T]{BlockInfo: BlockInfo{Worker: worker, Run: run, Chunk: number, Start: start[:part.Dims], Stop: stop[:part.Dims]}}
			buffers[worker] = resize(buffers[worker], int(b.Items()))
			b.Values = buffers[worker]
			err := src.ReadBox(quiet, b.Values, b.Start, b.Stop)
			if err == nil {
				err = v.Block(&b)
			}
			if err != nil {
				return err
			}
		}
		if v.RunDone != nil {
			if err := v.RunDone(worker, run); err != nil {
				return err
			}
		}
		progress.add(1)
		return nil
	})
}
