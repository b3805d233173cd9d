package cairnbeam

import (
	"context"
	"errors"
	"reflect"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Map returns inputs for [Register]: the results of fn for the items of another input, whose path
// is the rest. fn gets items in C order and fills dst, which has the same length. It is called from
// several goroutines, for boxes of any shape, so a result depends on nothing but its item. T and R
// are as for [ndarray.Array]; T must fit the dtype of the input.
//
// The results have the dimensions and coordinates of the input, but not its attributes. A box takes
// memory for its items and results besides that of the job.
func Map[R, T any](fn func(dst []R, x []T)) job.Opener {
	return func(ctx context.Context, path string) (ndarray.Source, func() error, error) {
		src, end, err := openInput(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		m := &mapped[R, T]{fn: fn}
		if m.src, err = ndarray.ViewAs[T](src); err != nil {
			return nil, nil, errors.Join(err, end())
		}

		m.dtype, m.layout, err = layoutOf[R]()
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		return m, end, nil
	}
}

// mapped is an array of the results of a function.
type mapped[R, T any] struct {
	src    ndarray.View[T]
	fn     func(dst []R, x []T)
	dtype  meta.DType
	layout *govalue.Layout // of R
}

func layoutOf[R any]() (d meta.DType, l *govalue.Layout, err error) {
	text, err := govalue.DType(reflect.TypeFor[R]())
	if err != nil {
		return d, l, err
	}

	d, err = govalue.ParseDType(text)
	if err != nil {
		return d, l, err
	}

	l, err = govalue.Of(reflect.TypeFor[R](), d, d.Size())
	return d, l, err
}

func (m *mapped[R, T]) Shape() ndarray.Shape { return m.src.Shape() }

func (m *mapped[R, T]) DType() meta.DType { return m.dtype }

func (m *mapped[R, T]) Grid() (chunks, blocks ndarray.Shape) { return m.src.Grid() }

func (m *mapped[R, T]) Labels() (ndarray.Labels, error) {
	l, err := m.src.Labels()
	l.Attributes = nil
	return l, err
}

func (m *mapped[R, T]) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	n := slab.Box{Start: start, Stop: stop}.Items()
	x, results := make([]T, n), make([]R, n)
	if err := m.src.ReadBox(ctx, x, start, stop); err != nil {
		return err
	}
	m.fn(results, x)
	_, err := m.layout.Encode(dst, govalue.SpanOf(results), 0, len(results))
	return err
}
