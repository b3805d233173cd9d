package ndarray

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// Transpose returns the view with its dimensions in another order: dimension k of the result is
// dimension order[k] of v. Without arguments the order is reversed. Negative numbers count from the
// end.
func (v UntypedView) Transpose(order ...int) UntypedView {
	if v.Err() != nil {
		return v
	}

	n := v.dims()
	if len(order) == 0 {
		for k := range n {
			order = append(order, n-1-k)
		}
	}
	if len(order) != n {
		return v.fail(fmt.Errorf("an order of %d dimensions for %d: %w", len(order), n, cairn.ErrBounds))
	}
	dims, err := dimensions(order, n)
	if err != nil {
		return v.fail(err)
	}

	before := v.sel
	v.sel.Dims = make([]int, n)
	v.sel.Size = make(Shape, n)
	for k, from := range dims {
		v.sel.Dims[k] = before.Dims[from]
		v.sel.Size[k] = before.Size[from]
	}
	return v
}

// Flip returns the view with the items along the given dimensions in reverse; without arguments,
// along all. Negative numbers count from the end.
func (v UntypedView) Flip(dims ...int) UntypedView {
	if v.Err() != nil {
		return v
	}

	selectors := make([]Selector, v.dims())
	if len(dims) == 0 {
		for k := range selectors {
			selectors[k] = All.Step(-1)
		}
		return v.Slice(selectors...)
	}

	dims, err := dimensions(dims, v.dims())
	if err != nil {
		return v.fail(err)
	}
	for _, k := range dims {
		selectors[k] = All.Step(-1)
	}
	return v.Slice(selectors...)
}

// Squeeze returns the view without the given dimensions, which must have one item; without
// arguments, without all such dimensions. Negative numbers count from the end.
func (v UntypedView) Squeeze(dims ...int) UntypedView {
	if v.Err() != nil {
		return v
	}

	drop := make([]bool, v.dims())
	for k, extent := range v.sel.Size {
		drop[k] = len(dims) == 0 && extent == 1
	}
	dims, err := dimensions(dims, v.dims())
	if err != nil {
		return v.fail(err)
	}
	for _, k := range dims {
		if v.sel.Size[k] != 1 {
			return v.fail(fmt.Errorf("squeeze of dimension %d, which has %d items: %w", k,
				v.sel.Size[k], cairn.ErrBounds))
		}
		drop[k] = true
	}

	selectors := make([]Selector, v.dims())
	for k := range selectors {
		if drop[k] {
			selectors[k] = Index(0)
		}
	}
	return v.Slice(selectors...)
}

// ExpandDims returns the view with new dimensions of one item at the given positions of the result.
// Negative numbers count from the end of the result.
func (v UntypedView) ExpandDims(places ...int) UntypedView {
	if v.Err() != nil {
		return v
	}
	places, err := dimensions(places, v.dims()+len(places))
	if err != nil {
		return v.fail(err)
	}

	var selectors []Selector
	for k := range v.dims() + len(places) {
		if slices.Contains(places, k) {
			selectors = append(selectors, NewAxis)
		} else {
			selectors = append(selectors, All)
		}
	}
	return v.Slice(selectors...)
}

// Broadcast returns the view broadcast to a shape by NumPy's rules: dimensions of one item are
// repeated, and new dimensions come first. A view that repeats items is read-only.
func (v UntypedView) Broadcast(shape Shape) UntypedView {
	if v.Err() != nil {
		return v
	}

	from := len(shape) - v.dims() // new dimensions
	_, ok := grid.Product(shape)
	negative := slices.ContainsFunc(shape, func(n int64) bool { return n < 0 })
	if !ok || from < 0 || negative {
		return v.fail(fmt.Errorf("shape %v cannot be broadcast to %v: %w", v.sel.Size, shape, cairn.ErrBounds))
	}

	before := v.sel
	v.sel.Dims = make([]int, len(shape))
	v.sel.Size = slices.Clone(shape)
	for k, extent := range shape {
		v.sel.Dims[k] = selection.NewDim
		switch {
		case k < from:
		case before.Size[k-from] == extent:
			v.sel.Dims[k] = before.Dims[k-from]
		case before.Size[k-from] != 1:
			return v.fail(fmt.Errorf("shape %v cannot be broadcast to %v: %w", before.Size, shape, cairn.ErrBounds))
		}
	}
	return v
}

// dimensions resolves numbers of dimensions, all of which must differ.
func dimensions(numbers []int, n int) ([]int, error) {
	seen := make([]bool, n)
	resolved := make([]int, len(numbers))
	for k, i := range numbers {
		if i < 0 {
			i += n
		}
		if i < 0 || i >= n {
			return nil, fmt.Errorf("dimension %d of %d: %w", numbers[k], n, cairn.ErrBounds)
		}
		if seen[i] {
			return nil, fmt.Errorf("dimension %d twice: %w", numbers[k], cairn.ErrBounds)
		}

		seen[i] = true
		resolved[k] = i
	}
	return resolved, nil
}
