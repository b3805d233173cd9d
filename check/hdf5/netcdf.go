package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// A netcdfFile is a NetCDF file as netCDF4-python reads it.
type netcdfFile struct {
	Format string
	Groups map[string]struct {
		Dims       [][3]any // name, length, whether unlimited
		Attributes []attribute
	}
	Variables map[string]object
}

// netcdf compares a file with what netCDF4-python reads.
func (x *comparison) netcdf(items string) error {
	var answer json.RawMessage
	if err := x.peer.Call(map[string]any{"op": "netcdf", "path": x.path, "out": items}, &answer); err != nil {
		return err
	}

	var want netcdfFile
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		return err
	}

	var err error
	if x.items, err = os.Open(items); err != nil {
		return err
	}
	defer x.items.Close()

	f, err := netcdf.Open(x.path, &netcdf.OpenOptions{Workers: 1 + x.IntN(3)})
	if err != nil {
		return err
	}
	defer f.Close()

	keys := slices.Sorted(maps.Keys(want.Groups))
	keys = append(keys, slices.Collect(maps.Keys(want.Variables))...)
	slices.Sort(keys)
	got := []string{"/"}
	for n, err := range ndarray.Walk(context.Background(), f, "/") {
		if err != nil {
			return err
		}
		got = append(got, n.Key)
	}
	slices.Sort(got)
	if !slices.Equal(got, keys) {
		return fmt.Errorf("keys %q, want %q", got, keys)
	}

	x.Covered.add("NetCDF", want.Format)
	failed := x.netcdfGroup(f.Root(), &want)
	for key, o := range want.Variables {
		x.Objects++
		if err := x.netcdfVariable(f, key, &o); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", key, err))
		}
	}
	return failed
}

// netcdfGroup compares a group and those in it.
func (x *comparison) netcdfGroup(g *netcdf.Group, want *netcdfFile) error {
	w, ok := want.Groups[g.Key()]
	if !ok {
		return fmt.Errorf("group %q", g.Key())
	}
	x.Objects++
	var dims [][3]any
	for _, d := range g.Dimensions {
		dims = append(dims, [3]any{d.Name, json.Number(fmt.Sprint(d.Len)), d.Unlimited})
	}
	if !slices.Equal(dims, w.Dims) {
		return fmt.Errorf("dimensions of %q: %v, want %v", g.Key(), dims, w.Dims)
	}
	failed := x.netcdfAttributes(g.Attributes, w.Attributes)
	for _, in := range g.Groups {
		failed = errors.Join(failed, x.netcdfGroup(in, want))
	}
	return failed
}

func (x *comparison) netcdfAttributes(got []netcdf.Attribute, want []attribute) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d attributes, want %d", len(got), len(want))
	}
	for i, a := range got {
		x.Attributes++
		if a.Name != want[i].Name {
			return fmt.Errorf("attribute %q, want %q", a.Name, want[i].Name)
		}
		if want[i].Value == nil {
			continue // a compound
		}
		if err := sameValue(a.Value, want[i].Value); err != nil {
			return fmt.Errorf("attribute %q: %w", a.Name, err)
		}
	}
	return nil
}

func (x *comparison) netcdfVariable(f *netcdf.File, key string, o *object) error {
	ctx := context.Background()
	v, err := f.Variable(ctx, key)
	if o.Refused != "" {
		x.refuse("variable: "+o.Refused, err)
		if !errors.Is(err, cairn.ErrUnsupported) {
			return fmt.Errorf("%s: not refused: %v", o.Refused, err)
		}
		return nil
	}
	if err != nil {
		return err
	}

	var dims []string
	for _, d := range v.Dimensions {
		dims = append(dims, d.Name)
	}
	if !slices.Equal(v.Shape(), o.Shape) || !slices.Equal(dims, o.Dims) {
		return fmt.Errorf("shape %v of %q, want %v of %q", v.Shape(), dims, o.Shape, o.Dims)
	}
	if err := x.netcdfAttributes(v.Attributes, o.Attributes); err != nil {
		return err
	}
	x.Datasets++
	return x.whole(ctx, v, o.Columns, o.At, o.Size)
}
