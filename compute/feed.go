package compute

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/ndarray"
)

// A feed shows the items of a source, as they are when it is made, as values of type T: what is
// computed with.
type feed[T any] struct {
	inside.Array
	shape  ndarray.Shape
	values func(made []T, raw []byte) ([]T, error) // of items in the byte order of the machine
	value  func(item []byte) (T, error)            // of one as the source has it
}

// chunks returns how many chunks there are. Those of an array without items may have no extent.
func (f *feed[T]) chunks() int64 {
	count := int64(1)
	for i, n := range f.ChunkShape() {
		if f.shape[i] == 0 {
			return 0
		}
		count *= (f.shape[i] + n - 1) / n
	}
	return count
}

// A feeder makes the feed of a source, for calls within a memory.
type feeder[T any] func(ctx context.Context, src ndarray.Source, memory int64) (*feed[T], error)

// plain is the feeder of items that lie in memory as values of T do.
func plain[T any](ctx context.Context, src ndarray.Source, memory int64) (*feed[T], error) {
	in, err := ndarray.ViewOf(src).Inside().Freeze(ctx, 0, memory)
	if err != nil {
		return nil, err
	}
	d, err := in.DType()
	if err != nil {
		return nil, err
	}
	l, err := govalue.Of(reflect.TypeFor[T](), d, d.Size())
	if err != nil {
		return nil, err
	}
	return &feed[T]{
		Array: in, shape: in.Shape(),
		values: func(made []T, raw []byte) ([]T, error) { return govalue.Values(l, made, raw) },
		value: func(item []byte) (v T, err error) {
			_, err = l.Decode(govalue.One(&v), 0, 1, item)
			return v, err
		},
	}, nil
}

// converted is the feeder of items that are values of S, of which to makes those to compute with.
func converted[S, T any](to func(S) T) feeder[T] {
	return func(ctx context.Context, src ndarray.Source, memory int64) (*feed[T], error) {
		from, err := plain[S](ctx, src, memory)
		if err != nil {
			return nil, err
		}
		return &feed[T]{
			Array: from.Array, shape: from.shape,
			values: func(made []T, raw []byte) ([]T, error) {
				items, err := from.values(nil, raw)
				made = slices.Grow(made[:0], len(items))
				for _, v := range items {
					made = append(made, to(v))
				}
				return made, err
			},
			value: func(item []byte) (T, error) {
				v, err := from.value(item)
				return to(v), err
			},
		}, nil
	}
}

// shown is a block with its values, or if these are nil with the one that all of them are.
type shown[T any] struct {
	*inside.Block
	values []T
	value  T
}

// A visitor is shown the blocks of a feed; see [inside.Visitor].
type visitor[T any] struct {
	workers int
	runs    int
	chunks  func(run int) iter.Seq[int64]
	block   func(b *shown[T]) error
	runDone func(worker, run int) error
}

// visit shows a visitor the blocks.
func (f *feed[T]) visit(ctx context.Context, v visitor[T]) error {
	blocks, made := make([]shown[T], f.Workers()), make([][]T, f.Workers())
	return f.Visit(ctx, &inside.Visitor{
		Workers: v.workers, Host: true, Runs: v.runs, Chunks: v.chunks, RunDone: v.runDone,
		Block: func(raw *inside.Block) (err error) {
			b := &blocks[raw.Worker]
			*b = shown[T]{Block: raw}
			if raw.Data == nil {
				b.value, err = f.value(raw.Item)
			} else {
				made[raw.Worker], err = f.values(made[raw.Worker], raw.Data)
				b.values = made[raw.Worker]
			}
			if err != nil {
				return err
			}
			return v.block(b)
		},
	})
}
