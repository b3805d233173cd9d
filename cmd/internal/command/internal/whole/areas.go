package whole

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// EarthRadius is the radius in metres of the sphere on which areas of cells are computed: that of
// CDO's gridarea.
const EarthRadius = 6371000

// mostCells is the maximum number of cells of which areas are computed.
const mostCells = 1 << 26

// areas returns the areas of the cells of an array in m²: those that its cell_measures name, or
// those between the bounds of its latitudes and longitudes. Coordinates of one dimension that have
// no bounds have them halfway between, and at the poles if they are beyond 88 degrees. Corners are
// connected by great circles, as CDO's gridarea does. It returns nil for an array without
// latitudes.
func areas(ctx context.Context, a *coords.Array, find coords.Lookup) (ndarray.Source, error) {
	if name := cf.Areas(a.Attributes); name != "" {
		src, err := valuesNear(ctx, find, name)
		if src != nil || err != nil {
			return src, err
		}
	}

	lat, lon, err := horizontals(ctx, a, find)
	if err != nil || lat.src == nil {
		return nil, err
	}
	if len(lat.dims) > 1 || lon.src != nil && slices.Equal(lat.dims, lon.dims) {
		return polygons(ctx, &lat, &lon, find)
	}

	rows, err := lat.edges(ctx, find, true)
	if err != nil {
		return nil, err
	}
	columns := []float64{0, 360}
	shape := ndarray.Shape{int64(len(lat.of))}
	if lon.src != nil {
		if columns, err = lon.edges(ctx, find, false); err != nil {
			return nil, err
		}
		shape = append(shape, int64(len(lon.of)))
	}
	if len(rows)*len(columns) > 4*mostCells {
		return nil, fmt.Errorf("areas of %v cells, %d are possible: %w", shape, mostCells, cairn.ErrLimit)
	}

	var all []float64
	for y := 0; y < len(rows); y += 2 {
		for x := 0; x < len(columns); x += 2 {
			all = append(all, EarthRadius*EarthRadius*rectangle(rows[y:][:2], columns[x:][:2]))
		}
	}
	return weightsOf(all, shape, slices.Concat(lat.dims, lon.dims))
}

// rectangle returns the area between two latitudes and two longitudes on a sphere of radius 1. Its
// corners are connected by great circles, as CDO has it; in cells as wide as a quarter of the
// globe, for which CDO has something else, by parallels.
func rectangle(lat, lon []float64) float64 {
	south := max(-90, min(90, lat[0]))
	north := max(-90, min(90, lat[1]))
	if width := math.Abs(lon[1] - lon[0]); width >= 90 {
		return math.Abs(math.Sin(north*math.Pi/180)-math.Sin(south*math.Pi/180)) * width * math.Pi / 180
	}
	return polygon([]float64{south, south, north, north}, []float64{lon[0], lon[1], lon[1], lon[0]})
}

// bounds returns the bounds of coordinates, so many for each, or nil if there are none.
func (h *horizontal) bounds(ctx context.Context, find coords.Lookup) (all []float64, each int64, err error) {
	l, err := ndarray.LabelsOf(h.src)
	if err != nil {
		return nil, 0, err
	}
	name := cf.Text(l.Attributes, "bounds")
	if name == "" {
		return nil, 0, nil
	}
	src, err := valuesNear(ctx, find, name)
	if src == nil || err != nil {
		return nil, 0, err
	}

	shape := src.Shape()
	last := len(shape) - 1
	if last < 0 || !slices.Equal(shape[:last], h.src.Shape()) {
		return nil, 0, nil
	}
	all, err = floatsOf(ctx, src)
	return all, shape[last], err
}

// edges returns two bounds for each of some coordinates of one dimension.
func (h *horizontal) edges(ctx context.Context, find coords.Lookup, poles bool) ([]float64, error) {
	if len(h.src.Shape()) != 1 {
		return nil, fmt.Errorf("areas of cells at coordinates of shape %v and others: %w", h.src.Shape(), cairn.ErrUnsupported)
	}
	all, each, err := h.bounds(ctx, find)
	if err != nil || each == 2 {
		return all, err
	}

	n := len(h.of)
	if n == 1 && poles {
		return []float64{-90, 90}, nil
	}
	if n == 1 {
		return []float64{0, 360}, nil
	}
	for i, v := range h.of {
		before := v - (h.of[min(1, n-1)]-h.of[0])/2
		after := v + (h.of[n-1]-h.of[max(0, n-2)])/2
		if i > 0 {
			before = (h.of[i-1] + v) / 2
		}
		if i < n-1 {
			after = (h.of[i+1] + v) / 2
		}
		all = append(all, before, after)
	}
	if poles {
		toPole(&all[0])
		toPole(&all[2*n-1])
	}
	return all, nil
}

// toPole moves the edge of an outer row that is near a pole to it, as CDO does: Gaussian grids
// would leave a gap there.
func toPole(edge *float64) {
	if math.Abs(*edge) > 88 {
		*edge = math.Copysign(90, *edge)
	}
}

// polygons returns the areas between the corners of cells, along great circles.
func polygons(ctx context.Context, lat, lon *horizontal, find coords.Lookup) (ndarray.Source, error) {
	if lon.src == nil || !slices.Equal(lat.dims, lon.dims) {
		return nil, fmt.Errorf("areas of cells at latitudes with the dimensions %q and longitudes with others: %w", lat.dims,
			cairn.ErrUnsupported)
	}
	rows, corners, err := lat.bounds(ctx, find)
	if err != nil {
		return nil, err
	}
	columns, same, err := lon.bounds(ctx, find)
	if err != nil {
		return nil, err
	}
	if corners < 3 || same != corners {
		return nil, fmt.Errorf("areas of cells whose latitudes and longitudes have no corners as bounds; "+
			"give weights by the name of an array: %w", cairn.ErrUnsupported)
	}

	all := make([]float64, len(lat.of))
	for i := range all {
		from := i * int(corners)
		all[i] = EarthRadius * EarthRadius * polygon(rows[from:][:corners], columns[from:][:corners])
	}
	return weightsOf(all, lat.src.Shape(), lat.dims)
}

// polygon returns the area on a sphere of radius 1 between corners, which great circles connect:
// the areas between these and the equator, with signs.
func polygon(lat, lon []float64) float64 {
	const radians = math.Pi / 180
	area := 0.0
	for i := range lat {
		k := (i + 1) % len(lat)
		width := math.Remainder(lon[k]-lon[i], 360) * radians
		a := math.Tan(lat[i] * radians / 2)
		b := math.Tan(lat[k] * radians / 2)
		area += 2 * math.Atan2(math.Tan(width/2)*(a+b), 1+a*b)
	}
	area = math.Abs(area)
	if math.IsNaN(area) {
		return 0
	}
	return min(area, 4*math.Pi-area)
}
