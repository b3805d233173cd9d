package ndarray

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// Array is an array seen as items of the Go type T. It is a pointer to an [Untyped] and holds nothing
// else: copies are the same array. The zero Array is a closed array without items. Values are T's own on
// every machine, whatever byte order the file has. Concurrency is as for Untyped.
type Array[T Element] struct{ u *Untyped }

// As returns the array as items of type T. It fails with [cairn.ErrType], naming both dtypes, unless the array's dtype is of T's
// kind and size; either byte order will do. Nothing is copied, and both handles stay usable.
func As[T Element](u *Untyped) (Array[T], error) {
	if u.dtypeErr != nil {
		return Array[T]{}, u.dtypeErr
	}
	if err := checkElement[T](u.dtype, u.dtypeText, u.TypeSize()); err != nil {
		return Array[T]{}, err
	}
	return Array[T]{u}, nil
}

// typed is As for an array that was just opened or made: if it is not of T it is closed.
func typed[T Element](u *Untyped, err error) (Array[T], error) {
	if err != nil {
		return Array[T]{}, err
	}
	a, err := As[T](u)
	if err != nil {
		u.Abort()
	}
	return a, err
}

// own returns the array, which for the zero Array is one that has been closed.
func (a Array[T]) own() *Untyped {
	if a.u == nil {
		return neverOpened(dtypeFor[T]())
	}
	return a.u
}

// Untyped returns the array itself.
func (a Array[T]) Untyped() *Untyped { return a.own() }

// Shape returns the number of items per dimension.
func (a Array[T]) Shape() Shape { return a.own().Shape() }

// ChunkShape returns the shape of a chunk in items.
func (a Array[T]) ChunkShape() Shape { return a.own().ChunkShape() }

// BlockShape returns the shape of a block in items.
func (a Array[T]) BlockShape() Shape { return a.own().BlockShape() }

// Len returns the number of items.
func (a Array[T]) Len() int64 { return a.own().Len() }

// NumChunks returns the number of chunks that the shape needs.
func (a Array[T]) NumChunks() int64 { return a.own().NumChunks() }

// DType returns the dtype of the file.
func (a Array[T]) DType() meta.DType { return a.own().dtype }

// Info returns what the frame knows of itself.
func (a Array[T]) Info() frame.Info { return a.own().Info() }

// Frame returns the frame that holds the array; see [Untyped.Frame].
func (a Array[T]) Frame() *frame.Frame { return a.own().Frame() }

// Bytes returns the frame as one piece of memory; see [Untyped.Bytes].
func (a Array[T]) Bytes() ([]byte, error) { return a.own().Bytes() }

// Select works out what selectors mean for this array.
func (a Array[T]) Select(selectors ...Selector) (Selection, error) {
	return a.own().Select(selectors...)
}

// Read returns the selected items in C order in new memory, of Limits.MaxAlloc bytes at most.
func (a Array[T]) Read(ctx context.Context, selectors ...Selector) (dst []T, err error) {
	at, release, err := a.own().enterHeld(ctx)
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	s, err := selectIn(at.part, selectors)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	n, err := a.own().allocation(s)
	if err != nil {
		return nil, err
	}
	dst = make([]T, n)
	return dst, a.readSelected(ctx, at, dst, s)
}

// ReadInto reads the selected items in C order into dst, which must have their number. After an error the contents of dst are
// undefined.
func (a Array[T]) ReadInto(ctx context.Context, dst []T, selectors ...Selector) (err error) {
	at, release, err := a.own().enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	s, err := selectIn(at.part, selectors)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return a.readSelected(ctx, at, dst, s)
}

// ReadBox reads the items from start up to, not including, stop in each dimension into dst, in C order; see [Untyped.ReadBox].
func (a Array[T]) ReadBox(ctx context.Context, dst []T, start, stop []int64) (err error) {
	at, release, err := a.own().enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	return a.readBox(ctx, at, dst, start, stop)
}

