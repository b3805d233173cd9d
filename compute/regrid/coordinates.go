package regrid

import (
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Coordinate is an array of latitudes or longitudes, or of bounds of these.
type Coordinate struct {
	Name  string
	Array ndarray.Labelled
}

// Coordinates returns the coordinates of a grid as CF has them: latitudes, longitudes, and their
// bounds if they are known.
func (g *Grid) Coordinates() ([]Coordinate, error) {
	c := &coordinateMaker{g: g}
	c.add(g.latName, "latitude", "degrees_north", "Y", g.lat, 0)
	c.add(g.lonName, "longitude", "degrees_east", "X", g.lon, 1)

	switch {
	case g.kind == rectilinear:
		c.bounds(g.latName+"_bnds", g.rows, g.dims[:1], 2)
		c.bounds(g.lonName+"_bnds", g.columns, g.dims[1:], 2)
	case g.cornerLat != nil:
		c.bounds(g.latName+"_bnds", g.cornerLat, g.dims, g.corners)
		c.bounds(g.lonName+"_bnds", g.cornerLon, g.dims, g.corners)
	}
	return c.all, c.err
}

// Auxiliary returns the attribute coordinates that arrays on the grid need to find their latitudes
// and longitudes, or "".
func (g *Grid) Auxiliary() string {
	if g.kind == rectilinear {
		return ""
	}
	return g.latName + " " + g.lonName
}

// A coordinateMaker makes arrays until one fails.
type coordinateMaker struct {
	g   *Grid
	all []Coordinate
	err error
}

// add adds the centres. axis is the one of a rectilinear grid.
func (c *coordinateMaker) add(name, standard, units, axis string, values []float64, dim int) {
	attributes := meta.Map{{Key: "standard_name", Value: standard}, {Key: "units", Value: units}}
	dims := c.g.dims
	shape := c.g.Shape()
	if c.g.kind == rectilinear {
		attributes = append(attributes, meta.Pair{Key: "axis", Value: axis})
		dims = dims[dim : dim+1]
		shape = shape[dim : dim+1]
	}
	if c.g.hasCells() {
		attributes = append(attributes, meta.Pair{Key: "bounds", Value: name + "_bnds"})
	}
	c.array(name, values, shape, dims, attributes)
}

func (c *coordinateMaker) bounds(name string, values []float64, dims []string, corners int) {
	shape := ndarray.Shape{}
	grid := c.g.Shape()
	for _, dim := range dims {
		for i, own := range c.g.dims {
			if own == dim {
				shape = append(shape, grid[i])
			}
		}
	}
	last := "nv"
	if corners == 2 {
		last = "bnds"
	}
	c.array(name, values, append(shape, int64(corners)), append(append([]string{}, dims...), last), nil)
}

func (c *coordinateMaker) array(name string, values []float64, shape ndarray.Shape, dims []string, attributes meta.Map) {
	if c.err != nil {
		return
	}
	a, err := ndarray.FromSlice(values, shape, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes})
	}
	c.err = err
	c.all = append(c.all, Coordinate{name, a})
}
