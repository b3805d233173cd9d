package coords

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A located is an array of latitudes or longitudes of cells: one that is near an array and has some
// of its dimensions, cut as that is, and is not that of a dimension.
type located struct {
	name  string
	axis  cf.Axis // Y or X
	src   ndarray.Labelled
	dims  []string
	whole ndarray.Shape // of the dimensions, before cuts
	scale float64       // of degrees
}

// wordOf returns the axis that words of selections stand for, or 0.
func wordOf(name string) cf.Axis {
	switch strings.ToLower(name) {
	case "lat", "latitude":
		return cf.Y
	case "lon", "longitude":
		return cf.X
	}
	return 0
}

// usual are names that models give to latitudes and longitudes of cells, which are looked for where
// attributes name none.
var usual = map[cf.Axis][]string{
	cf.Y: {"lat", "latitude", "nav_lat", "XLAT", "lat_rho"},
	cf.X: {"lon", "longitude", "nav_lon", "XLONG", "lon_rho"},
}

// Knows reports whether a term of a selection may have a name: that of a dimension, or of latitudes
// or longitudes of the cells.
func (a *Array) Knows(ctx context.Context, name string) bool {
	i, c := a.axisOrCells(ctx, name)
	return i >= 0 || c != nil
}

// axisOrCells returns the number of the dimension that a name of a term stands for, or -1 and the
// coordinates of cells that it stands for, or nil. Longitudes of cells come before those of a
// rotated pole.
func (a *Array) axisOrCells(ctx context.Context, name string) (int, *located) {
	if i := slices.IndexFunc(a.Axes, func(x *Axis) bool { return x.Name == name }); i >= 0 || name == "" {
		return i, nil
	}

	i := a.AxisNamed(ctx, name)
	if i >= 0 && a.Axes[i].isNamed(name) {
		return i, nil
	}
	if c := a.cellsNamed(ctx, name, wordOf(name)); c != nil {
		return -1, c
	}
	return i, nil
}

// isNamed reports whether a name that stands for an axis is more than a word for another coordinate
// of it, as lon is for longitudes of a rotated pole.
func (x *Axis) isNamed(name string) bool {
	word := wordOf(name)
	return word == 0 || x.Name == name || x.coordinates.latLon == word
}

// cellsNamed returns the latitudes or longitudes of cells with a name, or those that a word stands
// for; nil if there are none.
func (a *Array) cellsNamed(ctx context.Context, name string, word cf.Axis) *located {
	names := []string{name}
	if word != 0 {
		for _, r := range cf.References(a.Attributes) {
			if r.Role == cf.Coordinate {
				names = append(names, r.Name)
			}
		}
		names = append(names, a.ofMesh(ctx)...)
		names = append(names, usual[word]...)
	}

	for _, n := range names {
		if slices.ContainsFunc(a.Axes, func(x *Axis) bool { return x.Name == n }) {
			continue
		}
		c := a.locatedBy(ctx, n)
		if c != nil && (c.axis == word || word == 0) {
			return c
		}
	}
	return nil
}

// ofMesh returns the names of the coordinates of the places of a mesh that the items are of.
func (a *Array) ofMesh(ctx context.Context) []string {
	name := cf.Text(a.Attributes, "mesh")
	if name == "" || a.lookup == nil {
		return nil
	}
	src, err := a.lookup(ctx, name)
	if src == nil || err != nil {
		return nil
	}
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil
	}
	return strings.Fields(cf.Text(l.Attributes, cf.Text(a.Attributes, "location")+"_coordinates"))
}

// locatedBy returns the array with a name, if it has latitudes or longitudes of cells; or nil.
func (a *Array) locatedBy(ctx context.Context, name string) *located {
	src, err := a.beside(ctx, name)
	if src == nil || err != nil || len(src.Shape()) == 0 {
		return nil
	}
	l, err := src.Labels()
	if err != nil {
		return nil
	}

	c := &located{name: name, src: src, dims: l.Dims, scale: 1, axis: latLonOf(name, src.DType(), l.Attributes)}
	if c.axis == 0 {
		return nil
	}
	if strings.HasPrefix(cf.Text(l.Attributes, "units"), "rad") {
		c.scale = 180 / math.Pi
	}
	for _, dim := range c.dims {
		c.whole = append(c.whole, a.axisOf(dim).whole)
	}
	return c
}

// latLonOf returns Y for latitudes and X for longitudes, by their names if their attributes do not
// tell; or 0.
func latLonOf(name string, d meta.DType, attributes meta.Map) cf.Axis {
	if axis := cf.LatLon(d, attributes); axis != 0 {
		return axis
	}
	if m := cf.Of(d, attributes); m.StandardName == "" && m.Unit == "" {
		return wordOf(name)
	}
	return 0
}