// readBox is ReadBox for a caller that has entered.
func (a Array[T]) readBox(ctx context.Context, at *moment, dst []T, start, stop []int64) error {
	err := a.own().readBox(ctx, at, bytesOf(dst), start, stop, a.own().hostSwap())
	normalizeBool(dst)
	return err
}

// readSelected is ReadInto for a caller that has entered.
func (a Array[T]) readSelected(ctx context.Context, at *moment, dst []T, s Selection) error {
	err := a.own().readSelected(ctx, at, bytesOf(dst), s, a.own().hostSwap())
	normalizeBool(dst)
	return err
}

// Write stages the selected items, given in C order; src must have their number. See [Untyped.Write].
func (a Array[T]) Write(ctx context.Context, src []T, selectors ...Selector) error {
	part := a.own().geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return a.own().writeSelected(ctx, part, bytesOf(src), s, a.own().hostSwap())
}

// WriteBox is Write for the box from start up to, not including, stop.
func (a Array[T]) WriteBox(ctx context.Context, src []T, start, stop []int64) error {
	return a.own().writeBox(ctx, a.own().geometry(), bytesOf(src), start, stop, a.own().hostSwap())
}

// Fill stages one value for all selected items; see [Untyped.Fill].
func (a Array[T]) Fill(ctx context.Context, value T, selectors ...Selector) error {
	return a.own().Fill(ctx, a.item(value), selectors...)
}

// item returns value as the file stores it, to the bit.
func (a Array[T]) item(value T) []byte {
	b := slices.Clone(bytesOf([]T{value}))
	if width := a.own().hostSwap(); width > 0 {
		for i := 0; i < len(b); i += width {
			slices.Reverse(b[i : i+width])
		}
	}
	return b
}

// At returns one item. Negative coordinates count from the end of their dimension.
func (a Array[T]) At(coordinates ...int64) (value T, err error) {
	at, release, err := a.own().enterHeld(context.Background())
	if err != nil {
		return value, err
	}
	defer leave(release, &err)
	var item [1]T
	start, stop, err := cell(at.part, coordinates)
	if err == nil {
		err = a.readBox(context.Background(), at, item[:], start, stop)
	}
	return item[0], err
}

// Set stages one item. Its block is decoded when it is first met, and encoded when it is flushed, see
// [Options.WriteBehind]: to change many items, Write a box of them.
func (a Array[T]) Set(value T, coordinates ...int64) error {
	u := a.own()
	part := u.geometry()
	start, stop, err := cell(part, coordinates)
	if err != nil {
		return cmp.Or(u.noItems(), err)
	}
	return u.writeBox(context.Background(), part, bytesOf([]T{value}), start, stop, u.hostSwap())
}

// Commit makes what was staged durable; see [Untyped.Commit].
func (a Array[T]) Commit(ctx context.Context) error { return a.own().Commit(ctx) }

// Compact commits, and rewrites the file without dead bytes; see [Untyped.Compact].
func (a Array[T]) Compact(ctx context.Context) (frame.Compaction, error) { return a.own().Compact(ctx) }

// Snapshot returns the array as it is now, for reading; see [Untyped.Snapshot].
func (a Array[T]) Snapshot(ctx context.Context) (Array[T], error) {
	s, err := a.own().Snapshot(ctx)
	return Array[T]{s}, err
}

// Refresh brings the array up to date with what others committed, and reports whether it has
// another shape now; see [Untyped.Refresh].
func (a Array[T]) Refresh(ctx context.Context) (bool, error) { return a.own().Refresh(ctx) }

// Rollback drops what was staged since the last commit; see [Untyped.Rollback].
func (a Array[T]) Rollback() error { return a.own().Rollback() }

// Atomically runs changes that all come true or none; see [Untyped.Atomically].
func (a Array[T]) Atomically(ctx context.Context, run func() error) error {
	return a.own().Atomically(ctx, run)
}

// Close commits and releases the array; see [Untyped.Close].
func (a Array[T]) Close() error { return a.own().Close() }

// Abort drops what was not committed and releases the array; see [Untyped.Abort].
func (a Array[T]) Abort() error { return a.own().Abort() }
