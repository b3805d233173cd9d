package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// classicHeader is how many bytes the header of a classic file has at most here.
const classicHeader = 1 << 10

// examineNetCDF finds the numbers of a file: those of a classic one are in its header.
func examineNetCDF(name string, b []byte) *anatomy {
	if !bytes.HasPrefix(b, []byte("CDF")) {
		return examineHDF5(name, b)
	}
	end := min(len(b), classicHeader)
	a := &anatomy{header: end}
	for at := 4; at+4 <= end; at += 4 {
		a.big = append(a.big, field{at, 4, false})
	}
	return a
}

// eachVariable opens a file and calls do with some of its variables; it returns the first error.
func (s *subject) eachVariable(do func(a ndarray.Source, got *first)) error {
	b := s.files[""]
	f, err := netcdf.OpenReader(bytes.NewReader(b), int64(len(b)), &netcdf.OpenOptions{Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return err
	}
	return errors.Join(f.Header(io.Discard, "x.nc"), s.each(f, nil, do))
}

// netcdfFormat are variables of NetCDF files, which are read as they are and unpacked.
func netcdfFormat() *format {
	f := hdf5Format()
	f.each = (*subject).eachVariable
	f.look = func(a ndarray.Source, got *first) {
		_, err := a.(*netcdf.Variable).Labels()
		got.take(err)
	}
	f.through = func(s *subject, a ndarray.Source) ndarray.Source {
		if u, err := netcdf.Unpack(a.(*netcdf.Variable)); err == nil && s.rng.IntN(2) == 0 {
			return u
		}
		return a
	}
	return f
}
