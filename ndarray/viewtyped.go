package ndarray

import "context"

// View is an [UntypedView] seen as items of the Go type T, whose values are T's own on every machine. Everything said there holds here.
type View[T Element] struct{ v UntypedView }

// View returns a view of the whole array.
func (a Array[T]) View() View[T] { return View[T]{a.own().View()} }

// Slice returns a view of the selected items; see [Selector].
func (a Array[T]) Slice(selectors ...Selector) View[T] { return View[T]{a.own().Slice(selectors...)} }

// ViewAs returns a view as items of type T. It fails with [cairn.ErrType] unless the dtype of everything in it is of T's kind and size.
func ViewAs[T Element](v UntypedView) (View[T], error) {
	if err := v.Err(); err != nil {
		return View[T]{v}, err
	}
	err := v.of.check(func(u *Untyped) error {
		_, err := As[T](u)
		return err
	})
	return View[T]{v}, err
}

// ConcatViews returns views one behind the other along an axis, as one view; see [ConcatUntypedViews]. Arrays of either byte order go together.
func ConcatViews[T Element](axis int, views ...View[T]) View[T] {
	return View[T]{concat(axis, untypedViews(views))}
}

// StackViews returns views of one shape beside one another along a new axis, as one view; see [StackUntypedViews].
func StackViews[T Element](axis int, views ...View[T]) View[T] {
	return View[T]{concat(axis, expanded(axis, untypedViews(views)))}
}

func untypedViews[T Element](views []View[T]) []UntypedView {
	untyped := make([]UntypedView, len(views))
	for i, v := range views {
		untyped[i] = v.v
	}
	return untyped
}

// Untyped returns the same view of bytes.
func (v View[T]) Untyped() UntypedView { return v.v }

// Err returns the first error of the methods that made the view, or nil.
func (v View[T]) Err() error { return v.v.Err() }

// Shape returns the number of items per dimension, nil after an error.
func (v View[T]) Shape() Shape { return v.v.Shape() }

// Dims returns the number of dimensions, 0 for a scalar.
func (v View[T]) Dims() int { return v.v.Dims() }

// Len returns the number of items, 0 after an error.
func (v View[T]) Len() int64 { return v.v.Len() }

// Slice returns a view of the selected items of the view.
func (v View[T]) Slice(selectors ...Selector) View[T] { return View[T]{v.v.Slice(selectors...)} }

// Transpose returns the view with its dimensions in another order; see [UntypedView.Transpose].
func (v View[T]) Transpose(order ...int) View[T] { return View[T]{v.v.Transpose(order...)} }

// Flip returns the view with the items along the given dimensions in reverse; see [UntypedView.Flip].
func (v View[T]) Flip(dims ...int) View[T] { return View[T]{v.v.Flip(dims...)} }

// Squeeze returns the view without dimensions of one item; see [UntypedView.Squeeze].
func (v View[T]) Squeeze(dims ...int) View[T] { return View[T]{v.v.Squeeze(dims...)} }

// ExpandDims returns the view with new dimensions of one item; see [UntypedView.ExpandDims].
func (v View[T]) ExpandDims(places ...int) View[T] { return View[T]{v.v.ExpandDims(places...)} }

// Broadcast returns the view in a shape that repeats it; see [UntypedView.Broadcast].
func (v View[T]) Broadcast(shape Shape) View[T] { return View[T]{v.v.Broadcast(shape)} }

// Read returns the selected items of the view in C order in new memory, of Limits.MaxAlloc bytes at most. Without selectors that is all of it.
func (v View[T]) Read(ctx context.Context, selectors ...Selector) ([]T, error) {
	s := v.Slice(selectors...)
	n, err := s.v.allocation()
	if err != nil {
		return nil, err
	}
	dst := make([]T, n)
	return dst, s.readDense(ctx, dst)
}

// ReadInto reads the selected items of the view in C order into dst, which must have their number. After an error the contents of dst are
// undefined.
func (v View[T]) ReadInto(ctx context.Context, dst []T, selectors ...Selector) error {
	return v.Slice(selectors...).readDense(ctx, dst)
}

// ReadBox reads the items of the view from start up to, not including, stop in each dimension into dst, in C order; see [UntypedView.ReadBox].
func (v View[T]) ReadBox(ctx context.Context, dst []T, start, stop []int64) error {
	return View[T]{v.v.box(start, stop)}.readDense(ctx, dst)
}

func (v View[T]) readDense(ctx context.Context, dst []T) error {
	err := v.v.readDense(ctx, bytesOf(dst), true)
	normalizeBool(dst)
	return err
}

// At returns one item. Negative coordinates count from the end of their dimension.
func (v View[T]) At(coordinates ...int64) (T, error) {
	var item [1]T
	err := View[T]{v.v.cell(coordinates)}.readDense(context.Background(), item[:])
	return item[0], err
}

// Set stages one item; see [Array.Set].
func (v View[T]) Set(value T, coordinates ...int64) error {
	return v.v.cell(coordinates).writeDense(context.Background(), bytesOf([]T{value}), true)
}

// Write stages the selected items of the view, given in C order; src must have their number. See [UntypedView.Write].
func (v View[T]) Write(ctx context.Context, src []T, selectors ...Selector) error {
	return v.v.Slice(selectors...).writeDense(ctx, bytesOf(src), true)
}

// Fill stages one value for all selected items of the view; see [Untyped.Fill].
func (v View[T]) Fill(ctx context.Context, value T, selectors ...Selector) error {
	return v.v.Slice(selectors...).fill(ctx, func(u *Untyped) ([]byte, error) { return Array[T]{u}.item(value), nil })
}

func (v View[T]) source() {}
