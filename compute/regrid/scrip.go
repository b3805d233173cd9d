package regrid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// SCRIP reads the grid of a file in SCRIP's format, whose arrays find returns. It has cells of
// great circles, in rows if grid_dims says so. The error matches [ErrNone] if there are no such
// arrays.
func SCRIP(ctx context.Context, find Lookup) (*Grid, error) {
	s := &scripReader{ctx: ctx, find: find}
	lat := s.floats("grid_center_lat")
	lon := s.floats("grid_center_lon")
	if s.err == nil && (lat == nil || lon == nil) {
		return nil, ErrNone
	}
	dims := s.floats("grid_dims")
	mask := s.floats("grid_imask")
	cornerLat := s.floats("grid_corner_lat")
	cornerLon := s.floats("grid_corner_lon")
	if s.err != nil {
		return nil, s.err
	}

	width := 0
	if len(dims) == 2 && dims[0] >= 1 && dims[0] <= mostCells && dims[0]*dims[1] == float64(len(lat)) {
		width = int(dims[0])
	}
	if len(cornerLat) != len(cornerLon) || len(cornerLat) < 3*len(lat) {
		cornerLat = nil
		cornerLon = nil
	}
	g, err := withoutMissing(lat, lon, cornerLat, cornerLon, width)
	if err != nil {
		return nil, err
	}
	if len(mask) == len(lat) && slices.Contains(mask, 0) {
		if g.masked == nil {
			g.masked = make([]bool, len(lat))
		}
		for i, v := range mask {
			g.masked[i] = g.masked[i] || v == 0
		}
	}
	return g, nil
}

// A scripReader reads arrays until one fails.
type scripReader struct {
	ctx  context.Context
	find Lookup
	err  error
}

// floats returns the items of an array, nil if there is none.
func (s *scripReader) floats(name string) []float64 {
	if s.err != nil {
		return nil
	}
	src, err := s.find(s.ctx, name)
	if src == nil || err != nil {
		s.err = err
		return nil
	}
	l, err := ndarray.LabelsOf(src)
	if err == nil {
		var all []float64
		if all, err = readFloats(s.ctx, src, cf.Text(l.Attributes, "units")); err == nil {
			return all
		}
	}
	s.err = fmt.Errorf("%s: %w", name, err)
	return nil
}

// inTree looks for arrays in the root of a tree.
func inTree(t ndarray.Tree) Lookup {
	return func(ctx context.Context, name string) (ndarray.Source, error) {
		src, err := t.Open(ctx, name)
		if errors.Is(err, cairn.ErrNotFound) {
			return nil, nil
		}
		return src, err
	}
}
