package ndarray

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// A View is an [UntypedView] whose items are Go values of type T, as for [Array]. Methods that do
// not depend on T are those of the embedded UntypedView.
type View[T any] struct {
	UntypedView
	layout *govalue.Layout
}

// ViewAs returns a view of a source with items of type T. It fails with [cairn.ErrType] unless T
// matches the dtype of everything in the source; see [Array].
func ViewAs[T any](src Source) (View[T], error) {
	v := ViewOf(src)
	var l *govalue.Layout
	err := v.Err()
	if err == nil {
		err = v.of.check(func(d meta.DType, size int) (err error) {
			l, err = govalue.Of(reflect.TypeFor[T](), d, size)
			return err
		})
	}
	return View[T]{v, l}, err
}

// Slice returns a view of the selected items of the view.
func (v View[T]) Slice(selectors ...Selector) View[T] {
	return View[T]{v.UntypedView.Slice(selectors...), v.layout}
}

// Transpose returns the view with its dimensions in another order; see [UntypedView.Transpose].
func (v View[T]) Transpose(order ...int) View[T] {
	return View[T]{v.UntypedView.Transpose(order...), v.layout}
}

// Flip returns the view with the items along the given dimensions in reverse; see
// [UntypedView.Flip].
func (v View[T]) Flip(dims ...int) View[T] { return View[T]{v.UntypedView.Flip(dims...), v.layout} }

// Squeeze returns the view without dimensions of one item; see [UntypedView.Squeeze].
func (v View[T]) Squeeze(dims ...int) View[T] {
	return View[T]{v.UntypedView.Squeeze(dims...), v.layout}
}

// ExpandDims returns the view with new dimensions of one item; see [UntypedView.ExpandDims].
func (v View[T]) ExpandDims(places ...int) View[T] {
	return View[T]{v.UntypedView.ExpandDims(places...), v.layout}
}

// Broadcast returns the view in a shape that repeats it; see [UntypedView.Broadcast].
func (v View[T]) Broadcast(shape Shape) View[T] {
	return View[T]{v.UntypedView.Broadcast(shape), v.layout}
}

// Read returns the selected items of the view in C order in new memory, at most Limits.MaxAlloc
// bytes. Without selectors these are all items.
func (v View[T]) Read(ctx context.Context, selectors ...Selector) (dst []T, err error) {
	s := v.UntypedView.Slice(selectors...)
	err = s.read(ctx, v.layout, func(items int64) (_ govalue.Span, err error) {
		dst, err = govalue.Make[T](v.layout, items, s.of.maxAlloc())
		return govalue.SpanOf(dst), err
	})
	return dst, err
}

// ReadInto reads the selected items of the view in C order into dst, whose length must be their
// number. After an error the contents of dst are undefined.
func (v View[T]) ReadInto(ctx context.Context, dst []T, selectors ...Selector) error {
	return v.UntypedView.Slice(selectors...).read(ctx, v.layout, intoSpan(govalue.SpanOf(dst)))
}

// ReadBox reads the items of the view from start up to, not including, stop in each dimension into
// dst, in C order; see [UntypedView.ReadBytes].
func (v View[T]) ReadBox(ctx context.Context, dst []T, start, stop []int64) error {
	return v.box(start, stop).read(ctx, v.layout, intoSpan(govalue.SpanOf(dst)))
}

// At returns one item. Negative coordinates count from the end of their dimension.
func (v View[T]) At(coordinates ...int64) (value T, err error) {
	err = v.cell(coordinates).read(context.Background(), v.layout, intoSpan(govalue.One(&value)))
	return value, err
}

// Set stages one item; see [Array.Set].
func (v View[T]) Set(value T, coordinates ...int64) error {
	return v.cell(coordinates).write(context.Background(), v.layout, govalue.One(&value))
}

// Write stages the selected items of the view, given in C order; len(src) must be their number. See
// [UntypedView.Write].
func (v View[T]) Write(ctx context.Context, src []T, selectors ...Selector) error {
	return v.UntypedView.Slice(selectors...).write(ctx, v.layout, govalue.SpanOf(src))
}

// Fill stages one value for all selected items of the view; see [Untyped.Fill].
func (v View[T]) Fill(ctx context.Context, value T, selectors ...Selector) (err error) {
	defer v.noteFailure(&err)
	s := v.UntypedView.Slice(selectors...)
	if err := s.Err(); err != nil {
		return err
	}
	item, err := v.layout.Item(govalue.One(&value))
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	m := selection.OneItem(s.sel, s.of.typeSize())
	if v.layout.Mask != nil {
		return s.of.write(ctx, item, m, false, v.layout.Mask)
	}
	return s.of.fill(ctx, func(meta.DType, int) ([]byte, error) { return item, nil }, m)
}

// Values yields every item of the view in C order. It reads some 16 MiB at a time, each time from
// the newest state of the array. An error is yielded last.
func (v View[T]) Values(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := v.eachRun(ctx, func(values []T) bool {
			return !slices.ContainsFunc(values, func(value T) bool { return !yield(value, nil) })
		})
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}
