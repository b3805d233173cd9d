package demo

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/zarr"
)

// stations are the places of stations.npz, as rows and columns of the grid.
var stations = [...]struct {
	name     string
	row, col int
}{
	{"Northcape", 18, 120}, {"Aldmoor", 35, 250}, {"Westhaven", placeRow, placeCol}, {"Brindle", 48, 190},
	{"Saltmarsh", 61, 30}, {"Highfell", 70, 300}, {"Equator", 89, 180}, {"Lagoon", 97, 88},
	{"Dunes", 112, 215}, {"Southport", 126, 341}, {"Icewatch", 151, 10}, {"Pole", 179, 0},
}

// monthly collects means of months while the array is stored.
type monthly struct {
	begins []int32     // days since the first one
	days   []float64   // that were added, for each month
	sums   [][]float64 // of each month, a value per cell
}

// add adds a day.
func (m *monthly) add(day int, values []float32) {
	if last := len(m.begins) - 1; last < 0 || firstDay.AddDate(0, 0, day).Day() == 1 {
		m.begins = append(m.begins, int32(day))
		m.days = append(m.days, 0)
		m.sums = append(m.sums, make([]float64, len(values)))
	}
	last := len(m.begins) - 1
	m.days[last]++
	sums := m.sums[last]
	for i, v := range values {
		sums[i] += float64(v)
	}
}

// means returns the means of all months, in tenths of a degree as the array has them.
func (m *monthly) means() []float32 {
	var means []float32
	for i, sums := range m.sums {
		for _, sum := range sums {
			means = append(means, float32(sum/m.days[i]))
		}
	}
	return means
}

func (d *demo) monthlyPath() string  { return filepath.Join(d.Dir, "monthly.zarr") }
func (d *demo) netCDFPath() string   { return filepath.Join(d.Dir, "monthly.nc") }
func (d *demo) stationsPath() string { return filepath.Join(d.Dir, "stations.npz") }

