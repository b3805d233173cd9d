package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// netcdfKind is the kind of seeds that are NetCDF files.
const netcdfKind golden.Kind = "netcdf"

// netcdfSeeds returns the small files of package netcdf's tests. dir is that of the goldens.
func netcdfSeeds(dir string) ([]*seedFile, error) {
	return smallSeeds(filepath.Join(dir, "../../netcdf/testdata/*.nc"), netcdfKind)
}

// classicHeader is how many bytes the header of a classic file has at most here.
const classicHeader = 1 << 10

// examineNetCDF finds the numbers of a file: those of a classic one are in its header.
func examineNetCDF(b []byte) *anatomy {
	if !bytes.HasPrefix(b, []byte("CDF")) {
		return examineHDF5(b)
	}
	end := min(len(b), classicHeader)
	a := &anatomy{header: end}
	for at := 4; at+4 <= end; at += 4 {
		a.big = append(a.big, field{at, 4, false})
	}
	return a
}

// eachVariable opens a file and calls do with some of its variables; it returns the first error.
func (s *subject) eachVariable(do func(v *netcdf.Variable, got *first)) error {
	b := s.files[""]
	f, err := netcdf.OpenReader(bytes.NewReader(b), int64(len(b)), &netcdf.OpenOptions{Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return err
	}
	got := first{f.Header(io.Discard, "x.nc")}
	keys := f.Keys()
	for range min(len(keys), 2*someLeaves) {
		key := keys[s.rng.IntN(len(keys))]
		_, err := f.Attributes(key)
		got.take(err)
		if f.IsGroup(key) {
			continue
		}
		v, err := f.Variable(context.Background(), key)
		got.take(err)
		if err == nil {
			do(v, &got)
		}
	}
	got.take(f.Close())
	return got.err
}

func openNetCDF(_ *tester, s *subject) (uint64, error) {
	err := s.eachVariable(func(v *netcdf.Variable, got *first) {
		v.Grid()
		_, err := v.Labels()
		got.take(err)
	})
	return hdf5Asked, err
}

// readNetCDF reads random boxes, as they are and unpacked.
func readNetCDF(l *tester, s *subject) (asked uint64, err error) {
	err = s.eachVariable(func(v *netcdf.Variable, got *first) {
		var src ndarray.Source = v
		if u, err := netcdf.Unpack(v); err == nil && s.rng.IntN(2) == 0 {
			src = u
		}
		for range 4 {
			asked += 2 * scratch
			start, stop := drawBox(s.rng, src.Shape())
			if size, ok := boxSize(start, stop, int64(src.DType().Size()), int64(len(l.buf))); ok {
				got.take(src.ReadBytes(context.Background(), l.buf[:size], start, stop))
			}
		}
	})
	return asked + hdf5Asked, err
}

// copyNetCDF stores variables as arrays of Blosc2.
func copyNetCDF(_ *tester, s *subject) (asked uint64, err error) {
	err = s.eachVariable(func(v *netcdf.Variable, got *first) {
		shape := v.Shape()
		size, ok := boxSize(make([]int64, len(shape)), shape, int64(v.DType().Size()), 1<<16)
		if chunks, _ := v.Grid(); !ok || len(shape) > 8 || len(chunks) > 0 && chunks[0] > 1<<16 {
			return
		}
		asked += 32*scratch + 64*uint64(size)
		u, err := ndarray.Copy(context.Background(), v, &ndarray.CopyOptions{Workers: 1, Memory: maxAlloc})
		if err != nil {
			got.take(err)
			return
		}
		got.take(u.Close())
	})
	return asked + hdf5Asked, err
}
