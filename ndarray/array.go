package ndarray

import (
	"context"
	"iter"
	"reflect"

	"github.com/cairn-go/cairn/internal/govalue"
)

// An Array is an [Untyped] whose items are Go values of type T. Methods that do not depend on T are
// those of the embedded Untyped. An Array is a small value; copies refer to the same array.
// Concurrency is as for Untyped. [As], [OpenAs] and [Create] compare T with the dtype once. T is
//
//   - int8 to int64, uint8 to uint64, [Float16], float32, float64, complex64, complex128 or bool,
//     or a type derived from one, for a dtype of the same kind and size in either byte order;
//     int64 also for the raw number of a datetime or timedelta;
//   - [time.Time] for datetimes ('M8[ns]', in UTC), with the zero Time for NaT; [time.Duration] for
//     timedeltas of a week or less, with [NoDuration] for NaT. Values are rounded down to the unit
//     of the dtype when they are stored, as NumPy does when it casts to a coarser unit. Those
//     beyond the range of the dtype, and items that are no Go value exactly, are errors matching
//     [cairn.ErrBounds];
//   - string for fixed-length bytes ('S') and text ('U'), without trailing NULs; a string that is
//     too long is an error matching [cairn.ErrBounds];
//   - [N]byte for fixed-length bytes and void items of that size;
//   - an array of those for sub-arrays of the same shape, [2][3]int16 for ('<i2', (2, 3));
//   - a struct of those for structured dtypes. A field of the struct matches the field of the dtype
//     that its tag names, `cairn:"name"`, or without a tag the one with its own name, ignoring
//     case. Fields that are unexported or tagged "-" are ignored; all others must exist in the
//     dtype. Reads skip fields of the dtype that the struct lacks, and writes leave them unchanged;
//     Insert and Append fail if any is missing. Offsets and gaps are those of the dtype.
//
// If the memory layout of T is that of the file, items are decoded straight into the values.
// Otherwise a read or write also needs memory for 4 MiB of items, or for one chunk if that is more.
type Array[T any] struct {
	*Untyped
	layout *govalue.Layout
}

// As returns the array with items of type T. If T does not match the array's dtype, As fails with
// an error that matches [cairn.ErrType] and names both types. Nothing is copied, and both handles
// stay usable.
func As[T any](u *Untyped) (Array[T], error) {
	l, err := u.layout(reflect.TypeFor[T]())
	if err != nil {
		return Array[T]{}, err
	}
	return Array[T]{u, l}, nil
}

// typed is As for an array that was just opened or created. If As fails, typed closes the array.
func typed[T any](u *Untyped, err error) (Array[T], error) {
	if err != nil {
		return Array[T]{}, err
	}
	a, err := As[T](u)
	if err != nil {
		u.Abort()
	}
	return a, err
}

// Read returns the selected items in C order in new memory, at most Limits.MaxAlloc bytes, not
// counting the contents of strings.
func (a Array[T]) Read(ctx context.Context, selectors ...Selector) (dst []T, err error) {
	v := a.bound()
	err = v.read(ctx, selectors, making(v, &dst))
	return filled(dst, err)
}

// ReadInto reads the selected items in C order into dst, whose length must be their number. After
// an error the contents of dst are undefined.
func (a Array[T]) ReadInto(ctx context.Context, dst []T, selectors ...Selector) error {
	return a.bound().read(ctx, selectors, intoSpan(govalue.SpanOf(dst)))
}

// ReadBox reads the items from start up to, not including, stop in each dimension into dst, in C
// order; see [Untyped.ReadBytes].
func (a Array[T]) ReadBox(ctx context.Context, dst []T, start, stop []int64) error {
	return a.bound().readBox(ctx, govalue.SpanOf(dst), start, stop)
}

// Write stages the selected items, given in C order; the length of src must be their number. See
// [Untyped.Write].
func (a Array[T]) Write(ctx context.Context, src []T, selectors ...Selector) error {
	return a.bound().write(ctx, govalue.SpanOf(src), selectors)
}

// WriteBox is Write for the box from start up to, not including, stop.
func (a Array[T]) WriteBox(ctx context.Context, src []T, start, stop []int64) error {
	return a.bound().writeBox(ctx, govalue.SpanOf(src), start, stop)
}

// Fill stages one value for all selected items; see [Untyped.Fill].
func (a Array[T]) Fill(ctx context.Context, value T, selectors ...Selector) error {
	return a.bound().fill(ctx, govalue.One(&value), selectors)
}

