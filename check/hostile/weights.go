package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/compute/regrid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// weightSeeds returns small files of weights in each form.
func weightSeeds(string) (seeds []*seedFile, err error) {
	dir, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	from, err := regrid.Named("r6x4")
	if err != nil {
		return nil, err
	}
	to, err := regrid.Named("r4x2")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	for _, form := range []regrid.Form{regrid.SCRIPForm, regrid.ESMFForm} {
		for _, m := range regrid.Methods() {
			w, err := regrid.New(ctx, from, to, m, nil)
			if err != nil {
				return nil, err
			}
			path := filepath.Join(dir, fmt.Sprintf("weights-%s-%s.nc", form, m))
			if err := w.Write(ctx, path, form, nil); err != nil {
				return nil, err
			}
		}
	}
	return seedsLike(filepath.Join(dir, "*.nc"), as(netcdfs))
}

// mostApplied bounds the cells of grids between which weights are applied.
const mostApplied = 1 << 10

// readWeights reads weights, and applies those of small grids.
func readWeights(_ *tester, s *subject) (uint64, error) {
	fsys, cost, err := s.appended()
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	w, err := regrid.Read(ctx, appendedName, &regrid.ReadOptions{
		OpenOptions: netcdf.OpenOptions{FS: fsys, Workers: 1, Limits: hdf5Limits}})
	if err != nil {
		return cost(), err
	}

	from := w.From()
	cells := int64(1)
	var axes []int
	for i, n := range slices.Concat(from, w.To()) {
		if cells *= max(1, n); cells > mostApplied {
			return cost(), nil
		}
		if i < len(from) {
			axes = append(axes, i)
		}
	}
	d, err := meta.ParseDType("<f4")
	if err != nil {
		return 0, err
	}
	out, err := w.Of(&zeros{from, d}, axes, nil)
	if err != nil {
		return cost(), err
	}
	_, err = ndarray.ViewOf(out).Read(ctx)
	return cost(), err
}

// readGrids reads the grids of files of SCRIP, and those of variables.
func readGrids(_ *tester, s *subject) (uint64, error) {
	b := s.files[""]
	f, err := netcdf.OpenReader(bytes.NewReader(b), int64(len(b)), &netcdf.OpenOptions{Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return hdf5Asked, err
	}
	ctx := context.Background()
	find := func(ctx context.Context, name string) (ndarray.Source, error) {
		for _, v := range f.Root().Variables {
			if v.Name == name {
				return v, nil
			}
		}
		return nil, nil
	}

	var got first
	_, err = regrid.SCRIP(ctx, find)
	got.take(err)
	for _, v := range f.Root().Variables[:min(someLeaves, len(f.Root().Variables))] {
		found, err := regrid.Find(ctx, v, find)
		if got.take(err); err == nil {
			_, err = found.Grid(ctx)
			got.take(err)
		}
	}
	return 2*hdf5Asked + 64*uint64(len(b)), errors.Join(got.err, f.Close())
}
