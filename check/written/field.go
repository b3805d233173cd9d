package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// field writes a packed field over time, latitudes and longitudes, and compares what CDO makes of
// it with its values.
func (c *counts) field(dir string, k int) error {
	if k%5 != 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(c.Seed, uint64(k)+1<<40))
	path := filepath.Join(dir, fmt.Sprintf("field%d.nc", k))
	if c.one < 0 {
		defer os.Remove(path)
	}

	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: 1 + rng.Int64N(5)}
	lat := &netcdf.Dimension{Name: "lat", Len: 2 + rng.Int64N(5)}
	lon := &netcdf.Dimension{Name: "lon", Len: 2 + rng.Int64N(5)}
	text := func(name, value string) netcdf.Attribute { return netcdf.Attribute{Name: name, Value: value} }
	axis := func(d *netcdf.Dimension, units string) *netcdf.Variable {
		return &netcdf.Variable{Name: d.Name, Type: netcdf.TypeNamed("double"), Dimensions: []*netcdf.Dimension{d},
			Attributes: []netcdf.Attribute{text("units", units)}}
	}
	t2m := &netcdf.Variable{Name: "t2m", Type: netcdf.TypeNamed("short"), Dimensions: []*netcdf.Dimension{time, lat, lon},
		Attributes: []netcdf.Attribute{text("units", "K"), {Name: "scale_factor", Value: 0.25},
			{Name: "add_offset", Value: 100.0}, {Name: "_FillValue", Value: -999}}}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{lon, lat, time},
		Variables: []*netcdf.Variable{t2m, axis(time, "days since 2020-01-01"), axis(lat, "degrees_north"),
			axis(lon, "degrees_east")},
		Attributes: []netcdf.Attribute{text("Conventions", "CF-1.8")}}

	format := []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64, netcdf.NetCDF4}[rng.IntN(4)]
	w, err := netcdf.Create(path, root, &netcdf.CreateOptions{Format: format})
	if err != nil {
		return err
	}

	packed := make([]int16, time.Len*lat.Len*lon.Len)
	var want strings.Builder
	for i := range packed {
		packed[i] = int16(rng.IntN(1000) - 500)
		fmt.Fprintf(&want, "%.2f\n", float64(packed[i])*0.25+100)
	}
	coordinates := func(d *netcdf.Dimension, from, step float64) error {
		values := make([]float64, d.Len)
		for i := range values {
			values[i] = from + step*float64(i)
		}
		return w.Put(context.Background(), d.Name, ndarray.Items(values, ndarray.Shape{d.Len}))
	}
	err = errors.Join(w.Put(context.Background(), "t2m", ndarray.Items(packed, t2m.Shape())),
		coordinates(time, 0, 1), coordinates(lat, 10, 5), coordinates(lon, 0, 7.5))
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := w.Close(); err != nil {
		return err
	}

	out, ran, err := c.run("cdo", "-s", "-outputf,%.2f,1", path)
	lines := strings.Join(strings.Fields(string(bytes.TrimSpace(out))), "\n") + "\n"
	if err != nil || ran && lines != want.String() {
		return fmt.Errorf("cdo: %w: %.300s, want %.300s", err, lines, want.String())
	}
	if k%10 != 0 {
		return nil
	}
	return c.judgeField(path, format, packed, t2m.Shape())
}
