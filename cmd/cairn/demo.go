package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/cmd/cairn/internal/field"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// The demo's array: two years of days on a grid of one degree.
const (
	demoDays  = 730
	demoLats  = 180
	demoLons  = 360
	demoSeed  = 7
	demoSlab  = 32 // days that are generated, stored and read at a time; also the days in a chunk
	demoLevel = 5
)

// demoBegin is the date of day 0.
var demoBegin = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

func demoVerb(set *flag.FlagSet) action {
	out := set.String("out", "", "write the files to `DIR`; a new temporary directory by default")
	days := set.Int("days", demoDays, "generate `N` days; 730, two years, by default")
	workers := set.Int("workers", 0, workersUsage)
	force := set.Bool("force", false, forceUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands); err != nil {
			return err
		}
		if *days < 1 || *days > 1<<16 {
			return usagef("-days is %d, must be 1 to %d", *days, 1<<16)
		}
		if err := checkWorkers(*workers); err != nil {
			return err
		}
		d := &demo{print: func(text string) error { return std.print(ctx, text) }, workers: parallel.Workers(*workers), days: *days, force: *force}
		return d.run(ctx, std, *out)
	}
}

// demo is one run of the demonstration.
type demo struct {
	print   func(text string) error
	workers int
	days    int
	force   bool

	dir      string
	field    *field.Field
	scratch  []field.Scratch // one per worker
	sum      uint32          // checksum of all values, in order
	series   []float32       // what was stored for one place, day by day
	stations []float32       // the same of all stations
	monthly  monthly
	writeErr error // first error of printing
}

// place is the grid cell whose history the demo follows: 48° N, 110° W.
const placeRow, placeCol = 42, 70

func (d *demo) run(ctx context.Context, std *streams, dir string) error {
	if err := d.makeDir(dir); err != nil {
		return err
	}
	d.scratch = make([]field.Scratch, d.workers)
	d.field = field.New(demoLats, demoLons, demoSeed)
	bar := std.newBar("generating and storing", 2*d.size())
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
	if err := d.compare(ctx); err != nil {
		return err
	}
	if err := d.draw(ctx); err != nil {
		return err
	}
	if err := d.writeOthers(ctx); err != nil {
		return err
	}
	d.printf("\nTry: cairn info %s\n", d.arrayPath())
	return d.writeErr
}

func (d *demo) makeDir(dir string) (err error) {
	if dir == "" {
		d.dir, err = os.MkdirTemp("", "cairn-demo-")
		return err
	}
	d.dir = dir
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, path := range []string{d.arrayPath(), d.mapPath(), d.monthlyPath(), d.stationsPath()} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !d.force {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
	}
	return nil
}

func (d *demo) arrayPath() string { return filepath.Join(d.dir, "temperature.b2nd") }
func (d *demo) mapPath() string   { return filepath.Join(d.dir, "temperature.png") }

// size returns the bytes of the whole array.
func (d *demo) size() int64 { return int64(d.days) * demoLats * demoLons * 4 }

// printf prints to standard output, and keeps its first error in writeErr.
func (d *demo) printf(format string, args ...any) {
	if err := d.print(fmt.Sprintf(format, args...)); err != nil && d.writeErr == nil {
		d.writeErr = err
	}
}

// makeUp generates the values of some days, in slab if that is large enough.
func (d *demo) makeUp(ctx context.Context, slab []float32, from, to int) ([]float32, error) {
	const cells = demoLats * demoLons
	if n := (to - from) * cells; cap(slab) < n {
		slab = make([]float32, n)
	} else {
		slab = slab[:n]
	}
	err := parallel.For(ctx, d.workers, to-from, func(worker, i int) error {
		d.field.Fill(slab[i*cells:(i+1)*cells], from+i, &d.scratch[worker])
		return nil
	})
	return slab, err
}

// slabs calls do for one slab of days after the other.
func (d *demo) slabs(do func(from, to int) error) error {
	for from := 0; from < d.days; from += demoSlab {
		if err := do(from, min(from+demoSlab, d.days)); err != nil {
			return err
		}
	}
	return nil
}

// store generates the array and writes it, slab by slab. It returns the report to print.
func (d *demo) store(ctx context.Context, bar *progress.Bar) (string, error) {
	o := &ndarray.Options{
		ChunkShape: ndarray.Shape{demoSlab, 60, 120}, BlockShape: ndarray.Shape{8, 30, 60},
		Codec: codecs.Zstd, Level: demoLevel, Workers: d.workers, Overwrite: d.force,
	}
	a, err := ndarray.Create[float32](d.arrayPath(), ndarray.Shape{int64(d.days), demoLats, demoLons}, o)
	if err != nil {
		return "", err
	}
	var making, storing time.Duration
	var slab []float32
	err = d.slabs(func(from, to int) (err error) {
		begin := time.Now()
		if slab, err = d.makeUp(ctx, slab, from, to); err != nil {
			return err
		}
		making += time.Since(begin)
		bar.Add(int64(4 * len(slab)))
		d.remember(slab, from)
		begin = time.Now()
		err = a.WriteBox(ctx, slab, []int64{int64(from), 0, 0}, []int64{int64(to), demoLats, demoLons})
		storing += time.Since(begin)
		bar.Add(int64(4 * len(slab)))
		return err
	})
	begin := time.Now()
	if err == nil {
		err = a.SetLabels(demoLabels())
	}
	if err == nil {
		err = a.Commit(ctx)
	}
	if err != nil {
		a.Abort()
		return "", err
	}
	if err := a.Close(); err != nil {
		return "", err
	}
	storing += time.Since(begin)
	return d.storeReport(o, making, storing)
}

// demoLabels describe the array.
func demoLabels() ndarray.Labels {
	return ndarray.Labels{Dims: []string{"time", "lat", "lon"}, Attributes: meta.Map{
		{Key: "long_name", Value: "Temperature at 2 m"},
		{Key: "units", Value: "degC"},
		{Key: "comment", Value: "An invented planet: days since " + demoBegin.Format(time.DateOnly) +
			", 89.5 to -89.5 degrees north, -179.5 to 179.5 degrees east"},
	}}
}

// remember keeps the checksum, the series and the means of a slab that is about to be stored.
func (d *demo) remember(slab []float32, from int) {
	const cells = demoLats * demoLons
	d.sum = addSum(d.sum, slab)
	for i := 0; i < len(slab)/cells; i++ {
		day := slab[i*cells : (i+1)*cells]
		d.series = append(d.series, day[placeRow*demoLons+placeCol])
		for _, s := range demoStations {
			d.stations = append(d.stations, day[s.row*demoLons+s.col])
		}
		d.monthly.add(from+i, day)
	}
}
