package regrid

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
)

// mostDescription bounds the bytes of a description.
const mostDescription = 1 << 28

// A description is what a text says about a grid: words by keys.
type description map[string][]string

// Parse returns the grid that a text describes in CDO's format, such as
//
//	gridtype = lonlat
//	xsize    = 36
//	ysize    = 18
//	xfirst   = 5
//	xinc     = 10
//	yfirst   = -85
//	yinc     = 10
//
// Types are lonlat, gaussian, curvilinear and unstructured. Keys that say nothing about where cells
// are, such as those of projections, are of no consequence.
func Parse(text string) (*Grid, error) {
	if len(text) > mostDescription {
		return nil, fmt.Errorf("a description has more than %d bytes: %w", mostDescription, cairn.ErrLimit)
	}

	d := description{}
	key := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		left, right, found := strings.Cut(line, "=")
		if found {
			key = strings.ToLower(strings.TrimSpace(left))
			d[key] = nil
			line = right
		}
		words := strings.Fields(line)
		if key == "" && len(words) > 0 {
			return nil, fmt.Errorf("%q: a description of a grid has lines such as gridtype = lonlat: %w",
				words[0][:min(len(words[0]), 20)], cairn.ErrInvalid)
		}
		d[key] = append(d[key], words...)
	}

	g, err := d.grid()
	if err != nil {
		return nil, fmt.Errorf("description of a grid: %w", err)
	}
	return g, nil
}

func (d description) grid() (*Grid, error) {
	nx, err := d.integer("xsize")
	if err != nil {
		return nil, err
	}
	ny, err := d.integer("ysize")
	if err != nil {
		return nil, err
	}
	size, err := d.integer("gridsize")
	if err != nil {
		return nil, err
	}
	if nx > mostCells || ny > mostCells || size > mostCells || nx*ny > mostCells {
		return nil, fmt.Errorf("more than %d cells: %w", mostCells, cairn.ErrLimit)
	}

	switch what := strings.Join(d["gridtype"], " "); what {
	case "lonlat", "latlon", "gaussian", "regular", "":
		return d.rectilinear(nx, ny)
	case "curvilinear":
		return d.cells(nx*ny, nx)
	case "unstructured", "cell":
		return d.cells(max(nx, size), 0)
	default:
		return nil, fmt.Errorf("gridtype %q, must be lonlat, gaussian, curvilinear or unstructured: %w", what, cairn.ErrUnsupported)
	}
}

// rectilinear returns a grid of rows and columns.
func (d description) rectilinear(nx, ny int64) (*Grid, error) {
	lon, err := d.axis("x", nx)
	if err != nil {
		return nil, err
	}
	if len(d["numlpe"]) > 0 && ny == 0 {
		n, err := d.integer("numlpe")
		if err != nil {
			return nil, err
		}
		ny = 2 * n
	}

	gauss := strings.Join(d["gridtype"], " ") == "gaussian"
	var lat []float64
	if gauss && len(d["yvals"]) == 0 && len(d["yfirst"]) == 0 {
		if ny < 2 || ny > 2*mostGaussian || ny%2 != 0 {
			return nil, fmt.Errorf("ysize is %d, must be even, and 2 to %d: %w", ny, 2*mostGaussian, cairn.ErrInvalid)
		}
		lat = gaussian(int(ny))
	} else if lat, err = d.axis("y", ny); err != nil {
		return nil, err
	}

	columns, err := d.bounds("x", len(lon), 2)
	if err != nil {
		return nil, err
	}
	rows, err := d.bounds("y", len(lat), 2)
	if err != nil {
		return nil, err
	}

	g, err := newRectilinear(lat, lon, rows, columns)
	if err == nil {
		d.name(g)
	}
	return g, err
}

