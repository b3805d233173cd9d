package ndarray

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// ReadStrided reads the selected items of the view into memory that is not dense. strides are the
// distances in bytes between neighbours along each dimension of the result. They may be negative;
// the item at the lowest address is at dst[0]. No two items may share bytes. Other bytes of dst are
// not changed.
func (v UntypedView) ReadStrided(ctx context.Context, dst []byte, strides []int64, selectors ...Selector) error {
	return v.asBytes().ReadStrided(ctx, dst, strides, selectors...)
}

// ReadStrided is [UntypedView.ReadStrided] with strides in items. The memory layout of T must be
// that of the file.
func (v View[T]) ReadStrided(ctx context.Context, dst []T, strides []int64, selectors ...Selector) error {
	s := v.UntypedView.Slice(selectors...)
	values := govalue.SpanOf(dst)
	m, memory, err := s.strided(v.layout, values, strides, true)
	if err != nil {
		return err
	}

	err = s.of.read(ctx, memory, m, !v.layout.Raw)
	v.layout.Fix(values)
	return err
}

// WriteStrided stages the selected items of the view from memory that is not dense. Strides are as
// in ReadStrided, but items may share bytes: a stride of 0 repeats the same items along a
// dimension.
func (v UntypedView) WriteStrided(ctx context.Context, src []byte, strides []int64, selectors ...Selector) error {
	return v.asBytes().WriteStrided(ctx, src, strides, selectors...)
}

// WriteStrided is [UntypedView.WriteStrided] with strides in items.
func (v View[T]) WriteStrided(
	ctx context.Context, src []T, strides []int64, selectors ...Selector,
) (err error) {
	defer v.noteFailure(&err)
	s := v.UntypedView.Slice(selectors...)
	m, memory, err := s.strided(v.layout, govalue.SpanOf(src), strides, false)
	if err != nil {
		return err
	}
	return s.of.write(ctx, memory, m, !v.layout.Raw, nil)
}

// strided returns the mesh of the view for memory with strides in units of values, and that memory.
// If apart is set, strided fails if items may share bytes.
func (v UntypedView) strided(l *govalue.Layout, values govalue.Span, strides []int64,
	apart bool) (m selection.Mesh, memory []byte, err error) {
	if err := v.Err(); err != nil {
		return m, nil, err
	}
	if !l.Read || !l.Write {
		return m, nil, fmt.Errorf("items of dtype %s differ in memory layout from Go values: %w",
			v.of.dtype(), cairn.ErrUnsupported)
	}
	if len(strides) != v.dims() {
		return m, nil, fmt.Errorf("%d strides for %d dimensions: %w", len(strides), v.dims(), cairn.ErrBounds)
	}

	memory = l.Memory(values)
	size := uint64(len(memory))
	unit := uint64(1) // bytes of a value
	if !l.Raw {
		unit = uint64(v.of.typeSize())
	}

	wide := make([]int64, len(strides)) // in bytes
	base := int64(0)                    // of the first item, which negative strides move up
	for k, s := range strides {
		extent := v.sel.Size[k]
		if extent == 1 || v.Len() == 0 {
			continue
		}
		hi, lo := bits.Mul64(magnitude(s), unit)
		over, way := bits.Mul64(lo, uint64(extent))
		if hi != 0 || over != 0 || way > size+lo {
			return m, nil, fmt.Errorf("%d items with a stride of %d in memory of %d bytes: %w", extent, s,
				size, cairn.ErrBounds)
		}

		wide[k] = int64(lo)
		if s < 0 {
			wide[k] = -int64(lo)
			base += (extent - 1) * int64(lo)
		}
	}

	if apart && v.overlaps(wide) {
		return m, nil, fmt.Errorf("strides %v for shape %v put several items in one place: %w", strides,
			v.sel.Size, cairn.ErrBounds)
	}
	return v.sel.Place(wide, base, int64(size)), memory, nil
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// overlaps reports whether items may share memory. It looks at dimensions from the shortest stride
// to the longest: each must step over the extent of all shorter ones.
func (v UntypedView) overlaps(strides []int64) bool {
	type loop struct {
		stride uint64
		extent int64
	}

	var loops []loop
	for k, extent := range v.sel.Size {
		if extent == 0 {
			return false
		}
		if extent > 1 {
			loops = append(loops, loop{magnitude(strides[k]), extent})
		}
	}

	slices.SortFunc(loops, func(a, b loop) int { return cmp.Compare(a.stride, b.stride) })
	reach := uint64(v.of.typeSize())
	for _, l := range loops {
		if l.stride < reach {
			return true
		}
		reach += l.stride * uint64(l.extent-1) // cannot overflow: see strided
	}
	return false
}
