package ndarray

import (
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
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
	if err := v.Err(); err != nil {
		return View[T]{v, nil}, err
	}

	var l *govalue.Layout
	err := v.of.check(func(d meta.DType, size int) (err error) {
		l, err = govalue.Of(reflect.TypeFor[T](), d, size)
		return err
	})
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
	return filled(dst, err)
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

// eachRun calls do with the items of the view in C order, many at a time, until do returns false.
func (v View[T]) eachRun(ctx context.Context, do func(values []T) bool) error {
	if err := v.Err(); err != nil {
		return err
	}

	size := v.of.typeSize()
	if size > min(max(viewSlab, v.of.maxAlloc()), math.MaxInt) {
		return fmt.Errorf("items of %d bytes, MaxAlloc is %d: %w", size, v.of.maxAlloc(), cairn.ErrLimit)
	}

	shape := v.sel.Shape()
	chunks, _ := v.Grid()
	zero := make([]int64, len(shape))
	one := slices.Repeat([]int64{1}, len(shape))
	edge := slab.Runs(zero, shape, chunks, one, size, viewSlab)

	var values []T
	for box := range slab.Walk(zero, shape, edge) {
		values = slab.Resize(values, v.layout.Count(box.Items()))
		if err := v.ReadBox(ctx, values, box.Start, box.Stop); err != nil || !do(values) {
			return err
		}
	}
	return ctx.Err()
}

// viewSlab is how many bytes a loop over the items of a view reads at a time; a larger item is read
// alone.
const viewSlab = 16 << 20

// Values yields every item of the view in C order, as stored in the file. The slice is valid until
// the next iteration. Otherwise it is like [View.Values].
func (v UntypedView) Values(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := v.asBytes().eachRun(ctx, func(data []byte) bool {
			for item := range slices.Chunk(data, v.TypeSize()) {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// asBytes returns the view with items as bytes.
func (v UntypedView) asBytes() View[byte] { return View[byte]{v, govalue.OfBytes(v.TypeSize())} }

// Read returns the selected items of the view in C order in new memory, at most Limits.MaxAlloc
// bytes. Without selectors these are all items.
func (v UntypedView) Read(ctx context.Context, selectors ...Selector) ([]byte, error) {
	return v.asBytes().Read(ctx, selectors...)
}

// ReadInto reads the selected items of the view in C order into dst, whose length must be their
// size in bytes. After an error the contents of dst are undefined.
func (v UntypedView) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) error {
	return v.asBytes().ReadInto(ctx, dst, selectors...)
}

// ReadBytes reads the items of the view from start up to, not including, stop in each dimension
// into dst, in C order. The coordinates must be within the view, start must not exceed stop, and
// len(dst) must be the box's size in bytes.
func (v UntypedView) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return v.asBytes().ReadBox(ctx, dst, start, stop)
}

// Write stages the selected items of the view, given in C order; len(src) must be their size in
// bytes. Views that repeat items or join arrays are read-only: Write fails with
// [cairn.ErrReadOnly]. See [Untyped.Write].
func (v UntypedView) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	return v.asBytes().Write(ctx, src, selectors...)
}

func (v UntypedView) asView(src Source) (UntypedView, bool) {
	_, ok := src.(UntypedView)
	return v, ok
}

func (v View[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(View[T])
	return v.UntypedView, ok
}

// Items returns values, in C order, as a view with a shape, for functions that take a [Source]:
// masks, or Save(ctx, path, Items(values, shape), nil). The view refers to values, which must not
// change while it is used. The memory layout of T must be that of items in files, as it is for
// numbers and structs of numbers without gaps; for other types use [FromSlice]. On big-endian
// machines, which lay numbers out in the other order, the view has a copy of them.
func Items[T any](values []T, shape Shape) View[T] {
	m, l, err := newMemorySource(reflect.TypeFor[T](), govalue.SpanOf(values), shape)
	if err != nil {
		return View[T]{UntypedView: UntypedView{err: fmt.Errorf("view: items: %w", err)}, layout: l}
	}
	return View[T]{UntypedView: foreignView(m), layout: l}
}

// inMemory returns the values of a view that shows all of [Items], or nil.
func (v View[T]) inMemory() []T {
	f, ok := v.of.(sourceOrigin)
	m, is := f.src.(*memorySource)
	if !ok || !is || !v.sel.Plain() || v.Len() != m.part.ItemCount {
		return nil
	}
	values, _ := govalue.Values[T](v.layout, nil, m.data)
	return values
}

// ReadAny returns items of any dtype as Go values, for programs that know neither dtypes nor shapes
// beforehand: the selected items in C order as a slice, such as []float32 or []string, and a single
// item, where selectors leave no dimension, as it is. Numbers, bools and complex numbers have the
// types of their sizes, floats of 16 bits are [Float16], texts string, dates [time.Time], spans of
// time [time.Duration]; dates without a unit and spans of months are int64, structures
// map[string]any, sub-arrays slices, and everything else is []byte. All of these can be printed,
// written as JSON, and given to [Untyped.Fill].
func ReadAny(ctx context.Context, src Source, selectors ...Selector) (any, error) {
	v := ViewOf(src).Slice(selectors...)
	if v.Err() == nil && v.TypeSize() == 0 {
		return nil, fmt.Errorf("items of dtype %q have no bytes: %w", v.DType(), cairn.ErrType)
	}

	raw, err := v.Read(ctx)
	if err != nil {
		return nil, err
	}
	values, err := govalue.Anys(v.DType(), v.TypeSize(), int(v.Len()), reflect.TypeFor[Float16](), raw)
	if err != nil {
		return nil, err
	}
	if len(v.Shape()) == 0 {
		return values.Index(0).Interface(), nil
	}
	return values.Interface(), nil
}

// readMask reads a mask of the array's shape.
func (a *array) readMask(ctx context.Context, mask Source) ([]bool, error) {
	shape := mask.Shape()
	if !slices.Equal(shape, a.shape()) {
		return nil, a.inArray(fmt.Errorf("mask of shape %v for an array of %v: %w", shape, a.shape(),
			cairn.ErrBounds))
	}

	n, _ := grid.Product(shape)
	if n > min(a.engine.Limits.MaxAlloc, math.MaxInt) {
		return nil, fmt.Errorf("mask of %d items, MaxAlloc is %d: %w", n, a.engine.Limits.MaxAlloc, cairn.ErrLimit)
	}

	values, err := ViewAs[bool](mask)
	if err != nil {
		return nil, err
	}
	if m := values.inMemory(); m != nil {
		return m, nil
	}
	m := make([]bool, n)
	return m, values.ReadInto(WithProgress(ctx, nil), m)
}
