package regrid

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
)

// conservative makes weights of the areas that cells share.
func conservative(from, to *Grid) (rowMaker, error) {
	for _, g := range []*Grid{from, to} {
		if !g.hasCells() {
			return nil, fmt.Errorf("%s: the corners of its cells are not known, which %s needs: %w", g, Conservative,
				cairn.ErrUnsupported)
		}
	}
	if from.kind == rectilinear && to.kind == rectilinear {
		return ofRectangles(from, to), nil
	}

	index := newBins(from.Cells(), from.boxOfCell())
	if index == nil {
		return nil, fmt.Errorf("the cells of %s overlap too much: %w", from, cairn.ErrLimit)
	}
	return func() func(dst []link, to int) ([]link, float64) {
		m := &cellMaker{from: from, to: to, index: index}
		return m.row
	}, nil
}

// A span is the part of a row or column that another one covers.
type span struct {
	index int
	size  float64
}

// ofRectangles makes weights between rectilinear grids: shares of rows times those of columns.
func ofRectangles(from, to *Grid) rowMaker {
	sines := func(rows []float64) []float64 {
		z := make([]float64, len(rows))
		for i, v := range rows {
			z[i], _ = sincos(v)
		}
		return z
	}
	toRows := sines(to.rows)
	rows := spans(sines(from.rows), toRows, 0)
	columns := spans(from.columns, to.columns, 360)

	return func() func(dst []link, cell int) ([]link, float64) {
		return func(dst []link, cell int) ([]link, float64) {
			j := cell / len(to.lon)
			i := cell % len(to.lon)
			for _, r := range rows[j] {
				for _, c := range columns[i] {
					if at := r.index*len(from.lon) + c.index; !from.isMasked(at) {
						dst = append(dst, link{int32(at), r.size * c.size * radian})
					}
				}
			}
			height := math.Abs(toRows[2*j+1] - toRows[2*j])
			return dst, height * math.Abs(to.columns[2*i+1]-to.columns[2*i]) * radian
		}
	}
}

// spans returns which of some ranges, two numbers each, share how much with each of others. Those
// on a circle repeat after around.
func spans(from, to []float64, around float64) [][]span {
	all := make([][]span, len(to)/2)
	for i := range all {
		low, high := ordered(to[2*i], to[2*i+1])
		for k := range len(from) / 2 {
			first, last := ordered(from[2*k], from[2*k+1])
			size := min(high, last) - max(low, first)

			if around > 0 {
				// Turn it so that it ends beyond the start of the other one, and once more.
				turn := math.Ceil((low-last)/around) * around
				size = max(0, min(high, last+turn)-max(low, first+turn))
				for turn += around; first+turn < high; turn += around {
					size += max(0, min(high, last+turn)-max(low, first+turn))
				}
			}

			if size > (high-low)*1e-14 {
				all[i] = append(all[i], span{k, size})
			}
		}
	}
	return all
}

// polygon appends the corners of a cell to dst.
func (g *Grid) polygon(dst []vector, cell int) []vector {
	for k := cell * g.corners; k < (cell+1)*g.corners; k++ {
		dst = append(dst, vectorOf(g.cornerLat[k], g.cornerLon[k]))
	}
	return dst
}

// boxOfCell returns a function that returns a box around a cell; one without a width for a cell
// that is masked.
func (g *Grid) boxOfCell() func(cell int) box {
	var places []vector
	return func(cell int) box {
		if g.isMasked(cell) {
			return box{}
		}
		if g.kind == rectilinear {
			return g.rectangle(cell)
		}
		places = g.polygon(places[:0], cell)
		return capBox(places)
	}
}

// rectangle returns the box that a cell of a rectilinear grid is, and a little more.
func (g *Grid) rectangle(cell int) box {
	const more = 1e-9
	row := cell / len(g.lon)
	column := cell % len(g.lon)
	south, north := ordered(g.rows[2*row], g.rows[2*row+1])
	west, east := ordered(g.columns[2*column], g.columns[2*column+1])
	return box{south - more, north + more, west - more, min(360, east-west+2*more)}
}

// A cellMaker makes weights of the cells of two grids, one of which at least has polygons. It is
// for one goroutine.
type cellMaker struct {
	from, to *Grid
	index    *bins

	near       []int32
	own, other shapes
	buffers    [2][]vector
}

// shapes are the parts of a cell: patches, or convex polygons.
type shapes struct {
	places  []vector
	corners []vector
	convex  []convex
	patches []patch
}

// take makes the shapes those of a cell, and returns its area.
func (s *shapes) take(g *Grid, cell int) (area float64) {
	s.convex = s.convex[:0]
	s.patches = s.patches[:0]
	if g.kind == rectilinear {
		s.patches = g.patches(s.patches, cell)
		for i := range s.patches {
			area += s.patches[i].area()
		}
		return area
	}

	s.places = g.polygon(s.places[:0], cell)
	s.corners = withoutRepeats(s.corners[:0], s.places)
	s.convex = convexes(s.convex, s.corners)
	for _, c := range s.convex {
		area += c.sign * polygonArea(c.corners)
	}
	return area
}

// row appends the links of a cell to dst.
func (m *cellMaker) row(dst []link, cell int) ([]link, float64) {
	area := m.own.take(m.to, cell)
	around := box{}
	if m.to.kind == rectilinear {
		around = m.to.rectangle(cell)
	} else {
		around = capBox(m.own.places)
	}

	m.near = m.index.within(m.near[:0], around)
	for _, i := range m.near {
		m.other.take(m.from, int(i))
		if shared := m.shared(); shared > area*1e-14 {
			dst = append(dst, link{i, shared})
		}
	}
	return dst, area
}

// shared returns the area that two cells share.
func (m *cellMaker) shared() (area float64) {
	for _, c := range m.own.convex {
		for _, d := range m.other.convex {
			area += c.sign * d.sign * overlap(c.corners, d.corners, &m.buffers)
		}
		for i := range m.other.patches {
			area += c.sign * m.other.patches[i].overlap(c.corners, &m.buffers)
		}
	}
	for i := range m.own.patches {
		for _, d := range m.other.convex {
			area += d.sign * m.own.patches[i].overlap(d.corners, &m.buffers)
		}
	}
	return area
}
