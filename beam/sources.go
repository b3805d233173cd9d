package cairnbeam

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray"
)

// Sources are arrays that a DoFn reads, which stay open from one element to the next. The zero
// value is ready for use. A DoFn has it in an unexported field, and closes it in Teardown. One
// goroutine at a time may use it.
type Sources struct {
	open recent[*source]
}

type source struct {
	ndarray.Source
	close func() error
}

func (s *source) Close() error { return s.close() }

// Source returns the array at a path. It stays open until Close is called, or 16 other ones were
// used later.
func (s *Sources) Source(ctx context.Context, path string) (ndarray.Source, error) {
	src, err := s.open.get(path, func() (*source, error) {
		src, end, err := openInput(context.WithoutCancel(ctx), path)
		return &source{src, end}, err
	})
	if err != nil {
		return nil, fmt.Errorf("cairnbeam: %s: %w", path, err)
	}
	return src.Source, nil
}

// Close closes all arrays.
func (s *Sources) Close() error { return s.open.Close() }

// Items returns the items of a box in C order. T is as for [ndarray.Array].
func Items[T any](ctx context.Context, s *Sources, b Box) ([]T, error) {
	src, err := s.Source(ctx, b.Path)
	if err != nil {
		return nil, err
	}
	v, err := ndarray.ViewAs[T](src)
	if err != nil {
		return nil, fmt.Errorf("cairnbeam: %s: %w", b.Path, err)
	}

	if err = grid.CheckBox(v.Shape(), b.Start, b.Stop); err != nil {
		return nil, fmt.Errorf("cairnbeam: %s: %w", b.Path, err)
	}
	items := make([]T, b.Len())
	if err := v.ReadBox(ctx, items, b.Start, b.Stop); err != nil {
		return nil, fmt.Errorf("cairnbeam: %s: %w", b.Path, err)
	}
	return items, nil
}
