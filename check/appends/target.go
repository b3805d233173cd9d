package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// A target appends rows to all variables of a file.
type target struct {
	append func(n int64) error
	commit func() error
	close  func() error
}

// open opens a file to append to it: one of HDF5 that is not NetCDF by its name.
func open(fsys storage.FS, name string, rng *rand.Rand) (*target, error) {
	ctx := context.Background()
	if strings.HasSuffix(name, ".h5") {
		a, err := hdf5.Append(name, &hdf5.AppendOptions{FS: fsys})
		if err != nil {
			return nil, err
		}
		return &target{commit: func() error { return a.Commit(ctx) }, close: a.Abort, append: func(n int64) error {
			return eachGrowing(ctx, a.File(), func(d *hdf5.Dataset, axis int) error {
				return a.AppendRows(ctx, d.Key(), axis, rowsLike(d, axis, n, rng))
			})
		}}, nil
	}

	f, err := netcdf.Open(name, &netcdf.OpenOptions{FS: fsys})
	if err != nil {
		return nil, err
	}
	a, err := netcdf.Append(name, &netcdf.AppendOptions{FS: fsys})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &target{commit: func() error { return a.Commit(ctx) },
		close: func() error { return errors.Join(a.Abort(), f.Close()) }, append: func(n int64) error {
			for _, v := range f.Root().Variables {
				if len(v.Dimensions) == 0 || !v.Dimensions[0].Unlimited {
					continue
				}
				if err := a.AppendRows(ctx, v.Name, rowsLike(v, 0, n, rng)); err != nil {
					return err
				}
			}
			return nil
		}}, nil
}

// eachGrowing calls do for the datasets that may grow, with the first axis along which they may.
func eachGrowing(ctx context.Context, f *hdf5.File, do func(d *hdf5.Dataset, axis int) error) error {
	nodes, err := f.Children(ctx, "/")
	if err != nil {
		return err
	}
	for _, n := range nodes {
		d, err := f.Dataset(ctx, n.Key)
		if err != nil {
			return err
		}

		shape := d.Shape()
		for axis, most := range d.Info().MaxShape {
			if most < 0 || most > shape[axis] {
				if err := do(d, axis); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// A noise is random items.
type noise struct {
	shape ndarray.Shape
	dtype meta.DType
	rng   *rand.Rand
}

func rowsLike(src ndarray.Source, axis int, n int64, rng *rand.Rand) ndarray.Source {
	shape := src.Shape()
	shape[axis] = n
	return &noise{shape, src.DType(), rng}
}

func (s *noise) Shape() ndarray.Shape { return append(ndarray.Shape{}, s.shape...) }

func (s *noise) DType() meta.DType { return s.dtype }

func (s *noise) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (s *noise) ReadBytes(_ context.Context, dst []byte, _, _ []int64) error {
	for i := range dst {
		dst[i] = byte(s.rng.IntN(64)) // no signalling NaN
	}
	return nil
}
