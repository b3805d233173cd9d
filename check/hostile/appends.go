package main

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// zeros are items that are appended.
type zeros struct {
	shape ndarray.Shape
	dtype meta.DType
}

func (z *zeros) Shape() ndarray.Shape { return append(ndarray.Shape{}, z.shape...) }

func (z *zeros) DType() meta.DType { return z.dtype }

func (z *zeros) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (z *zeros) ReadBytes(_ context.Context, dst []byte, _, _ []int64) error {
	clear(dst)
	return nil
}

// rowsOf returns a row for an array along an axis, or false if it would be large.
func rowsOf(a ndarray.Source, axis int) (*zeros, bool) {
	shape := a.Shape()
	shape[axis] = 1
	_, ok := boxSize(make([]int64, len(shape)), shape, int64(a.DType().Size()), 1<<14)
	chunks, _ := a.Grid()
	_, small := boxSize(make([]int64, len(chunks)), chunks, int64(a.DType().Size()), 1<<16)
	return &zeros{shape, a.DType()}, ok && small
}

const appendedName = "in.nc"

// appended returns a file system that has the subject as a file, and what it may allocate: the file
// as it grows, twice while it does.
func (s *subject) appended() (storage.FS, func() uint64, error) {
	memory := storage.NewMemory()
	f, err := memory.Create(appendedName)
	if err != nil {
		return nil, nil, err
	}
	_, err = f.WriteAt(s.files[""], 0)
	cost := func() uint64 {
		info, err := memory.Stat(appendedName)
		if err != nil {
			return hdf5Asked
		}
		return 2*hdf5Asked + 8*uint64(info.Size)
	}
	return memory, cost, errors.Join(err, f.Close())
}

// appendHDF5 appends a row to some datasets that may grow.
func appendHDF5(_ *tester, s *subject) (uint64, error) {
	fsys, cost, err := s.appended()
	if err != nil {
		return 0, err
	}
	a, err := hdf5.Append(appendedName, &hdf5.AppendOptions{FS: fsys, Workers: 1, Limits: hdf5Limits, Memory: maxAlloc})
	if err != nil {
		return cost(), err
	}

	ctx := context.Background()
	var got first
	left := someLeaves
	for n, err := range ndarray.Walk(ctx, a.File(), "/") {
		if got.take(err); n.Kind != ndarray.ArrayNode || left == 0 {
			continue
		}
		d, err := a.File().Dataset(ctx, n.Key)
		if got.take(err); err != nil {
			continue
		}
		shape := d.Shape()
		axis := slices.IndexFunc(d.Info().MaxShape, func(n int64) bool { return n < 0 || n > 1<<8 })
		if axis < 0 || axis >= len(shape) {
			continue
		}

		left--
		if rows, ok := rowsOf(d, axis); ok {
			got.take(a.AppendRows(ctx, n.Key, axis, rows))
		}
		if left == someLeaves/2 {
			got.take(a.Commit(ctx))
		}
	}
	got.take(a.Close())
	return cost(), got.err
}

// appendNetCDF appends a row to some variables.
func appendNetCDF(_ *tester, s *subject) (uint64, error) {
	fsys, cost, err := s.appended()
	if err != nil {
		return 0, err
	}
	f, err := netcdf.Open(appendedName, &netcdf.OpenOptions{FS: fsys, Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return cost(), err
	}
	a, err := netcdf.Append(appendedName, &netcdf.AppendOptions{FS: fsys, Workers: 1, Limits: hdf5Limits, Memory: maxAlloc})
	if err != nil {
		return cost(), errors.Join(err, f.Close())
	}

	ctx := context.Background()
	var got first
	for _, v := range f.Root().Variables[:min(someLeaves, len(f.Root().Variables))] {
		if len(v.Dimensions) == 0 || !v.Dimensions[0].Unlimited || v.DType().Size() == 0 {
			continue
		}
		if rows, ok := rowsOf(v, 0); ok {
			got.take(a.AppendRows(ctx, v.Name, rows))
		}
	}
	got.take(a.Close())
	return cost(), errors.Join(got.err, f.Close())
}
