package regrid

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// mostCells bounds the cells of a grid.
const mostCells = 1 << 27

// mostCorners bounds the corners of a cell.
const mostCorners = 1 << 8

// mostGridBytes bounds the coordinates of the corners of a grid.
const mostGridBytes = 1 << 32

// A kind is how the coordinates of a grid are stored.
type kind uint8

const (
	rectilinear  kind = iota // latitudes of rows and longitudes of columns
	curvilinear              // a latitude and a longitude for each cell of rows and columns
	unstructured             // a latitude and a longitude for each cell of a list
)

// A Grid is a horizontal grid of cells. It does not change, and may be used concurrently.
type Grid struct {
	kind     kind
	lat, lon []float64 // of the centres, in degrees: of rows and columns, or of each cell

	// Bounds of rows and columns, two for each; nil for other grids.
	rows, columns []float64

	// Corners of cells, each times corners; nil if they are not known, or for rectilinear grids.
	corners              int
	cornerLat, cornerLon []float64

	masked []bool // cells that have no items; nil if all have

	width            int // of rows
	dims             []string
	latName, lonName string
	name             string // by which people know it, or ""
}

// Shape returns the number of rows and columns, or the number of cells of an unstructured grid.
func (g *Grid) Shape() ndarray.Shape {
	switch g.kind {
	case rectilinear:
		return ndarray.Shape{int64(len(g.lat)), int64(len(g.lon))}
	case curvilinear:
		return ndarray.Shape{int64(len(g.lat) / g.width), int64(g.width)}
	}
	return ndarray.Shape{int64(len(g.lat))}
}

// Dims returns the names of the dimensions.
func (g *Grid) Dims() []string { return slices.Clone(g.dims) }

// Cells returns the number of cells.
func (g *Grid) Cells() int {
	if g.kind == rectilinear {
		return len(g.lat) * len(g.lon)
	}
	return len(g.lat)
}

// String describes a grid in a few words.
func (g *Grid) String() string {
	shape := g.Shape()
	text := fmt.Sprintf("%d cells", shape[0])
	if len(shape) == 2 {
		text = fmt.Sprintf("%d × %d cells", shape[0], shape[1])
	}
	if g.name != "" {
		return g.name + ", " + text
	}
	return text
}

// centre returns the latitude and the longitude of a cell, in degrees.
func (g *Grid) centre(i int) (lat, lon float64) {
	if g.kind == rectilinear {
		return g.lat[i/len(g.lon)], g.lon[i%len(g.lon)]
	}
	return g.lat[i], g.lon[i]
}

func (g *Grid) isMasked(i int) bool { return g.masked != nil && g.masked[i] }

// hasCells reports whether the corners or bounds of cells are known.
func (g *Grid) hasCells() bool { return g.kind == rectilinear || g.cornerLat != nil }

// newRectilinear returns a grid of rows and columns. Bounds, two for each row or column, may be
// nil.
func newRectilinear(lat, lon, rows, columns []float64) (*Grid, error) {
	g := &Grid{lat: lat, lon: lon, rows: rows, columns: columns, width: len(lon),
		dims: []string{"lat", "lon"}, latName: "lat", lonName: "lon"}
	if len(lat) == 0 || len(lon) == 0 {
		return nil, fmt.Errorf("the grid has no cells: %w", cairn.ErrInvalid)
	}
	if int64(len(lat))*int64(len(lon)) > mostCells {
		return nil, fmt.Errorf("the grid has more than %d cells: %w", mostCells, cairn.ErrLimit)
	}
	if err := checkDegrees(lat, lon, rows, columns); err != nil {
		return nil, err
	}

	if !monotonic(lat) || !monotonic(lon) {
		return nil, fmt.Errorf("the coordinates of rows and columns do not ascend or descend: %w", cairn.ErrUnsupported)
	}
	if span := math.Abs(lon[len(lon)-1] - lon[0]); span > 360*(1+1e-6) {
		return nil, fmt.Errorf("the longitudes span %g degrees: %w", span, cairn.ErrUnsupported)
	}

	if g.rows == nil {
		g.rows = boundsOf(lat)
		toPoles(g.rows, lat)
	}
	if g.columns == nil {
		g.columns = boundsOf(lon)
		if len(lon) == 1 {
			g.columns = []float64{lon[0] - 180, lon[0] + 180}
		}
		closeCircle(lon, g.columns)
	}
	return g, nil
}

