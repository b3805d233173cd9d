package ndarray

import (
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// valueBytes is how much of an array is decoded at a time to make values of, if a chunk is not more.
const valueBytes = 4 << 20

// Values is an array, or a field of its items, seen as Go values of type V that are made of the bytes of the file and turned into them: structs for records, times, texts. For
// numbers alone [Array] does without. It is a small value that refers to the array: copies are the same. Concurrency is as for [Untyped].
//
// V and the dtype are compared once, by [ValuesOf]; what came out is a list of copies that is worked through for each item, without reflection. If V lies in
// memory as the dtype does in the file, items are decoded straight into Go values.
type Values[V any] struct {
	u     *Untyped
	steps []step
	mask  []bool // of an item, what V stands for if that is not all; else nil
	read  bool   // items can be read straight into values
	write bool   // and be written straight from them
}

// ValueOptions says how strictly [ValuesOf] compares.
type ValueOptions struct {
	// IgnoreFields has fields of the dtype that a struct lacks be left alone: reads pass them over, writes leave them as they are.
	IgnoreFields bool
}

// ValuesOf returns the items of an array, or the field of items that [Untyped.Field] names, as Go values of type V. o may be nil. It fails with [cairn.ErrType], naming the field, unless V is
// a type for the dtype:
//
//   - int8 to int64, uint8 to uint64, [Float16], float32, float64, complex64, complex128 and bool, or types made of them, for the same kind and size, in either byte order;
//     int64 also for the bare number of a datetime or timedelta;
//   - [time.Time] for datetimes ('M8[ns]', in UTC), the zero Time standing for NaT; [time.Duration] for timedeltas of a week or less, [NoDuration] standing for NaT. What
//     cannot be converted exactly is an error matching [cairn.ErrBounds], both ways;
//   - string for fixed bytes ('S') and text ('U'), without the NULs at the end; what is too long is an error matching [cairn.ErrBounds];
//   - [N]byte for fixed bytes and void items of that size;
//   - arrays of those for sub-arrays of the same shape, [2][3]int16 for ('<i2', (2, 3));
//   - structs of those for structures. A field of the struct stands for that of the dtype with the name in its tag, `cairn:"name"`, or without a tag with its own name, in large or
//     small letters. Tag "-" and fields that are not exported are left out; all others must be there, and so must all of the dtype (but see IgnoreFields).
//     Offsets and gaps are the dtype's.
func ValuesOf[V any](p Place, o *ValueOptions) (Values[V], error) {
	f := p.place()
	if f.err != nil {
		return Values[V]{}, f.err
	}
	if o == nil {
		o = &ValueOptions{}
	}
	t := reflect.TypeFor[V]()
	m := matcher{ignore: o.IgnoreFields}
	steps, err := m.match(f.name, t, f.dtype, 0, f.offset)
	if err != nil {
		return Values[V]{}, err
	}
	v := Values[V]{u: f.u, steps: steps}
	size := f.u.TypeSize()
	if m.partial || f.dtype.Size() != size {
		v.mask = make([]bool, size)
		mark(steps, v.mask)
		return v, nil
	}
	v.read = int(t.Size()) == size && !m.unfit
	moved := 0
	for _, s := range steps {
		v.read = v.read && s.kind == stepCopy && s.mem == uintptr(s.file)
		moved += s.size
	}
	v.write = v.read && moved == size // gaps of Go values may hold anything
	return v, nil
}

// OpenValues opens the array at path as Go values of type V; see [Open] and [ValuesOf].
func OpenValues[V any](path string, o *OpenOptions) (Values[V], error) {
	return valuesOf[V](Open(path, o))
}

// CreateValues creates an array at path, or in memory if path is "", whose dtype is made of V: little-endian, with the fields of a struct one behind the other and named as they are in Go or in
// their tags. The tag may say the dtype of a field too, and must for texts: `cairn:"name,U20"`, `cairn:"when,M8[s]"`. Times and durations are of nanoseconds otherwise. See [Create] and
// [ValuesOf].
func CreateValues[V any](path string, shape Shape, o *Options) (Values[V], error) {
	dtype, err := dtypeOfGo(reflect.TypeFor[V](), "")
	if err != nil {
		return Values[V]{}, fmt.Errorf("create array: %w", err)
	}
	if path == "" {
		return valuesOf[V](NewUntyped(dtype, shape, o))
	}
	return valuesOf[V](CreateUntyped(path, dtype, shape, o))
}

// valuesOf is ValuesOf for an array that was just opened or made: if it is not of V it is closed.
func valuesOf[V any](u *Untyped, err error) (Values[V], error) {
	if err != nil {
		return Values[V]{}, err
	}
	v, err := ValuesOf[V](u, nil)
	if err != nil {
		u.Abort()
	}
	return v, err
}

// own returns the array, which for the zero Values is one that has been closed.
func (v Values[V]) own() *Untyped {
	if v.u == nil {
		return neverOpened("|u1")
	}
	return v.u
}

// Untyped returns the array itself; Commit and Close are methods of that.
func (v Values[V]) Untyped() *Untyped { return v.own() }

// Shape returns the number of items per dimension.
func (v Values[V]) Shape() Shape { return v.own().Shape() }

// Len returns the number of items.
func (v Values[V]) Len() int64 { return v.own().Len() }

// Read returns the selected values in C order in new memory, of Limits.MaxAlloc bytes at most, not counting texts.
func (v Values[V]) Read(ctx context.Context, selectors ...Selector) ([]V, error) {
	view := v.own().Slice(selectors...)
	if err := view.Err(); err != nil {
		return nil, err
	}
	size := int64(max(reflect.TypeFor[V]().Size(), 1))
	if n, ok := grid.Mul(view.Len(), size); !ok || n > min(v.own().limits.MaxAlloc, math.MaxInt) {
		return nil, fmt.Errorf("read of %d values of %d bytes, MaxAlloc is %d: %w",
			view.Len(), size, v.own().limits.MaxAlloc, cairn.ErrLimit)
	}
	dst := make([]V, view.Len())
	return dst, v.readView(ctx, view, dst)
}

// ReadInto reads the selected values in C order into dst, which must have their number. A field is read by decoding all of the blocks that its items are in: it costs what reading
// the items costs, but for memory, of which there are 4 MiB, or a chunk if that is more, beside dst. After an error the contents of dst are undefined.
func (v Values[V]) ReadInto(ctx context.Context, dst []V, selectors ...Selector) error {
	return v.readView(ctx, v.own().Slice(selectors...), dst)
}

func (v Values[V]) readView(ctx context.Context, view UntypedView, dst []V) error {
	if err := view.Err(); err != nil {
		return err
	}
	if n := view.Len(); n != int64(len(dst)) {
		return fmt.Errorf("room for %d values, %d are selected: %w", len(dst), n, cairn.ErrBounds)
	}
	if len(dst) == 0 {
		return ctx.Err()
	}
	if v.read {
		return view.ReadInto(ctx, memoryOf(dst))
	}
	shape, size := view.Shape(), int64(v.own().TypeSize())
	edge := slab.Chunked(shape, view.chunkShape(), size, valueBytes)
	if !slices.Equal(edge, shape) {
		// Several reads, of one state.
		s, err := v.own().Snapshot(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		view.of = stored{s}
	}
	var raw []byte
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		raw = resize(raw, int(box.Items()*size))
		if err := view.ReadBox(ctx, raw, box.Start, box.Stop); err != nil {
			return err
		}
		err := v.eachJob(ctx, int(box.Items()), func(from, to int) error { return v.scatter(dst, shape, box, raw, from, to) })
		if err != nil {
			return err
		}
	}
	return nil
}

// chunkShape returns about how many items per dimension of the view are decoded together.
func (v UntypedView) chunkShape() []int64 {
	chunk, of := make([]int64, len(v.sel.dims)), v.of.chunk()
	for k, dim := range v.sel.dims {
		chunk[k] = 1
		if dim != newDim {
			chunk[k] = of[dim]
		}
	}
	return chunk
}

// scatter makes values of the items from one up to another of a box, and puts them where they belong in all of them.
func (v Values[V]) scatter(dst []V, shape Shape, box slab.Box, raw []byte, from, to int) error {
	size, row := v.own().TypeSize(), 1
	for d, whole := len(shape)-1, true; d >= 0 && whole; d-- { // what is one run in the box and in all of the values
		extent := box.Stop[d] - box.Start[d]
		row *= int(extent)
		whole = extent == shape[d]
	}
	at := make([]int64, len(shape))
	for from < to {
		rest := int64(from)
		for d := len(at) - 1; d >= 0; d-- {
			extent := box.Stop[d] - box.Start[d]
			at[d] = box.Start[d] + rest%extent
			rest /= extent
		}
		first := int64(0)
		for d, extent := range shape {
			first = first*extent + at[d]
		}
		n := min(row-from%row, to-from)
		if _, err := v.decodeMany(dst[first:][:n], raw[from*size:][:n*size]); err != nil {
			return v.own().inArray(err)
		}
		from += n
	}
	return nil
}

// At returns one value. Negative coordinates count from the end of their dimension.
func (v Values[V]) At(coordinates ...int64) (V, error) {
	var value [1]V
	err := v.readView(context.Background(), v.own().View().cell(coordinates), value[:])
	return value[0], err
}

// All yields every value in C order; see [Untyped.Items]. After an error there is nothing more.
func (v Values[V]) All(ctx context.Context) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for item, err := range v.own().Items(ctx) {
			var value V
			if err == nil {
				err = v.own().inArray(v.decode(&value, item.Data))
			}
			if !yield(value, err) || err != nil {
				return
			}
		}
	}
}
