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

// A input provides the items of a snapshot of a source as values of type T, the type for
// computation.
type input[T any] struct {
	inside.Array
	shape  ndarray.Shape
	values func(made []T, raw []byte) ([]T, error) // converts items in native byte order
	value  func(item []byte) (T, error)            // converts one item in the source's byte order

	// paired passes the items of a block on instead, in one or more parts. With rows, the last
	// dimension is one of those that are reduced.
	paired func(ctx context.Context, b *inside.Block, rows bool, do func(b *blockValues[T]) error) error
	rows   bool
}

// chunks returns the number of chunks. The chunk shape of an array without items may contain 0.
func (f *input[T]) chunks() int64 {
	count := int64(1)
	for i, n := range f.ChunkShape() {
		if f.shape[i] == 0 {
			return 0
		}
		count *= (f.shape[i] + n - 1) / n
	}
	return count
}

// An openInput opens a source as input. Calls on the input take at most memory bytes.
type openInput[T any] func(ctx context.Context, src ndarray.Source, memory int64) (*input[T], error)

// plainInput opens items whose memory layout is that of T.
func plainInput[T any](ctx context.Context, src ndarray.Source, memory int64) (*input[T], error) {
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

	return &input[T]{
		Array: in, shape: in.Shape(),
		values: func(made []T, raw []byte) ([]T, error) { return govalue.Values(l, made, raw) },
		value: func(item []byte) (v T, err error) {
			_, err = l.Decode(govalue.One(&v), 0, 1, item)
			return v, err
		},
	}, nil
}

// convertedInput returns the openInput of items of type S that are converted by to.
func convertedInput[S, T any](to func(S) T) openInput[T] {
	return func(ctx context.Context, src ndarray.Source, memory int64) (*input[T], error) {
		from, err := plainInput[S](ctx, src, memory)
		if err != nil {
			return nil, err
		}

		return &input[T]{
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

// blockValues is a block with its values, or with a single repeated value if values is nil.
type blockValues[T any] struct {
	*inside.Block
	values []T
	value  T
}

// A visitor receives the blocks of an input; see [inside.Visitor].
type visitor[T any] struct {
	workers int
	runs    int
	chunks  func(run int) iter.Seq[int64]
	first   int64 // chunk, if chunks is nil
	count   int64 // of chunks
	again   bool  // chunks may be in several runs
	block   func(b *blockValues[T]) error
	runDone func(worker, run int) error
}

// visit passes all blocks to a visitor.
func (f *input[T]) visit(ctx context.Context, v visitor[T]) error {
	blocks := make([]blockValues[T], f.Workers())
	buffers := make([][]T, f.Workers())

	return f.Visit(ctx, &inside.Visitor{
		Workers: v.workers, Host: true, Runs: v.runs, Chunks: v.chunks, First: v.first, Count: v.count,
		Again:   v.again,
		RunDone: v.runDone,
		Block: func(raw *inside.Block) (err error) {
			if f.paired != nil {
				return f.paired(ctx, raw, f.rows, v.block)
			}

			b := &blocks[raw.Worker]
			*b = blockValues[T]{Block: raw}
			if raw.Data == nil {
				b.value, err = f.value(raw.Item)
			} else {
				buffers[raw.Worker], err = f.values(buffers[raw.Worker], raw.Data)
				b.values = buffers[raw.Worker]
			}

			if err != nil {
				return err
			}
			return v.block(b)
		},
	})
}
