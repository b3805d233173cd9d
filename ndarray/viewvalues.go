package ndarray

import (
	"context"
	"fmt"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// Items returns values, in C order, as a view of a shape, for what takes a [Source]: masks, or
// Save(ctx, path, Items(values, shape), nil). They stay where they are, and must not change meanwhile. T is
// a type that lies in memory as items do in files, as numbers and structs of such without gaps do; other
// values are made an array by [FromSlice].
func Items[T any](values []T, shape Shape) View[T] {
	m, l, err := newMemory(reflect.TypeFor[T](), govalue.SpanOf(values), shape)
	if err != nil {
		return View[T]{UntypedView: UntypedView{err: fmt.Errorf("view: items: %w", err)}, layout: l}
	}
	return View[T]{UntypedView: foreignView(m), layout: l}
}

// memory is a source of items that lie in C order.
type memory struct {
	part grid.Partition // of one block
	what meta.DType
	data []byte
}

func newMemory(t reflect.Type, values govalue.Span, shape Shape) (*memory, *govalue.Layout, error) {
	text, err := govalue.DType(t)
	if err != nil {
		return nil, nil, err
	}
	d, err := meta.ParseDType(text)
	if err != nil {
		return nil, nil, err
	}
	l, err := govalue.Of(t, d, d.Size())
	if err != nil {
		return nil, nil, err
	}
	if !l.Read || !l.Write || l.Swap != 0 {
		return nil, l, fmt.Errorf("values of type %v do not lie in memory as in files: %w", t, cairn.ErrUnsupported)
	}
	edge := make(Shape, len(shape))
	for i, n := range shape {
		edge[i] = max(1, n)
	}
	part, err := grid.New(shape, edge, edge, int64(d.Size()))
	if err == nil && part.ItemCount != int64(values.Len()) {
		err = fmt.Errorf("%d values for shape %v", values.Len(), shape)
	}
	if err != nil {
		return nil, l, fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	return &memory{*part, d, l.Memory(values)}, l, nil
}

func (m *memory) Shape() Shape { return append(Shape{}, m.part.Shape[:m.part.Dims]...) }

func (m *memory) DType() meta.DType { return m.what }

func (m *memory) Grid() (chunks, blocks Shape) { return nil, nil }

func (m *memory) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	var plan grid.Plan
	if err := planDense(&plan, &m.part, len(dst), start, stop); err != nil || plan.Pieces == 0 {
		return err
	}
	var piece grid.Piece
	plan.Piece(0, &piece)
	piece.Scatter(dst, 0, m.data)
	return nil
}

// inMemory returns the values that a view of all [Items] has, or nil.
func (v View[T]) inMemory() []T {
	f, ok := v.of.(foreign)
	m, is := f.src.(*memory)
	if !ok || !is || !v.sel.plain() || v.Len() != m.part.ItemCount {
		return nil
	}
	values, _ := govalue.Values[T](v.layout, nil, m.data)
	return values
}