// name gives a grid the names of its coordinates.
func (d description) name(g *Grid) {
	text := func(key, or string) string {
		name := strings.Trim(strings.Join(d[key], " "), `"`)
		if name == "" || strings.ContainsAny(name, `/ "`) || len(name) > 256 {
			return or
		}
		return name
	}
	g.latName = text("yname", g.latName)
	g.lonName = text("xname", g.lonName)
	if g.kind == rectilinear && g.latName != g.lonName {
		g.dims = []string{g.latName, g.lonName}
	}
}

// cells returns a grid of n cells with coordinates of their own.
func (d description) cells(n, width int64) (*Grid, error) {
	lon, err := d.numbers("xvals", n, d.radians("x"))
	if err != nil {
		return nil, err
	}
	lat, err := d.numbers("yvals", n, d.radians("y"))
	if err != nil {
		return nil, err
	}

	corners, err := d.integer("nvertex")
	if err != nil {
		return nil, err
	}
	if corners == 0 {
		corners = 4
	}
	if corners > mostCorners {
		return nil, fmt.Errorf("nvertex is %d, must be at most %d: %w", corners, mostCorners, cairn.ErrLimit)
	}
	cornerLon, err := d.bounds("x", len(lon), int(corners))
	if err != nil {
		return nil, err
	}
	cornerLat, err := d.bounds("y", len(lat), int(corners))
	if err != nil {
		return nil, err
	}

	g, err := newCells(lat, lon, int(width), cornerLat, cornerLon)
	if err == nil {
		d.name(g)
	}
	return g, err
}

// axis returns coordinates by their first and their distance, or all of them. n is 0 if their
// number is not said.
func (d description) axis(of string, n int64) ([]float64, error) {
	if len(d[of+"first"]) > 0 || len(d[of+"inc"]) > 0 {
		first, err := d.number(of + "first")
		if err != nil {
			return nil, err
		}
		step, err := d.number(of + "inc")
		if err != nil {
			return nil, err
		}
		return spaced(first, step, n), nil
	}
	if len(d[of+"vals"]) == 0 && of == "x" && n > 0 {
		return spaced(0, 360/float64(n), n), nil
	}
	return d.numbers(of+"vals", n, d.radians(of))
}

// bounds returns those of n cells, or nil if there are none.
func (d description) bounds(of string, n, corners int) ([]float64, error) {
	if len(d[of+"bounds"]) == 0 {
		return nil, nil
	}
	return d.numbers(of+"bounds", int64(n)*int64(corners), d.radians(of))
}

// radians reports whether coordinates are in radians.
func (d description) radians(of string) bool {
	return strings.HasPrefix(strings.Trim(strings.Join(d[of+"units"], " "), `"`), "rad")
}

// integer returns the number of a key, or 0 if there is none.
func (d description) integer(key string) (int64, error) {
	if len(d[key]) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseInt(d[key][0], 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s = %q, must be a whole number: %w", key, d[key][0], cairn.ErrInvalid)
	}
	return n, nil
}

func (d description) number(key string) (float64, error) {
	all, err := d.numbers(key, 1, false)
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// numbers returns the n numbers of a key; all of them if n is 0.
func (d description) numbers(key string, n int64, radians bool) ([]float64, error) {
	words := d[key]
	if len(words) == 0 || n > 0 && int64(len(words)) != n {
		return nil, fmt.Errorf("%s has %d numbers, want %d: %w", key, len(words), n, cairn.ErrInvalid)
	}
	all := make([]float64, len(words))
	for i, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) {
			return nil, fmt.Errorf("%s: %q is no number: %w", key, word[:min(len(word), 20)], cairn.ErrInvalid)
		}
		all[i] = v
	}
	if radians {
		inDegrees(all)
	}
	return slices.Clip(all), nil
}

// inDegrees makes degrees of radians. What rounding puts near a multiple of 90 degrees is one.
func inDegrees(values []float64) {
	for i, v := range values {
		v /= radian
		if near := math.Round(v/90) * 90; math.Abs(v-near) < 1e-12 {
			v = near
		}
		values[i] = v
	}
}