// Bounds returns the two bounds of each coordinate of an axis that nothing has been cut of, or nil.
func (x *Axis) Bounds(ctx context.Context) ([]float64, error) {
	c := x.coordinates
	if have, err := x.HasCoordinates(ctx); err != nil || !have || c.lookup == nil || len(x.cuts) > 0 {
		return nil, err
	}
	l, err := c.view.Labels()
	name := cf.Text(l.Attributes, "bounds")
	if err != nil || name == "" {
		return nil, err
	}

	src, err := c.lookup(ctx, name)
	if src == nil || err != nil {
		return nil, nil // they are missing, as info says
	}
	if shape := src.Shape(); len(shape) != 2 || shape[0] != x.Len || shape[1] != 2 {
		return nil, nil
	}
	v, err := values.Of(ndarray.ViewOf(src), nil)
	if err != nil {
		return nil, err
	}
	return (&located{name: name, src: v, scale: 1}).floats(ctx)
}

// A dimension is one of a file: arrays of groups may have others with the same name.
type dimension struct {
	name string
	n    int64
}

// Places are what terms of a selection take along the dimensions of cells, by their latitudes and
// longitudes: the same for all arrays of a file that have the dimensions.
type Places struct {
	along map[dimension]extent
	done  []string        // grids that have been looked at
	names map[string]bool // of terms

	// West has the least longitude of those that are turned around the globe, by the names of their
	// arrays.
	West map[string]float64
}

// Add finds the places of the cells of an array, of one that has some.
func (p *Places) Add(ctx context.Context, a *Array, s Selection) error {
	var grids []*quest
	for _, t := range s.terms {
		if t.by == '[' || t.at != nil {
			continue
		}
		_, c := a.axisOrCells(ctx, t.name)
		if c == nil {
			continue
		}

		if p.names == nil {
			*p = Places{along: map[dimension]extent{}, names: map[string]bool{}, West: map[string]float64{}}
		}
		p.names[t.name] = true

		q := &quest{}
		if i := slices.IndexFunc(grids, func(g *quest) bool { return g.on(c) }); i >= 0 {
			q = grids[i]
		} else {
			grids = append(grids, q)
		}
		if err := q.add(t, c); err != nil {
			return fmt.Errorf("selection %q: %w", t.text(), err)
		}
	}

	for _, q := range grids {
		if slices.Contains(p.done, q.key()) {
			continue
		}
		p.done = append(p.done, q.key())
		if err := p.take(ctx, q); err != nil {
			return fmt.Errorf("selection %q: %w", s.text, err)
		}
	}
	return nil
}

// take finds the places of a grid.
func (p *Places) take(ctx context.Context, q *quest) error {
	extents, err := q.find(ctx)
	if err != nil {
		return err
	}

	c := q.any()
	for i, e := range extents {
		if e.all {
			continue
		}
		dim := dimension{c.dims[i], c.whole[i]}
		before, have := p.along[dim]
		if have {
			if e, err = before.with(e); err != nil {
				return fmt.Errorf("%s of %s: %w", dim.name, c.name, err)
			}
		}
		p.along[dim] = e
	}

	if q.turned {
		p.West[q.lon.name] = q.west
	}
	return nil
}

// Of returns a selection of an array with indexes in the place of terms of latitudes and longitudes
// of cells, and the names of those terms if the array has cells that they are about.
func (p *Places) Of(ctx context.Context, a *Array, s Selection) (Selection, []string) {
	if p.names == nil {
		return s, nil
	}

	var taken []term
	for _, x := range a.Axes {
		if e, have := p.along[dimension{x.Name, x.whole}]; have && x.Name != "" {
			at := e.selector()
			taken = append(taken, term{name: x.Name, by: '[', what: "…", at: &at})
		}
	}

	var names []string
	terms := []term{}
	for _, t := range s.terms {
		i, c := a.axisOrCells(ctx, t.name)
		about := p.names[t.name] && (c != nil || i < 0 || !a.Axes[i].isNamed(t.name))
		switch {
		case about && taken != nil:
			names = append(names, t.name)
		case !about || c != nil:
			terms = append(terms, t)
		}
	}
	s.terms = append(terms, taken...)
	return s, names
}

// An extent is what is taken along a dimension.
type extent struct {
	all         bool
	start, stop int64
	list        []int64 // or nil
	point       bool    // the dimension goes
}

func (e extent) selector() ndarray.Selector {
	switch {
	case e.point:
		return ndarray.Index(e.start)
	case e.list != nil:
		return ndarray.Indices(e.list)
	}
	return ndarray.Range(e.start, e.stop)
}

// with returns what holds two extents, which grids have that share a dimension, such as those of
// winds on the edges of cells. Of points it is the first.
func (e extent) with(o extent) (extent, error) {
	switch {
	case e.point || slices.Equal(e.list, o.list) && e.list != nil:
		return e, nil
	case e.list != nil || o.list != nil || o.point:
		return e, fmt.Errorf("grids that share the dimension are cut at different places; select by index: %w",
			cairn.ErrUnsupported)
	}
	e.start = min(e.start, o.start)
	e.stop = max(e.stop, o.stop)
	return e, nil
}
