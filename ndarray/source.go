package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// A Source is an array to read from: an [Untyped] or [Array], an [UntypedView] or [View] of some,
// or any other type with these methods. [ViewOf] makes a view of it, which can be sliced, joined
// and read as Go values. Any number of goroutines may call the methods.
type Source interface {
	// Shape returns the number of items per dimension, in memory that is the caller's.
	Shape() Shape
	// DType returns the dtype of the items.
	DType() meta.DType
	// Grid returns how many items per dimension are cheap to read at once, and of how many such
	// chunks are made. Both are nil if any box is as good as another.
	Grid() (chunks, blocks Shape)
	// ReadBytes reads the items from start up to, not including, stop in each dimension into dst,
	// in C order, as the dtype says. The coordinates are within the shape, start is nowhere beyond
	// stop, and len(dst) is the box's size in bytes.
	ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error
}

// ViewOf returns a view of all of a source. A view of what is neither an array of this package nor
// a view cannot be written, and nothing freezes it: it must not change while it is read.
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

// asView returns src as a view if it is an array, and not something that embeds one.
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

// DType returns the dtype of the items. After an error, and where an array's is not understood, it
// is of kind 0.
func (v UntypedView) DType() meta.DType {
	if v.Err() != nil {
		return meta.DType{}
	}
	return v.of.dtype()
}

// Grid returns about how many items per dimension of the view a chunk and a block hold, nil after
// an error.
func (v UntypedView) Grid() (chunks, blocks Shape) {
	if v.Err() != nil {
		return nil, nil
	}
	chunks, blocks = v.of.grid()
	return v.project(chunks), v.project(blocks)
}

// project returns how many items of chunks of an origin there are along each dimension of the view.
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
