package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
)

// A growth4 is a NetCDF-4 file to which is appended.
type growth4 struct {
	a    *hdf5.Appender
	file *File
	keys map[*Variable]string // of the datasets of variables with an unlimited dimension
	ends map[*Variable]int64  // of the items along it
}

func grow4(ctx context.Context, a *hdf5.Appender) (*growth4, error) {
	f, err := OfHDF5(ctx, a.File())
	if err != nil {
		return nil, err
	}

	g := &growth4{a: a, file: f, keys: map[*Variable]string{}, ends: map[*Variable]int64{}}
	for _, key := range f.keys {
		v, ok := f.nodes[key].(*Variable)
		if !ok {
			continue
		}
		i := g.axis(v)
		if i < 0 {
			continue
		}
		d := v.Dataset(ctx)
		if d == nil {
			return nil, fmt.Errorf("variable %q, which has the unlimited dimension %q, cannot be read: %w", key,
				v.Dimensions[i].Name, cairn.ErrUnsupported)
		}
		g.keys[v] = d.Key()
		g.ends[v] = v.Dimensions[i].Len
	}

	if len(g.keys) == 0 {
		return nil, unsupported("no variable has an unlimited dimension; cairn concat joins to a new file")
	}
	return g, nil
}

// axis returns the number of the first unlimited dimension of a variable, or -1.
func (g *growth4) axis(v *Variable) int {
	return slices.IndexFunc(v.Dimensions, func(d *Dimension) bool { return d.Unlimited })
}

func (g *growth4) appendRows(ctx context.Context, key string, src ndarray.Source, o *CreateOptions) error {
	v, ok := g.file.nodes[key].(*Variable)
	if !ok {
		return cairn.ErrNotFound
	}
	dataset, ok := g.keys[v]
	if !ok {
		return unsupported("it has no unlimited dimension")
	}
	i := g.axis(v)
	shape := src.Shape()
	if i >= len(shape) {
		return fmt.Errorf("items of shape %v for a variable of shape %v: %w", shape, v.Shape(), cairn.ErrBounds)
	}

	rows := *v
	rows.Dimensions = slices.Clone(v.Dimensions)
	rows.Dimensions[i] = &Dimension{Name: v.Dimensions[i].Name, Len: shape[i]}
	in, err := inputOf(&rows, src, false)
	if err != nil {
		return err
	}
	whole := v.Shape()
	whole[i] = g.ends[v]
	if err := g.a.Extend(ctx, dataset, whole); err != nil {
		return err
	}
	if err := g.a.AppendRows(ctx, dataset, i, &encoded{input: in, v: &rows}); err != nil {
		return err
	}
	g.ends[v] += shape[i]
	return nil
}

// commit gives all variables of a dimension its length, and the dimension itself.
func (g *growth4) commit(ctx context.Context) error {
	grown := map[*Dimension]int64{}
	for v, end := range g.ends {
		d := v.Dimensions[g.axis(v)]
		if end > d.Len {
			grown[d] = max(grown[d], end)
		}
	}
	for d, n := range grown {
		d.Len = n
		err := g.a.Extend(ctx, path.Join(d.group.Key(), d.Name), ndarray.Shape{n})
		if errors.Is(err, cairn.ErrNotFound) {
			err = unsupported("dimension %q has no scale in the file; package hdf5 appends to its datasets", d.Name)
		}
		if err != nil {
			return err
		}
	}

	for v, key := range g.keys {
		if !slices.ContainsFunc(v.Dimensions, func(d *Dimension) bool { return grown[d] > 0 }) {
			continue
		}
		g.ends[v] = v.Dimensions[g.axis(v)].Len
		if err := g.a.Extend(ctx, key, v.Shape()); err != nil {
			return err
		}
	}
	return g.a.Commit(ctx)
}

func (g *growth4) close() error { return g.a.Abort() }
