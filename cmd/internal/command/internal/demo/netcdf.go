package demo

import (
	"context"
	"math"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/field"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// packedFactor is the scale_factor of the temperatures of monthly.nc, and packedMissing the
// _FillValue.
const (
	packedFactor  = float32(0.01)
	packedMissing = int16(-1 << 15)
)

// A grid is the dimensions of a file, and the attributes of their coordinates.
type grid struct {
	time, lat, lon *netcdf.Dimension
	since          time.Time
}

func gridOf(times, lats, lons int, since time.Time) *grid {
	return &grid{
		time:  &netcdf.Dimension{Name: "time", Len: int64(times), Unlimited: true},
		lat:   &netcdf.Dimension{Name: "lat", Len: int64(lats)},
		lon:   &netcdf.Dimension{Name: "lon", Len: int64(lons)},
		since: since,
	}
}

// group returns what a file has: coordinates, and other variables.
func (g *grid) group(title string, others ...*netcdf.Variable) *netcdf.Group {
	return &netcdf.Group{
		Dimensions: []*netcdf.Dimension{g.time, g.lat, g.lon},
		Attributes: []netcdf.Attribute{{Name: "Conventions", Value: "CF-1.11"}, {Name: "title", Value: title}},
		Variables: append([]*netcdf.Variable{
			variable("lat", "float", g.lat)("standard_name", "latitude", "long_name", "Latitude", "units", "degrees_north"),
			variable("lon", "float", g.lon)("standard_name", "longitude", "long_name", "Longitude", "units", "degrees_east"),
			variable("time", "int", g.time)("standard_name", "time",
				"units", "days since "+g.since.Format(time.DateOnly), "calendar", "proleptic_gregorian"),
		}, others...),
	}
}

// variable returns a function that takes names and values of attributes in turn, and returns the
// variable that has them.
func variable(name, kind string, dims ...*netcdf.Dimension) func(attributes ...any) *netcdf.Variable {
	return func(attributes ...any) *netcdf.Variable {
		v := &netcdf.Variable{Name: name, Type: netcdf.TypeNamed(kind), Dimensions: dims}
		for i := 0; i < len(attributes); i += 2 {
			v.Attributes = append(v.Attributes, netcdf.Attribute{Name: attributes[i].(string), Value: attributes[i+1]})
		}
		return v
	}
}

// fill writes the variables of a file, in their order, and closes the writer.
func fill(ctx context.Context, w *netcdf.Writer, root *netcdf.Group, all map[string]ndarray.Source) error {
	for _, v := range root.Variables {
		if err := w.Put(ctx, v.Name, all[v.Name]); err != nil {
			_ = w.Abort()
			return err
		}
	}
	return w.Close()
}

// writeNetCDF writes monthly.nc: the means of months as packed records of a file with 64-bit
// offsets.
func (d *demo) writeNetCDF(ctx context.Context) error {
	months := len(d.monthly.begins)
	g := gridOf(months, lats, lons, firstDay)
	root := g.group("Monthly temperature of an invented planet",
		variable("temperature", "short", g.time, g.lat, g.lon)("long_name", "Mean temperature at 2 m", "units", "degC",
			"scale_factor", packedFactor, "_FillValue", packedMissing))

	packed := make([]int16, 0, months*lats*lons)
	for _, v := range d.monthly.means() {
		packed = append(packed, int16(math.Round(float64(v)/float64(packedFactor))))
	}

	w, err := netcdf.Create(d.netCDFPath(), root, &netcdf.CreateOptions{Format: netcdf.Offset64, Overwrite: d.Overwrite})
	if err != nil {
		return err
	}
	return fill(ctx, w, root, map[string]ndarray.Source{
		"lat":         ndarray.Items(latitudes(), ndarray.Shape{lats}),
		"lon":         ndarray.Items(longitudes(), ndarray.Shape{lons}),
		"time":        ndarray.Items(d.monthly.begins, ndarray.Shape{int64(months)}),
		"temperature": ndarray.Items(packed, ndarray.Shape{int64(months), lats, lons}),
	})
}

// The grid of daily.nc has cells of four degrees, and begins two years before the array.
const (
	wideLats = lats / 4
	wideLons = lons / 4
	before   = 731
)

func (d *demo) dailyPath() string { return filepath.Join(d.Dir, "daily.nc") }

// writeDaily writes daily.nc: four years of temperature and rain, the height above the sea, and the
// regions, on a wider grid.
func (d *demo) writeDaily(ctx context.Context) error {
	first := 0
	if d.Days >= Days {
		first = -before
	}
	days := d.Days - first

	g := gridOf(days, wideLats, wideLons, firstDay.AddDate(0, 0, first))
	root := g.group("Daily weather of an invented planet",
		variable("tas", "float", g.time, g.lat, g.lon)("standard_name", "air_temperature",
			"long_name", "Temperature at 2 m", "units", "degC", "cell_methods", "time: mean"),
		variable("pr", "float", g.time, g.lat, g.lon)("standard_name", "lwe_precipitation_rate",
			"long_name", "Precipitation", "units", "mm day-1", "cell_methods", "time: mean"),
		variable("elevation", "float", g.lat, g.lon)("standard_name", "surface_altitude",
			"long_name", "Height above the sea", "units", "km"),
		variable("region", "byte", g.lat, g.lon)("long_name", "Region", "flag_values", []int8{0, 1, 2, 3},
			"flag_meanings", "sea tropics temperate polar"))

	planet := field.New(wideLats, wideLons, seed)
	tas, err := d.daysOf(ctx, planet.Fill, first, days)
	if err != nil {
		return err
	}
	pr, err := d.daysOf(ctx, planet.Rain, first, days)
	if err != nil {
		return err
	}
	all := map[string]ndarray.Source{
		"elevation": ndarray.Items(planet.Elevation(), ndarray.Shape{wideLats, wideLons}),
		"region":    ndarray.Items(regions(planet.Elevation()), ndarray.Shape{wideLats, wideLons}),
		"tas":       tas,
		"pr":        pr,
	}

	var steps []int32
	for i := range days {
		steps = append(steps, int32(i))
	}
	all["time"] = ndarray.Items(steps, ndarray.Shape{int64(days)})

	every4 := func(values []float32) []float32 {
		var wide []float32
		for i := 0; i < len(values); i += 4 {
			wide = append(wide, (values[i]+values[i+3])/2)
		}
		return wide
	}
	all["lat"] = ndarray.Items(every4(latitudes()), ndarray.Shape{wideLats})
	all["lon"] = ndarray.Items(every4(longitudes()), ndarray.Shape{wideLons})

	deflated := func(_ string, v *netcdf.Variable) *hdf5.DatasetOptions {
		if len(v.Dimensions) < 3 {
			return nil
		}
		return &hdf5.DatasetOptions{Chunks: ndarray.Shape{int64(min(days, 244)), wideLats, wideLons},
			Filters: []filter.Filter{{ID: filter.Shuffle}, {ID: filter.Deflate}}}
	}
	w, err := netcdf.Create(d.dailyPath(), root, &netcdf.CreateOptions{Dataset: deflated, Overwrite: d.Overwrite, Workers: d.Workers})
	if err != nil {
		return err
	}
	return fill(ctx, w, root, all)
}

// daysOf returns the values of days on the grid of daily.nc.
func (d *demo) daysOf(ctx context.Context, put func(dst []float32, day int), first, days int) (ndarray.Source, error) {
	const cells = wideLats * wideLons
	values := make([]float32, days*cells)
	err := parallel.For(ctx, d.Workers, days, func(_, i int) error {
		put(values[i*cells:][:cells], first+i)
		return nil
	})
	return ndarray.Items(values, ndarray.Shape{int64(days), wideLats, wideLons}), err
}

// regions returns numbers of regions: the sea, and land by latitude.
func regions(elevation []float32) []int8 {
	numbers := make([]int8, len(elevation))
	for i, height := range elevation {
		lat := 88 - 4*(i/wideLons)
		switch {
		case height < 0:
			numbers[i] = 0
		case lat > -24 && lat < 24:
			numbers[i] = 1
		case lat > -66 && lat < 66:
			numbers[i] = 2
		default:
			numbers[i] = 3
		}
	}
	return numbers
}
