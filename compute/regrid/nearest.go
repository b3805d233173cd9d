package regrid

import (
	"fmt"
	"math"
	"sort"

	"github.com/cairn-go/cairn"
)

// nearest makes weights of 1 for the nearest cells.
func nearest(from, to *Grid) (rowMaker, error) {
	if from.kind == rectilinear && from.masked == nil {
		s := newRowSearch(from)
		return func() func(dst []link, cell int) ([]link, float64) {
			return func(dst []link, cell int) ([]link, float64) {
				lat, lon := to.centre(cell)
				return append(dst, link{s.nearest(lat, lon), 1}), 0
			}
		}, nil
	}

	n := from.Cells()
	if int64(n)*24 > mostGridBytes {
		return nil, fmt.Errorf("%s are too many to search: %w", from, cairn.ErrLimit)
	}
	places := make([]vector, n)
	order := make([]int32, 0, n)
	for i := range places {
		places[i] = vectorOf(from.centre(i))
		if !from.isMasked(i) {
			order = append(order, int32(i))
		}
	}
	t := newTree(places, order)
	return func() func(dst []link, cell int) ([]link, float64) {
		return func(dst []link, cell int) ([]link, float64) {
			lat, lon := to.centre(cell)
			if i := t.nearest(vectorOf(lat, lon)); i >= 0 {
				dst = append(dst, link{i, 1})
			}
			return dst, 0
		}
	}, nil
}

// A rowSearch finds cells of a rectilinear grid. In each row the nearest one is that with the
// nearest longitude.
type rowSearch struct {
	g    *Grid
	lat  sorted
	lon  sorted
	sin  []float64 // of the latitudes
	cos  []float64
	east []vector // of the longitudes, on the equator
}

// sorted are coordinates in ascending order, though those of the grid may descend.
type sorted struct {
	values   []float64
	descends bool
}

func newSorted(values []float64) sorted {
	n := len(values)
	s := sorted{make([]float64, n), n > 1 && values[0] > values[n-1]}
	for i, v := range values {
		s.values[s.index(i)] = v
	}
	return s
}

// index returns the index in the grid of a value, and the other way round.
func (s *sorted) index(i int) int {
	if s.descends {
		return len(s.values) - 1 - i
	}
	return i
}

// below returns the index of the last value that is not greater than another, -1 if there is none.
func (s *sorted) below(v float64) int {
	return sort.Search(len(s.values), func(i int) bool { return s.values[i] > v }) - 1
}

// nearLon turns a longitude to where it is in the range of ascending values, or next to it.
func (s *sorted) nearLon(lon float64) float64 {
	return lon - math.Floor((lon-s.values[0])/360)*360
}

func newRowSearch(g *Grid) *rowSearch {
	s := &rowSearch{g: g, lat: newSorted(g.lat), lon: newSorted(g.lon)}
	for _, v := range g.lat {
		sin, cos := sincos(v)
		s.sin = append(s.sin, sin)
		s.cos = append(s.cos, cos)
	}
	for _, v := range g.lon {
		s.east = append(s.east, vectorOf(0, v))
	}
	return s
}

// nearest returns the cell whose centre is nearest to a place.
func (s *rowSearch) nearest(lat, lon float64) int32 {
	column := s.column(lon)
	at := vectorOf(lat, lon)
	e := s.east[column]

	best := int32(-1)
	least := math.Inf(1)
	try := func(row int) (further bool) {
		i := s.lat.index(row)
		if math.Abs(s.lat.values[row]-lat)*radian*(2/math.Pi) > math.Sqrt(least)+1e-9 {
			return false // the chord of the difference of latitudes alone is longer
		}
		d := at.distance2(vector{e.x * s.cos[i], e.y * s.cos[i], s.sin[i]})
		cell := int32(i*len(s.g.lon) + column)
		if d < least || d == least && cell < best {
			least = d
			best = cell
		}
		return true
	}

	from := s.lat.below(lat)
	for row := from; row >= 0 && try(row); row-- {
	}
	for row := from + 1; row < len(s.lat.values) && try(row); row++ {
	}
	return best
}

// column returns the column with the nearest longitude, the first of several.
func (s *rowSearch) column(lon float64) int {
	n := len(s.lon.values)
	k := s.lon.below(s.lon.nearLon(lon))
	a := s.lon.index(max(0, k))
	b := s.lon.index((k + 1) % n)
	away := func(i int) float64 {
		d := math.Abs(math.Mod(s.g.lon[i]-lon, 360))
		return min(d, 360-d)
	}
	da := away(a)
	db := away(b)
	if db < da || db == da && b < a {
		return b
	}
	return a
}
