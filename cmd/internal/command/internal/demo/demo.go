// Package demo makes the daily temperatures of an invented planet, and shows with them what arrays
// can do.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/field"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Days is the usual number of days, two years, and MostDays the largest.
const (
	Days     = 730
	MostDays = 1 << 16
)

// The array has values on a grid of one degree.
const (
	lats     = 180
	lons     = 360
	seed     = 7
	slabDays = 32 // days that are generated, stored and read at a time; also the days in a chunk
	level    = 5
)

// firstDay is the date of day 0.
var firstDay = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

// Options say what Run makes, and where.
type Options struct {
	Dir       string // a new temporary directory if it is ""
	Days      int    // from 1 to MostDays
	Workers   int
	Overwrite bool // replace the files of an earlier run

	Print func(text string) error                       // prints the report, part by part
	Bar   func(label string, total int64) *progress.Bar // shows progress
}

// Run generates an array, stores it, reads it back, compares it with what was stored, draws a map,
// and writes files of other formats. It returns the first error, which may be that of printing.
func Run(ctx context.Context, o *Options) error {
	return (&demo{Options: *o}).run(ctx)
}

// demo is one run of the demonstration.
type demo struct {
	Options

	field    *field.Field
	sum      uint32    // checksum of all values, in order
	series   []float32 // what was stored for one place, day by day
	stations []float32 // the same of all stations
	monthly  monthly
	writeErr error // first error of printing
}

// place is the grid cell whose history the demo follows: 48° N, 110° W.
const placeRow, placeCol = 42, 70

func (d *demo) run(ctx context.Context) error {
	if err := d.makeDir(); err != nil {
		return err
	}

	d.field = field.New(lats, lons, seed)
	bar := d.Bar("generating and storing", 2*d.size())
	defer bar.Close()
	report, err := d.store(ctx, bar)
	if err != nil {
		return err
	}

	bar.Close()
	d.printf("%s", report)
	if err := d.readBack(ctx); err != nil {
		return err
	}

	// Store the first days with several settings, in memory.
	days := min(slabDays, d.Days)
	values, err := d.generate(ctx, nil, 0, days)
	if err != nil {
		return err
	}
	d.printf("\nThe first %d days (%s) with other settings\n", days, progress.Size(int64(4*len(values))))
	d.printf("  %-7s  %5s  %-21s  %5s  %11s  %11s\n", "codec", "level", "filters", "ratio", "store", "read")
	for _, s := range settings() {
		if err := d.measure(ctx, s, values, days); err != nil {
			return err
		}
	}
	if err := d.draw(ctx); err != nil {
		return err
	}

	// Write the means of months, with coordinates, as a Zarr store and as a NetCDF file, days on a
	// wider grid, and the stations.
	if err := d.writeMonthly(ctx); err != nil {
		return err
	}

	if err := d.writeNetCDF(ctx); err != nil {
		return err
	}
	if err := d.writeDaily(ctx); err != nil {
		return err
	}
	if err := d.writeStations(ctx); err != nil {
		return err
	}

	d.printf("\nBeside it, to try other formats\n"+
		"  %s  means of months, with coordinates\n  %s    the same as packed records\n"+
		"  %s      four years of temperature and rain, on a wider grid\n"+
		"  %s  the series of %d places\n",
		d.monthlyPath(), d.netCDFPath(), d.dailyPath(), d.stationsPath(), len(stations))

	d.printf("\nTry: cairn info %s\n", d.arrayPath())
	return d.writeErr
}

func (d *demo) makeDir() (err error) {
	if d.Dir == "" {
		d.Dir, err = os.MkdirTemp("", "cairn-demo-")
		return err
	}
	if err := os.MkdirAll(d.Dir, 0o777); err != nil {
		return err
	}
	for _, path := range []string{d.arrayPath(), d.mapPath(), d.monthlyPath(), d.netCDFPath(), d.dailyPath(),
		d.stationsPath()} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !d.Overwrite {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
	}
	return nil
}

func (d *demo) arrayPath() string { return filepath.Join(d.Dir, "temperature.b2nd") }
func (d *demo) mapPath() string   { return filepath.Join(d.Dir, "temperature.png") }

// size returns the bytes of the whole array.
func (d *demo) size() int64 { return int64(d.Days) * lats * lons * 4 }

