package command

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// A fileAppender appends to variables of a file of another format.
type fileAppender interface {
	append(ctx context.Context, key string, axis int, src ndarray.Source) error
	Close() error
	Abort() error
}

type netcdfAppender struct{ *netcdf.Appender }

// append leaves the axis to the format: it is the unlimited one.
func (a netcdfAppender) append(ctx context.Context, key string, _ int, src ndarray.Source) error {
	return a.AppendRows(ctx, key, src)
}

type hdf5Appender struct{ *hdf5.Appender }

func (a hdf5Appender) append(ctx context.Context, key string, axis int, src ndarray.Source) error {
	return a.AppendRows(ctx, key, axis, src)
}

// intoFile appends to a NetCDF or HDF5 file: to the variable of a key, with the coordinates of the
// dimension, or without a key to all that have the unlimited dimension. It reports false for other
// files.
func (a *appender) intoFile(ctx context.Context) (done bool, err error) {
	p := a.to.Place
	if p.Far() || p.Kind == place.Standard {
		return false, nil
	}
	f, other := a.std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true})
	if other != nil {
		return false, nil // what opens it says what is wrong
	}
	defer f.Close()
	if name := f.Format.Name; name != "netcdf" && name != "netcdf3" && name != "hdf5" {
		return false, nil
	}

	if err := checkWorkers(a.workers); err != nil {
		return true, err
	}
	keys, err := a.variables(ctx, f)
	if err != nil {
		return true, err
	}

	to, err := a.openFile(f.Format.Name)
	if err != nil {
		return true, err
	}
	for _, key := range keys {
		if err := a.toVariable(ctx, to, key, len(keys) > 1); err != nil {
			return true, errors.Join(err, to.Abort())
		}
	}
	return true, to.Close()
}

// openFile opens a file of a format to append to it.
func (a *appender) openFile(format string) (fileAppender, error) {
	if format == "hdf5" {
		to, err := hdf5.Append(a.to.Name, &hdf5.AppendOptions{Workers: a.workers})
		return hdf5Appender{to}, err
	}
	to, err := netcdf.Append(a.to.Name, &netcdf.AppendOptions{Workers: a.workers})
	return netcdfAppender{to}, err
}

// variables returns the keys of what is appended to.
func (a *appender) variables(ctx context.Context, f *operand.Opened) ([]string, error) {
	if a.to.Keyed {
		return []string{a.to.Key}, nil
	}
	if f.Format.Name == "hdf5" {
		if _, err := f.Array(ctx); err != nil {
			return nil, err // that names the datasets
		}
		return []string{f.Own()}, nil
	}

	n, err := netcdf.Open(a.to.Name, nil)
	if err != nil {
		return nil, err
	}
	defer n.Close()

	var keys []string
	var visit func(g *netcdf.Group)
	visit = func(g *netcdf.Group) {
		for _, v := range g.Variables {
			if slices.ContainsFunc(v.Dimensions, func(d *netcdf.Dimension) bool { return d.Unlimited }) {
				keys = append(keys, v.Key())
			}
		}
		for _, inner := range g.Groups {
			visit(inner)
		}
	}

	visit(n.Root())
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no unlimited dimension; cairn concat joins to a new file: %w", a.to, cairn.ErrUnsupported)
	}
	return keys, nil
}

// toVariable appends the inputs to a variable: those of its key, if several are appended to, and
// otherwise with the coordinates of the dimension.
func (a *appender) toVariable(ctx context.Context, to fileAppender, key string, several bool) error {
	p := a.to.Place
	p.Key = key
	p.Keyed = true
	target, err := a.std.openSource(ctx, p, "append", inAnyOrder(a.workers))
	if err != nil {
		return err
	}
	defer target.Close()

	one := *a
	if several {
		one.in = slices.Clone(a.in)
		for i := range one.in {
			if !one.in[i].Keyed {
				one.in[i].Key = key
				one.in[i].Keyed = true
			}
		}
	}
	more, err := one.prepare(ctx, target.src, target.Sibling)
	if err != nil {
		return err
	}
	defer more.close()

	for i, src := range more.Parts {
		if more.Same[i] {
			src = more.raw[i]
		}
		if err := to.append(ctx, key, more.axis, src); err != nil {
			return err
		}
	}
	if several || len(more.Coordinates) == 0 {
		return nil
	}
	return a.toCoordinates(ctx, to, target, key, &more.Coordinates[0])
}

// toCoordinates appends to the coordinates of the dimension of a variable.
func (a *appender) toCoordinates(ctx context.Context, to fileAppender, target *openedSource, key string,
	c *joins.Coordinate) error {
	var at string
	_, err := coords.Near("/"+path.Clean(key), func(ctx context.Context, near string) (ndarray.Source, error) {
		src, err := target.Near(ctx, near)
		if err == nil && src != nil && len(src.Shape()) == 1 {
			at = near
		}
		return src, err
	})(ctx, c.Name)
	if err != nil || at == "" || path.Clean("/"+at) == path.Clean("/"+key) {
		return err
	}
	return to.append(ctx, at, 0, c.Source)
}
