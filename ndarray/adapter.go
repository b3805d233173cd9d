package ndarray

import (
	"context"
	"iter"
	"reflect"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/visit"
)

// This file is for package compute only, until that takes a Source.

// Src is a source of items of type T.
type Src[T Element] interface {
	Source
	ReadBox(ctx context.Context, dst []T, start, stop []int64) error
	view() UntypedView
}

func (a Array[T]) view() UntypedView { return a.Untyped.View() }

func (v View[T]) view() UntypedView { return v.UntypedView }

// Shown is visit.Block with values.
type Shown[T any] struct {
	*visit.Block
	Values []T
	Value  T
}

// Visitor is visit.Visitor with values.
type Visitor[T any] struct {
	Workers int
	Block   func(b *Shown[T]) error
	RunDone func(worker, run int) error
}

// Frozen returns a source that shows src as it is now.
func Frozen[T Element](ctx context.Context, src Src[T], workers int, memory int64) (Src[T], error) {
	a, ok := src.(Array[T])
	if !ok {
		return src, nil
	}
	now, err := a.view().Inside().Freeze(ctx, workers, memory)
	if err != nil {
		return nil, err
	}
	return Array[T]{now.(insideArray).u, a.layout}, nil
}

// VisitShape returns the shape of the chunks in which src is visited.
func VisitShape[T Element](src Src[T]) Shape { return src.view().Inside().ChunkShape() }

// VisitWorkers returns how many goroutines visit src at most.
func VisitWorkers[T Element](src Src[T]) int { return src.view().Inside().Workers() }

// EqualChunks is that of visit.Array.
func EqualChunks[T Element](a Array[T], i int64) (chunks, items int64, err error) {
	return a.view().Inside().EqualChunks(i)
}

// VisitBlocks is VisitChunks in runs of neighbouring blocks.
func VisitBlocks[T Element](ctx context.Context, src Src[T], v Visitor[T]) error {
	return VisitChunks(ctx, src, 0, nil, v)
}

// VisitChunks shows a visitor the blocks of src.
func VisitChunks[T Element](ctx context.Context, src Src[T], count int,
	chunks func(run int) iter.Seq[int64], v Visitor[T]) error {
	in := src.view().Inside()
	d, err := in.DType()
	if err != nil {
		return err
	}
	l, err := govalue.Of(reflect.TypeFor[T](), d, d.Size())
	if err != nil {
		return err
	}
	blocks, made := make([]Shown[T], in.Workers()), make([][]T, in.Workers())
	return in.Visit(ctx, &visit.Visitor{Workers: v.Workers, Host: true, Runs: count, Chunks: chunks,
		RunDone: v.RunDone,
		Block: func(raw *visit.Block) (err error) {
			b := &blocks[raw.Worker]
			*b = Shown[T]{Block: raw}
			if raw.Data == nil {
				_, err = l.Decode(govalue.One(&b.Value), 0, 1, raw.Item)
			} else {
				made[raw.Worker], err = govalue.Values(l, made[raw.Worker], raw.Data)
				b.Values = made[raw.Worker]
			}
			if err != nil {
				return err
			}
			return v.Block(b)
		}})
}
