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

// ReadStrided reads the selected items of the view into memory that is not dense: the strides are,
// per dimension of the result, how many bytes lie between neighbors. They may be negative; the item
// at the lowest address is the one at dst[0]. No two items may share bytes. Other bytes of dst stay
// as they are.
func (v UntypedView) ReadStrided(ctx context.Context, dst []byte, strides []int64, selectors ...Selector) error {
	return v.Slice(selectors...).readStrided(ctx, dst, strides, 1, false)
}

// ReadStrided is [UntypedView.ReadStrided] with strides in items. It is for types that lie in
// memory as items do in the file.
func (v View[T]) ReadStrided(ctx context.Context, dst []T, strides []int64, selectors ...Selector) error {
	if err := v.moved(); err != nil {
		return err
	}
	s := govalue.SpanOf(dst)
	err := v.UntypedView.Slice(selectors...).readStrided(ctx, v.layout.Memory(s), strides, v.TypeSize(), true)
	v.layout.Fix(s)
	return err
}

// moved fails if values are not moved as bytes.
func (v View[T]) moved() error {
	if err := v.Err(); err != nil {
		return err
	}
	if !v.layout.Read || !v.layout.Write {
		return fmt.Errorf("items of dtype %s do not lie in memory as Go's values do: %w",
			v.of.dtype(), cairn.ErrUnsupported)
	}
	return nil
}

// WriteStrided stages the selected items of the view from memory that is not dense. Strides are as
// in ReadStrided, but items may share bytes: with a stride of 0 the same ones are written all along
// a dimension.
func (v UntypedView) WriteStrided(ctx context.Context, src []byte, strides []int64, selectors ...Selector) error {
	return v.Slice(selectors...).writeStrided(ctx, src, strides, 1, false)
}

// WriteStrided is [UntypedView.WriteStrided] with strides in items.
func (v View[T]) WriteStrided(ctx context.Context, src []T, strides []int64, selectors ...Selector) error {
	if err := v.moved(); err != nil {
		return err
	}
	return v.UntypedView.Slice(selectors...).writeStrided(ctx,
		v.layout.Memory(govalue.SpanOf(src)), strides, v.TypeSize(), true)
}

func (v UntypedView) readStrided(ctx context.Context, dst []byte, strides []int64, unit int, host bool) error {
	m, err := v.strided(strides, unit, len(dst))
	if err != nil {
		return err
	}
	if v.overlaps(strides, unit) {
		return fmt.Errorf("strides %v for shape %v have several items in one place: %w", strides,
			v.sel.Size, cairn.ErrBounds)
	}
	return v.of.read(ctx, dst, m, host)
}

func (v UntypedView) writeStrided(ctx context.Context, src []byte, strides []int64, unit int, host bool) error {
	m, err := v.strided(strides, unit, len(src))
	if err != nil {
		return err
	}
	return v.of.write(ctx, src, m, host, nil)
}

// strided returns the mesh of the view in memory of strides in units of bytes.
func (v UntypedView) strided(strides []int64, unit, size int) (selection.Mesh, error) {
	if err := v.Err(); err != nil {
		return selection.Mesh{}, err
	}
	if len(strides) != v.dims() {
		return selection.Mesh{}, fmt.Errorf("%d strides for %d dimensions: %w", len(strides),
			v.dims(), cairn.ErrBounds)
	}
	wide, base := make([]int64, len(strides)), int64(0)
	if v.Len() == 0 {
		return v.sel.Place(wide, 0, int64(size)), nil
	}
	for k, s := range strides {
		extent := v.sel.Size[k]
		if extent == 1 {
			continue
		}
		hi, lo := bits.Mul64(magnitude(s), uint64(unit))
		over, way := bits.Mul64(lo, uint64(extent))
		if hi != 0 || over != 0 || way > uint64(size)+lo {
			return selection.Mesh{},
				fmt.Errorf("%d items with a stride of %d in memory of %d bytes: %w", extent, s, size, cairn.ErrBounds)
		}
		if wide[k] = int64(lo); s < 0 {
			wide[k], base = -wide[k], base+(extent-1)*int64(lo)
		}
	}
	return v.sel.Place(wide, base, int64(size)), nil
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// overlaps reports whether items may share memory. It looks at dimensions from the shortest stride
// to the longest: each must step over everything within.
func (v UntypedView) overlaps(strides []int64, unit int) bool {
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
			loops = append(loops, loop{magnitude(strides[k]) * uint64(unit), extent})
		}
	}
	slices.SortFunc(loops, func(a, b loop) int { return cmp.Compare(a.stride, b.stride) })
	reach := uint64(v.of.typeSize())
	for _, l := range loops {
		if l.stride < reach {
			return true
		}
		reach += l.stride * uint64(l.extent-1) // within memory, as strided has found
	}
	return false
}