// monotonic reports whether values ascend, or descend.
func monotonic(v []float64) bool {
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1] || (v[i] > v[i-1]) != (v[1] > v[0]) {
			return false
		}
	}
	return true
}

// checkDegrees fails for coordinates that are not finite, or far from any place.
func checkDegrees(lat, lon, moreLat, moreLon []float64) error {
	for _, list := range [][]float64{lat, moreLat} {
		for _, v := range list {
			if !(math.Abs(v) <= 90+1e-4) {
				return fmt.Errorf("%g is no latitude in degrees: %w", v, cairn.ErrInvalid)
			}
		}
	}
	for _, list := range [][]float64{lon, moreLon} {
		for _, v := range list {
			if !(math.Abs(v) <= 1080) {
				return fmt.Errorf("%g is no longitude in degrees: %w", v, cairn.ErrInvalid)
			}
		}
	}
	return nil
}

// boundsOf returns bounds half way between centres.
func boundsOf(centres []float64) []float64 {
	n := len(centres)
	bounds := make([]float64, 2*n)
	if n == 1 {
		bounds[0] = centres[0] - 90
		bounds[1] = centres[0] + 90
		return bounds
	}

	for i := range n - 1 {
		middle := (centres[i] + centres[i+1]) / 2
		bounds[2*i+1] = middle
		bounds[2*i+2] = middle
	}
	bounds[0] = 2*centres[0] - bounds[1]
	bounds[2*n-1] = 2*centres[n-1] - bounds[2*n-2]
	return bounds
}

// toPoles makes the outermost of derived bounds of rows end at the poles if they are near: beyond
// 88 degrees, as CDO does, or those of a Gaussian grid.
func toPoles(rows, lat []float64) {
	gauss := isGaussian(lat)
	for _, i := range []int{0, len(rows) - 1} {
		if v := rows[i]; math.Abs(v) > 88 || gauss {
			rows[i] = math.Copysign(90, v)
		}
	}
}

// isGaussian reports whether latitudes are those of a Gaussian grid.
func isGaussian(lat []float64) bool {
	n := len(lat)
	if n < 2 || n%2 != 0 || n > 2*mostGaussian || math.Abs(lat[0]+lat[n-1]) > 1e-3 ||
		math.Abs(lat[0]) < 90-140/float64(n) {
		return false
	}
	for i, v := range gaussian(n) {
		if math.Abs(math.Abs(lat[i])-math.Abs(v)) > 1e-3 {
			return false
		}
	}
	return true
}

// closeCircle makes derived bounds of columns that run around the globe end where they begin.
func closeCircle(lon, columns []float64) {
	n := len(lon)
	if n < 2 {
		return
	}
	last := len(columns) - 1
	span := columns[last] - columns[0]
	step := math.Abs(span) / float64(n)
	if math.Abs(math.Abs(span)-360) < step*0.01 {
		columns[last] = columns[0] + math.Copysign(360, span)
	}
}

// isCyclic reports whether the columns of a rectilinear grid run around the globe.
func (g *Grid) isCyclic() bool {
	n := len(g.lon)
	low := math.Inf(1)
	high := math.Inf(-1)
	for _, v := range g.columns {
		low = min(low, v)
		high = max(high, v)
	}
	return n > 1 && high-low >= 360*(1-1e-6)
}

