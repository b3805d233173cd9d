package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/ndarray"
)

// indexName is the function that returns the indexes of items along an axis.
const indexName = "index"

// places returns the term of the indexes that the items of an array have along an axis.
func (b *binder) places(ctx context.Context, n *expr.Node) (*term, error) {
	args := slices.Clone(n.Args)
	for _, key := range n.Keys {
		if key.Name != "axis" {
			return nil, &expr.Error{Text: b.text, Pos: key.Pos,
				Err: fmt.Errorf("%s takes axis=, not %s=: %w", n.Text, key.Name, cairn.ErrNotFound)}
		}
		args = append(args, key.Value)
	}

	if len(args) == 0 || len(args) > 2 {
		return nil, fmt.Errorf("%s takes an array and an axis, not %d arguments: %w", n.Text, len(args), cairn.ErrBounds)
	}

	of, err := b.bind(ctx, args[0])
	if err != nil {
		return nil, err
	}

	axis := 0
	switch {
	case len(args) == 2:
		if axis, err = axisOf(args[1], of); err != nil {
			return nil, b.at(args[1], err)
		}
	case len(of.shape) != 1:
		return nil, fmt.Errorf("%s takes one axis=, as in %s(a, axis=0): %w", n.Text, n.Text, cairn.ErrBounds)
	}

	return b.intern(func() (*term, error) {
		src, err := b.sourceOf(of)
		if err != nil {
			return nil, err
		}
		l := indexLeaf(src, axis)
		return &term{
			shape: l.shape(), dims: of.dims, moved: of.moved, leaves: []leaf{l}, reads: of.reads, reduces: of.reduces, simple: true,
			build: func(p *program) (kernel.Value, error) { return p.slot(l).value(), nil },
		}, nil
	}, indexName, of.id, axis)
}

// indexLeaf returns a leaf with the shape and the grid of a source, of which it reads nothing: its
// items are their own indexes along an axis.
func indexLeaf(src ndarray.Source, axis int) leaf {
	read := func(_ context.Context, dst []int64, start, stop []int64) error {
		run := 1 // successive items with one index
		for i := axis + 1; i < len(start); i++ {
			run *= int(stop[i] - start[i])
		}

		for at := start[axis]; len(dst) > 0; at++ {
			if at == stop[axis] {
				at = start[axis]
			}
			for i := range dst[:run] {
				dst[i] = at
			}
			dst = dst[run:]
		}
		return nil
	}

	of := leafOf{src: src, of: src.Shape(), size: 8, kind: kernel.Int64}
	return &typedLeaf[int64]{of, func() func(ctx context.Context, dst []int64, start, stop []int64) error {
		return read
	}}
}
