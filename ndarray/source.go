package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// A Source is an array to read from: an [Untyped], [Array], [UntypedView] or [View], or any other
// type with these methods. [ViewOf] makes a view of it, which can be sliced, joined and read as Go
// values. Any number of goroutines may call the methods.
type Source interface {
	// Shape returns the number of items per dimension. The caller may change the slice.
	Shape() Shape
	// DType returns the dtype of the items.
	DType() meta.DType
	// Grid returns a box shape that is cheap to read at once, and the shape of the blocks that it
	// is made of. Both are nil if all boxes are equally cheap.
	Grid() (chunks, blocks Shape)
	// ReadBytes reads the items from start up to, not including, stop in each dimension into dst,
	// in C order, encoded as the dtype says. The coordinates are within the shape, start does not
	// exceed stop, and len(dst) is the box's size in bytes.
	ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error
}

// ViewOf returns a view of a whole source. Sources other than arrays and views of this package
// cannot be written through the view, and must not change while it is read.
func ViewOf(src Source) UntypedView {
	if ours, ok := src.(interface {
		asView(src Source) (UntypedView, bool)
	}); ok {
		if v, ok := ours.asView(src); ok {
			return v
		}
	}
	return foreignView(src)
}

// asView returns src as a view if it is an array of this package, and not a type that embeds one.
func (u *Untyped) asView(src Source) (UntypedView, bool) {
	_, ok := src.(*Untyped)
	return u.View(), ok
}

func (a Array[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(Array[T])
	return a.Untyped.View(), ok
}

func (v UntypedView) asView(src Source) (UntypedView, bool) {
	_, ok := src.(UntypedView)
	return v, ok
}

func (v View[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(View[T])
	return v.UntypedView, ok
}

// Grid returns the shapes of chunks and blocks in items, which the caller may change.
func (u *Untyped) Grid() (chunks, blocks Shape) { return u.chunkShape(), u.blockShape() }

// DType returns the dtype of the items. It is of kind 0 after an error, or if the dtype of the
// array is not understood.
func (v UntypedView) DType() meta.DType {
	if v.Err() != nil {
		return meta.DType{}
	}
	return v.of.dtype()
}

// Grid returns roughly how many items per dimension of the view a chunk and a block hold, or nil
// after an error.
func (v UntypedView) Grid() (chunks, blocks Shape) {
	if v.Err() != nil {
		return nil, nil
	}
	chunks, blocks = v.of.grid()
	return v.project(chunks), v.project(blocks)
}

// project returns the extents of an origin's chunks along the dimensions of the view.
func (v UntypedView) project(chunk Shape) Shape {
	if chunk == nil {
		return nil
	}
	own := make(Shape, len(v.sel.Dims))
	for k, dim := range v.sel.Dims {
		own[k] = 1
		if dim == selection.NewDim {
			continue
		}
		if own[k] = chunk[dim]; v.sel.Axes[dim].List == nil {
			step := v.sel.Axes[dim].Step
			own[k] = max(1, own[k]/max(step, -step, 1))
		}
	}
	return own
}