// newCells returns a grid of cells with corners, which may be nil. width is that of rows, or 0 for
// an unstructured grid.
func newCells(lat, lon []float64, width int, cornerLat, cornerLon []float64) (*Grid, error) {
	g := &Grid{kind: unstructured, lat: lat, lon: lon, width: width, cornerLat: cornerLat, cornerLon: cornerLon,
		dims: []string{"cell"}, latName: "lat", lonName: "lon"}
	n := len(lat)
	switch {
	case n == 0:
		return nil, fmt.Errorf("the grid has no cells: %w", cairn.ErrInvalid)
	case len(lon) != n || len(cornerLat) != len(cornerLon) || len(cornerLat)%n != 0:
		return nil, fmt.Errorf("there are %d latitudes, %d longitudes, and %d and %d of corners: %w", n, len(lon),
			len(cornerLat), len(cornerLon), cairn.ErrInvalid)
	case width > 0 && n%width != 0:
		return nil, fmt.Errorf("%d cells are no rows of %d: %w", n, width, cairn.ErrInvalid)
	case len(cornerLat)/n > mostCorners:
		return nil, fmt.Errorf("cells have more than %d corners: %w", mostCorners, cairn.ErrLimit)
	}
	if err := checkDegrees(lat, lon, cornerLat, cornerLon); err != nil {
		return nil, err
	}

	g.corners = len(cornerLat) / n
	if width > 0 {
		g.kind = curvilinear
		g.dims = []string{"y", "x"}
	}
	if g.cornerLat == nil && g.kind == curvilinear {
		g.deriveCorners()
	}
	return g, nil
}

// deriveCorners puts corners between the centres of four cells each, and as far beyond those at
// borders.
func (g *Grid) deriveCorners() {
	nx := g.width
	ny := len(g.lat) / nx
	if nx < 2 || ny < 2 {
		return
	}

	cyclic := g.closes()
	at := func(j, i int) vector {
		if cyclic {
			i = (i + nx) % nx
		}
		// Beyond a border, places continue as they do in front of it.
		cj := max(0, min(j, ny-1))
		ci := max(0, min(i, nx-1))
		p := vectorOf(g.lat[cj*nx+ci], g.lon[cj*nx+ci])
		if cj != j || ci != i {
			q := vectorOf(g.lat[(2*cj-j)*nx+2*ci-i], g.lon[(2*cj-j)*nx+2*ci-i])
			p = p.times(2).minus(q)
		}
		return p
	}

	g.corners = 4
	g.cornerLat = make([]float64, 4*len(g.lat))
	g.cornerLon = make([]float64, 4*len(g.lat))
	for j := range ny + 1 {
		for i := range nx + 1 {
			sum := at(j-1, i-1).plus(at(j-1, i)).plus(at(j, i-1)).plus(at(j, i))
			lat, lon := sum.degrees()
			for k, cell := range [4][2]int{{j, i}, {j, i - 1}, {j - 1, i - 1}, {j - 1, i}} {
				if cell[0] < 0 || cell[0] >= ny || cell[1] < 0 || cell[1] >= nx {
					continue
				}
				n := 4*(cell[0]*nx+cell[1]) + k
				g.cornerLat[n] = lat
				g.cornerLon[n] = lon
			}
		}
	}
}

// closes reports whether the columns of a curvilinear grid run around the globe, so that the last
// one is next to the first.
func (g *Grid) closes() bool {
	nx := g.width
	ny := len(g.lat) / nx
	if nx < 3 {
		return false
	}

	near := 0
	for j := range ny {
		at := func(i int) vector { return vectorOf(g.lat[j*nx+i], g.lon[j*nx+i]) }
		gap := at(0).minus(at(nx - 1)).length()
		step := max(at(0).minus(at(1)).length(), at(nx-2).minus(at(nx-1)).length())
		if gap < 1.5*step && gap > 0.1*step {
			near++
		}
	}
	return near > ny/2
}
