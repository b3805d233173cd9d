package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// makeOurs writes what files of netCDF4-python and h5py have with cairn, beside them.
func makeOurs(names []string) error {
	for _, name := range names {
		dir, base := filepath.Split(name)
		to := filepath.Join(dir, "cairn-"+base)
		var err error
		switch {
		case strings.HasPrefix(base, "nc-"):
			err = copyNetCDF(name, to, formatIn(base))
		case strings.HasPrefix(base, "h5py-earliest"):
			err = copyHDF5(name, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func formatIn(base string) netcdf.Format {
	switch {
	case strings.Contains(base, "CLASSIC"):
		return netcdf.Classic
	case strings.Contains(base, "DATA"):
		return netcdf.Data64
	}
	return netcdf.NetCDF4
}

func copyNetCDF(name, to string, format netcdf.Format) (err error) {
	f, err := netcdf.Open(name, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	// Chunks that rows do not fill, as those of the others.
	chunks := func(_ string, v *netcdf.Variable) *hdf5.DatasetOptions {
		o := &hdf5.DatasetOptions{Chunks: []int64{4, 2}[:len(v.Dimensions)]}
		if strings.Contains(name, "True") {
			o.Filters = []filter.Filter{{ID: filter.Deflate}}
		}
		return o
	}
	w, err := netcdf.Create(to, f.Root(), &netcdf.CreateOptions{Format: format, Dataset: chunks})
	if err != nil {
		return err
	}
	for _, v := range f.Root().Variables {
		if err := w.Put(context.Background(), v.Name, v); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}

func copyHDF5(name, to string) (err error) {
	f, err := hdf5.Open(name, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	w, err := hdf5.Create(to, nil)
	if err != nil {
		return err
	}
	ctx := context.Background()
	err = eachGrowing(ctx, f, func(d *hdf5.Dataset, axis int) error {
		most := d.Shape()
		most[axis] = -1
		o := &hdf5.DatasetOptions{Chunks: []int64{4, 2}[:len(most)], MaxShape: most}
		if strings.Contains(name, "True") {
			o.Filters = []filter.Filter{{ID: filter.Deflate}}
		}
		return w.Put(ctx, d.Key(), d, o)
	})
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// unsynced is a file system whose files are never durable for certain.
type unsynced struct{ storage.FS }

func (u unsynced) Create(name string) (storage.File, error) {
	f, err := u.FS.Create(name)
	return unsyncedFile{f}, err
}

func (u unsynced) OpenRW(name string) (storage.File, error) {
	f, err := u.FS.OpenRW(name)
	return unsyncedFile{f}, err
}

type unsyncedFile struct{ storage.File }

func (unsyncedFile) Sync() error { return nil }
