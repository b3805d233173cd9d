package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// coordinate returns the coordinates with a name, of any of the arrays. There are none if the error
// matches cairn.ErrNotFound.
func (b *binder) coordinate(ctx context.Context, name string) (ndarray.Source, error) {
	if src, ok := b.coordinates[name]; ok {
		return src, nil
	}
	if b.options.Coordinate == nil {
		return nil, cairn.ErrNotFound
	}

	src, err := b.options.Coordinate(ctx, name, nil, nil)
	if err == nil {
		b.coordinates[name] = src
	}
	return src, err
}

// coordinateOf returns the coordinates with a name of an array with the dimensions of a term: those
// along an axis have its name.
func (b *binder) coordinateOf(ctx context.Context, name string, of *term) (ndarray.Source, error) {
	if b.options.Coordinate == nil {
		return nil, fmt.Errorf("no coordinates are named %q, as none are known: %w", name, cairn.ErrNotFound)
	}
	dims := of.dims
	if dims == nil {
		dims = make([]string, len(of.shape))
	}
	return b.options.Coordinate(ctx, name, slices.Clone(dims), slices.Clone(of.shape))
}