// printf prints to standard output, and keeps its first error in writeErr.
func (d *demo) printf(format string, args ...any) {
	if err := d.Print(fmt.Sprintf(format, args...)); err != nil && d.writeErr == nil {
		d.writeErr = err
	}
}

// generate generates the values of some days, in slab if that is large enough.
func (d *demo) generate(ctx context.Context, slab []float32, from, to int) ([]float32, error) {
	const cells = lats * lons
	if n := (to - from) * cells; cap(slab) < n {
		slab = make([]float32, n)
	} else {
		slab = slab[:n]
	}
	err := parallel.For(ctx, d.Workers, to-from, func(_, i int) error {
		d.field.Fill(slab[i*cells:(i+1)*cells], from+i)
		return nil
	})
	return slab, err
}

// slabs calls do for one slab of days after the other.
func (d *demo) slabs(do func(from, to int) error) error {
	for from := 0; from < d.Days; from += slabDays {
		if err := do(from, min(from+slabDays, d.Days)); err != nil {
			return err
		}
	}
	return nil
}

// store generates the array and writes it, slab by slab. It returns the report to print.
func (d *demo) store(ctx context.Context, bar *progress.Bar) (string, error) {
	o := &ndarray.Options{
		ChunkShape: ndarray.Shape{slabDays, 60, 120}, BlockShape: ndarray.Shape{8, 30, 60},
		Codec: codecs.Zstd, Level: level, Workers: d.Workers, Overwrite: d.Overwrite,
	}
	a, err := ndarray.Create[float32](d.arrayPath(), ndarray.Shape{int64(d.Days), lats, lons}, o)
	if err != nil {
		return "", err
	}

	// Generating and storing alternate, so that a slab is all that memory holds.
	var making, storing time.Duration
	var slab []float32
	err = d.slabs(func(from, to int) (err error) {
		begin := time.Now()
		if slab, err = d.generate(ctx, slab, from, to); err != nil {
			return err
		}
		making += time.Since(begin)
		bar.Add(int64(4 * len(slab)))
		d.record(slab, from)

		begin = time.Now()
		err = a.WriteBox(ctx, slab, []int64{int64(from), 0, 0}, []int64{int64(to), lats, lons})
		storing += time.Since(begin)
		bar.Add(int64(4 * len(slab)))
		return err
	})

	if err != nil {
		a.Abort()
		return "", err
	}

	begin := time.Now()
	if err := a.SetLabels(labels()); err != nil {
		a.Abort()
		return "", err
	}
	if err := a.Commit(ctx); err != nil {
		a.Abort()
		return "", err
	}
	if err := a.Close(); err != nil {
		return "", err
	}

	storing += time.Since(begin)

	// Describe the stored array.
	info, err := os.Stat(d.arrayPath())
	if err != nil {
		return "", err
	}

	return fmt.Sprintf(`Daily temperatures of an invented planet
  array       %d days × %d latitudes × %d longitudes of float32, %s
  chunks      %s, blocks %s, %v level %d after shuffle
  generated   in %s
  stored      in %s  (%s)
  file        %s
              %s, ratio %.2f
`, d.Days, lats, lons, progress.Size(d.size()), item.Shape(o.ChunkShape), item.Shape(o.BlockShape), o.Codec, level,
		seconds(making), seconds(storing), rate(d.size(), storing), d.arrayPath(), progress.Size(info.Size()),
		float64(d.size())/float64(info.Size())), nil
}

// labels describe the array.
func labels() ndarray.Labels {
	return ndarray.Labels{Dims: []string{"time", "lat", "lon"}, Attributes: meta.Map{
		{Key: "long_name", Value: "Temperature at 2 m"},
		{Key: "units", Value: "degC"},
		{Key: "comment", Value: "An invented planet: days since " + firstDay.Format(time.DateOnly) +
			", 89.5 to -89.5 degrees north, -179.5 to 179.5 degrees east"},
	}}
}

// record keeps the checksum, the series and the means of a slab that is about to be stored.
func (d *demo) record(slab []float32, from int) {
	const cells = lats * lons
	d.sum = addSum(d.sum, slab)
	for i := 0; i < len(slab)/cells; i++ {
		day := slab[i*cells : (i+1)*cells]
		d.series = append(d.series, day[placeRow*lons+placeCol])
		for _, s := range stations {
			d.stations = append(d.stations, day[s.row*lons+s.col])
		}
		d.monthly.add(from+i, day)
	}
}