// writeMonthly writes monthly.zarr.
func (d *demo) writeMonthly(ctx context.Context) error {
	w, err := zarr.Create(d.monthlyPath(), &zarr.SaveOptions{Overwrite: d.Overwrite, Workers: d.Workers})
	if err != nil {
		return err
	}
	months := int64(len(d.monthly.begins))
	grid := []string{"time", "lat", "lon"}
	err = w.Group("", meta.Map{{Key: "title", Value: "Monthly temperature of an invented planet"}})

	put := func(key string, src ndarray.Source, wrong error, dims []string, attributes ...string) {
		if err == nil {
			err = wrong
		}
		if err != nil {
			return
		}
		l := ndarray.Labels{Dims: dims}
		for i := 0; i < len(attributes); i += 2 {
			l.Attributes = append(l.Attributes, meta.Pair{Key: attributes[i], Value: attributes[i+1]})
		}
		err = w.Put(ctx, key, src, &zarr.SaveOptions{Labels: &l})
	}

	a, wrong := ndarray.FromSlice(d.monthly.means(), ndarray.Shape{months, lats, lons},
		&ndarray.Options{ChunkShape: ndarray.Shape{12, lats, lons}, BlockShape: ndarray.Shape{12, 60, 90}})
	put("temperature", a, wrong, grid, "long_name", "Mean temperature at 2 m", "units", "degC")

	elevation, wrong := ndarray.FromSlice(d.field.Elevation(), ndarray.Shape{lats, lons}, nil)
	put("elevation", elevation, wrong, grid[1:], "long_name", "Height above the sea", "units", "km")

	begins, wrong := ndarray.FromSlice(d.monthly.begins, ndarray.Shape{months}, nil)
	put("time", begins, wrong, grid[:1], "long_name", "First day of the month",
		"units", "days since "+firstDay.Format("2006-01-02"), "calendar", "proleptic_gregorian")
	lat, wrong := ndarray.FromSlice(latitudes(), ndarray.Shape{lats}, nil)
	put("lat", lat, wrong, grid[1:2], "long_name", "Latitude", "units", "degrees_north")
	lon, wrong := ndarray.FromSlice(longitudes(), ndarray.Shape{lons}, nil)
	put("lon", lon, wrong, grid[2:], "long_name", "Longitude", "units", "degrees_east")

	if err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// writeStations writes stations.npz.
func (d *demo) writeStations(ctx context.Context) error {
	n := int64(len(stations))
	names := make([]string, n)
	lat := make([]float32, n)
	lon := make([]float32, n)
	for i, s := range stations {
		names[i] = s.name
		lat[i] = latitudes()[s.row]
		lon[i] = longitudes()[s.col]
	}

	fill := func(put npy.PutFunc) error {
		for _, member := range []struct {
			name   string
			source func() (ndarray.Source, error)
		}{
			{"temperature", func() (ndarray.Source, error) {
				return ndarray.FromSlice(d.stations, ndarray.Shape{int64(d.Days), n}, nil)
			}},
			{"name", func() (ndarray.Source, error) { return ndarray.FromSlice(names, ndarray.Shape{n}, nil) }},
			{"lat", func() (ndarray.Source, error) { return ndarray.FromSlice(lat, ndarray.Shape{n}, nil) }},
			{"lon", func() (ndarray.Source, error) { return ndarray.FromSlice(lon, ndarray.Shape{n}, nil) }},
		} {
			src, err := member.source()
			if err != nil {
				return err
			}
			if err := put(member.name, src); err != nil {
				return err
			}
		}
		return nil
	}

	return npy.SaveArchive(ctx, d.stationsPath(), fill, &npy.SaveOptions{Overwrite: d.Overwrite})
}

// latitudes returns the latitude of each row.
func latitudes() []float32 {
	lat := make([]float32, lats)
	for i := range lat {
		lat[i] = 89.5 - float32(i)
	}
	return lat
}

// longitudes returns the longitude of each column.
func longitudes() []float32 {
	lon := make([]float32, lons)
	for i := range lon {
		lon[i] = float32(i) - 179.5
	}
	return lon
}

// mapDay returns the day that is drawn: 15 July 2023 if there are two years.
func (d *demo) mapDay() int { return d.Days * 560 / Days }

// draw reads one day and writes it as a map.
func (d *demo) draw(ctx context.Context) error {
	a, err := ndarray.OpenAs[float32](d.arrayPath(), &ndarray.OpenOptions{Workers: d.Workers})
	if err != nil {
		return err
	}
	defer a.Close()

	day := d.mapDay()
	values, err := a.Read(ctx, ndarray.Index(int64(day)))
	if err != nil {
		return err
	}

	m := mapOf(day, values, d.field.Elevation())
	f, err := outfile.Create(d.mapPath(), d.Overwrite)
	if err != nil {
		return err
	}
	if err := m.Draw().WritePNG(f); err != nil {
		f.Abort()
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	d.printf("\nMap of %s\n  %s\n", firstDay.AddDate(0, 0, day).Format("2 January 2006"), d.mapPath())
	return nil
}

// mapOf describes the map of one day.
func mapOf(day int, values, elevation []float32) *chart.Chart {
	colours, _ := chart.ColoursNamed("balance")

	return &chart.Chart{
		Title:    "Temperature at 2 m, " + firstDay.AddDate(0, 0, day).Format("2 January 2006"),
		Subtitle: fmt.Sprintf("An invented planet: [%d, :, :] of temperature.b2nd", day),
		Scale:    &chart.Scale{Axis: chart.Axis{Label: "°C", Low: -40, High: 40}, Colours: colours},
		Panels: []chart.Panel{{
			X: chart.Axis{Kind: chart.Longitudes, Low: -180, High: 180},
			Y: chart.Axis{Kind: chart.Latitudes, Low: -90, High: 90},
			Field: &chart.Field{
				Rows: lats, Columns: lons, Values: widened(values), Outline: widened(elevation),
				Smooth: true, Around: true,
			},
			Grid: true,
		}},
	}
}

func widened(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}