// At returns one item. Negative coordinates count from the end of their dimension.
func (a Array[T]) At(coordinates ...int64) (value T, err error) {
	v := a.bound()
	if !v.layout.Read || v.layout.Raw {
		converted := new(T)
		err = v.readCell(govalue.One(converted), coordinates)
		return *converted, err
	}

	plan := v.a.pool.takePlan()
	defer v.a.pool.plans.Put(plan)
	if err := v.a.readItem(context.Background(), plan, coordinates, v.layout.Swap); err != nil {
		return value, err
	}
	govalue.Load(v.layout, &value, plan.item)
	return value, nil
}

// Set stages one item. The first Set in a block decodes the block, and a flush encodes it; see
// [Options.WriteBehind]. To change many items, Write a box of them.
func (a Array[T]) Set(value T, coordinates ...int64) error {
	return a.bound().writeCell(govalue.One(&value), coordinates)
}

// Append stages items after the last ones along an axis; see [Untyped.Append].
func (a Array[T]) Append(ctx context.Context, axis int, src []T) error {
	return a.bound().insert(ctx, "append", axis, nil, govalue.SpanOf(src))
}

// Insert stages items before item at of an axis; see [Untyped.Insert].
func (a Array[T]) Insert(ctx context.Context, axis int, at int64, src []T) error {
	return a.bound().insert(ctx, "insert", axis, &at, govalue.SpanOf(src))
}

// ReadPoints reads single items into dst; see [Untyped.ReadPoints].
func (a Array[T]) ReadPoints(ctx context.Context, dst []T, coordinates []int64) error {
	return a.bound().readPoints(ctx, govalue.SpanOf(dst), coordinates)
}

// WritePoints stages single items; see [Untyped.WritePoints].
func (a Array[T]) WritePoints(ctx context.Context, src []T, coordinates []int64) error {
	return a.bound().writePoints(ctx, govalue.SpanOf(src), coordinates)
}

// ReadWhere returns the items for which a mask is true, in C order; see [Untyped.ReadWhere].
func (a Array[T]) ReadWhere(ctx context.Context, mask Source) (dst []T, err error) {
	v := a.bound()
	err = v.readWhere(ctx, mask, making(v, &dst))
	return filled(dst, err)
}

// WriteWhere stages the items for which a mask is true, given in C order; the length of src must be
// their number.
func (a Array[T]) WriteWhere(ctx context.Context, src []T, mask Source) error {
	return a.bound().writeWhere(ctx, govalue.SpanOf(src), mask)
}

// FillWhere stages one value for all items for which a mask is true.
func (a Array[T]) FillWhere(ctx context.Context, value T, mask Source) error {
	return a.bound().fillWhere(ctx, govalue.One(&value), mask)
}

// Values yields every item in C order, from one state of the array. While the loop handles one row
// of chunks, the next is decoded by Options.Workers goroutines; two rows of at most 64 MiB are in
// memory. An error is yielded last. With Locking the lock is shared until the loop ends, and the
// loop must not write to the array.
func (a Array[T]) Values(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		v := a.bound()
		var values []T
		ended, err := v.a.eachSlab(ctx, v.layout.Swap, func(data []byte) (bool, error) {
			var err error
			values, err = govalue.Values(v.layout, values, data)
			if err != nil {
				return false, v.a.inArray(err)
			}

			for _, value := range values {
				if !yield(value, nil) {
					return false, nil
				}
			}
			return true, nil
		})

		if err != nil && !ended {
			var none T
			yield(none, err)
		}
	}
}

// Snapshot returns the array as it is now, for reading; see [Untyped.Snapshot].
func (a Array[T]) Snapshot(ctx context.Context) (Array[T], error) {
	s, err := a.Untyped.Snapshot(ctx)
	return Array[T]{s, a.bound().layout}, err
}

// View returns a view of the whole array.
func (a Array[T]) View() View[T] { return View[T]{a.Untyped.View(), a.bound().layout} }

// Slice returns a view of the selected items; see [Selector].
func (a Array[T]) Slice(selectors ...Selector) View[T] {
	return View[T]{a.Untyped.Slice(selectors...), a.bound().layout}
}

// Element is the set of Go types that are numbers or bools. Each matches dtypes of the same kind
// and size, in either byte order.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128 | ~bool | Float16
}

// dtypeFor returns the dtype that matches T.
func dtypeFor[T any]() (string, error) { return govalue.DType(reflect.TypeFor[T]()) }

func (a Array[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(Array[T])
	return a.Untyped.View(), ok
}

// bound returns the array with its layout. The zero Array behaves like a closed one.
func (a Array[T]) bound() boundArray {
	if a.Untyped == nil {
		return boundArray{closedArray(), govalue.OfBytes(1)}
	}
	return boundArray{a.self(), a.layout}
}

// Blocks yields every block that contains items of the array; see [Untyped.Blocks].
func (a Array[T]) Blocks(ctx context.Context) iter.Seq2[*Block[T], error] {
	return blocksOf[T](ctx, a.bound())
}
