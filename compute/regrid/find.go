package regrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
)

// A Lookup returns the array of a name that is near another one, such as in the same group of a
// file, or nil if there is none.
type Lookup func(ctx context.Context, name string) (ndarray.Source, error)

// ErrNone is the error for arrays without a horizontal grid.
var ErrNone = fmt.Errorf("there are no latitudes and longitudes: %w", cairn.ErrNotFound)

// Found is the grid of an array.
type Found struct {
	Axes       []int    // dimensions of the array: of rows and columns, or of cells
	Dims       []string // their names
	Lat, Lon   string   // names of the arrays of coordinates, or of a mesh
	lat, lon   ndarray.Source
	mesh, face string
	find       Lookup
}

// Find looks for the horizontal grid of an array, as CF and UGRID have it: coordinates of two
// dimensions that are latitudes and longitudes, or names of such arrays in the attribute
// coordinates, or a mesh whose faces the items are of. The error matches [ErrNone] if there is
// none.
func Find(ctx context.Context, src ndarray.Source, find Lookup) (*Found, error) {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}
	f := &Found{find: find}
	if name := cf.Text(l.Attributes, "mesh"); name != "" && cf.Text(l.Attributes, "location") == "face" {
		if done, err := f.onMesh(ctx, name, l.Dims); done || err != nil {
			return f, err
		}
	}

	// What the attribute names comes before coordinates of dimensions, which may be those of a
	// projection.
	names := append(strings.Fields(cf.Text(l.Attributes, "coordinates")), l.Dims...)
	for _, name := range names {
		if name == "" || f.lat != nil && f.lon != nil {
			continue
		}
		c, err := find(ctx, name)
		if err != nil || c == nil {
			if errors.Is(err, cairn.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		f.take(name, c, l.Dims)
	}

	if f.lat == nil || f.lon == nil {
		return nil, ErrNone
	}
	return f, f.setAxes(l.Dims)
}

// take takes an array if it has latitudes or longitudes.
func (f *Found) take(name string, c ndarray.Source, dims []string) {
	l, err := ndarray.LabelsOf(c)
	if err != nil || len(l.Dims) == 0 {
		return
	}
	for _, dim := range l.Dims {
		if !slices.Contains(dims, dim) {
			return
		}
	}

	switch axis := cf.LatLon(c.DType(), l.Attributes); {
	case f.lat == nil && axis == cf.Y:
		f.lat = c
		f.Lat = name
	case f.lon == nil && axis == cf.X:
		f.lon = c
		f.Lon = name
	}
}

// setAxes sets the dimensions of the grid.
func (f *Found) setAxes(dims []string) error {
	lat, err := ndarray.LabelsOf(f.lat)
	if err != nil {
		return err
	}
	lon, err := ndarray.LabelsOf(f.lon)
	if err != nil {
		return err
	}

	switch {
	case len(lat.Dims) == 1 && len(lon.Dims) == 1 && lat.Dims[0] != lon.Dims[0]:
		f.Dims = []string{lat.Dims[0], lon.Dims[0]}
	case len(lat.Dims) <= 2 && slices.Equal(lat.Dims, lon.Dims):
		f.Dims = lat.Dims
	default:
		return fmt.Errorf("%s has dimensions %v, and %s %v: %w", f.Lat, lat.Dims, f.Lon, lon.Dims, cairn.ErrUnsupported)
	}
	for _, dim := range f.Dims {
		f.Axes = append(f.Axes, slices.Index(dims, dim))
	}
	return nil
}

// Grid reads the grid. What it says about corners is not read if corners is false.
func (f *Found) Grid(ctx context.Context) (*Grid, error) {
	if f.mesh != "" {
		return f.meshGrid(ctx)
	}
	g, err := f.grid(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", f.Lat, f.Lon, err)
	}
	g.dims = f.Dims
	g.latName = f.Lat
	g.lonName = f.Lon
	if g.kind == rectilinear {
		g.latName = f.Dims[0]
		g.lonName = f.Dims[1]
	}
	return g, nil
}

func (f *Found) grid(ctx context.Context) (*Grid, error) {
	shape := f.lat.Shape()
	if len(f.Dims) == 2 && len(shape) == 1 {
		shape = append(shape, f.lon.Shape()...)
	}
	cells := int64(1)
	for _, n := range shape {
		if n > mostCells {
			return nil, tooMany(n)
		}
		cells *= n
	}
	if cells > mostCells || cells == 0 {
		return nil, tooMany(cells)
	}

	lat, latBounds, err := f.read(ctx, f.lat)
	if err != nil {
		return nil, err
	}
	lon, lonBounds, err := f.read(ctx, f.lon)
	if err != nil {
		return nil, err
	}

	if len(f.Dims) == 2 && len(f.lat.Shape()) == 1 {
		if len(latBounds) != 2*len(lat) {
			latBounds = nil
		}
		if len(lonBounds) != 2*len(lon) {
			lonBounds = nil
		}
		return newRectilinear(lat, lon, latBounds, lonBounds)
	}

	if len(latBounds) != len(lonBounds) || len(latBounds) < 3*len(lat) {
		latBounds = nil
		lonBounds = nil
	}
	width := 0
	if len(shape) == 2 {
		width = int(shape[1])
	}
	g, err := withoutMissing(lat, lon, latBounds, lonBounds, width)
	return g, err
}

// withoutMissing returns a grid of cells, of which those without coordinates are masked.
func withoutMissing(lat, lon, latBounds, lonBounds []float64, width int) (*Grid, error) {
	var masked []bool
	for i := range lat {
		if !math.IsNaN(lat[i]) && !math.IsNaN(lon[i]) {
			continue
		}
		if masked == nil {
			masked = make([]bool, len(lat))
		}
		masked[i] = true
		lat[i] = 0
		lon[i] = 0
	}

	corners := 0
	if len(lat) > 0 {
		corners = len(latBounds) / len(lat)
	}
	for k := range latBounds {
		if !math.IsNaN(latBounds[k]) && !math.IsNaN(lonBounds[k]) {
			continue
		}
		// Cells with fewer corners than others repeat one.
		first := k / corners * corners
		if k > first {
			latBounds[k] = latBounds[k-1]
			lonBounds[k] = lonBounds[k-1]
		} else {
			latBounds[k] = lat[k/corners]
			lonBounds[k] = lon[k/corners]
		}
	}

	if masked != nil && width > 0 && latBounds == nil {
		// There is no deriving corners from centres that are not there.
		g, err := newCells(lat, lon, 0, nil, nil)
		if err != nil {
			return nil, err
		}
		g.kind = curvilinear
		g.width = width
		g.masked = masked
		return g, nil
	}
	g, err := newCells(lat, lon, width, latBounds, lonBounds)
	if err == nil {
		g.masked = masked
	}
	return g, err
}

// read reads coordinates and their bounds, in degrees. There may be no bounds.
func (f *Found) read(ctx context.Context, src ndarray.Source) (centres, bounds []float64, err error) {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, nil, err
	}
	unit := cf.Text(l.Attributes, "units")
	if centres, err = readFloats(ctx, src, unit); err != nil {
		return nil, nil, err
	}

	name := cf.Text(l.Attributes, "bounds")
	if name == "" || f.find == nil {
		return centres, nil, nil
	}
	b, err := f.find(ctx, name)
	if b == nil || errors.Is(err, cairn.ErrNotFound) {
		return centres, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	of := len(src.Shape())
	shape := b.Shape()
	if len(shape) != of+1 || !slices.Equal(shape[:of], src.Shape()) || shape[of] > mostCorners {
		return centres, nil, nil
	}
	own, err := ndarray.LabelsOf(b)
	if err != nil {
		return nil, nil, err
	}
	if text := cf.Text(own.Attributes, "units"); text != "" {
		unit = text
	}
	bounds, err = readFloats(ctx, b, unit)
	return centres, bounds, err
}

// readAtOnce is how many bytes of an array are read at once, unless a row has more.
const readAtOnce = 4 << 20

// read returns the items of an array. It takes memory for what there is, however many items a file
// that ends too early says it has.
func read(ctx context.Context, src ndarray.Source) ([]byte, error) {
	shape := src.Shape()
	row := int64(src.DType().Size())
	for _, n := range shape[min(1, len(shape)):] {
		row *= n
	}
	if len(shape) == 0 || row == 0 || shape[0] <= readAtOnce/row {
		return ndarray.ViewOf(src).Read(ctx)
	}

	var all []byte
	step := max(1, readAtOnce/row)
	for at := int64(0); at < shape[0]; at += step {
		part, err := ndarray.ViewOf(src).Read(ctx, ndarray.Range(at, min(at+step, shape[0])))
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// readFloats reads an array of degrees or radians, as degrees.
func readFloats(ctx context.Context, src ndarray.Source, unit string) ([]float64, error) {
	n := int64(1)
	for _, length := range src.Shape() {
		n *= length
		if n > mostGridBytes/8 {
			return nil, fmt.Errorf("more than %d bytes of coordinates: %w", int64(mostGridBytes), cairn.ErrLimit)
		}
	}

	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}
	v, err := values.Of(&relabelled{src, l}, nil)
	if err != nil {
		return nil, err
	}
	convert, err := govalue.FloatsOf(v.DType())
	if err != nil || v.DType().IsStruct() {
		return nil, fmt.Errorf("items of dtype %s are no coordinates: %w", src.DType(), cairn.ErrType)
	}
	raw, err := read(ctx, v)
	if err != nil {
		return nil, err
	}

	all := make([]float64, n)
	convert.Convert(all, raw)
	if strings.HasPrefix(unit, "rad") {
		inDegrees(all)
	}
	for i, x := range all {
		if math.Abs(x) > 1e20 { // a fill value that no attribute tells of
			all[i] = math.NaN()
		}
	}
	return all, nil
}
