package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/test/golden"
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
func (s *subject) eachVariable(do func(a ndarray.Source, got *first)) error {
	b := s.files[""]
	f, err := netcdf.OpenReader(bytes.NewReader(b), int64(len(b)), &netcdf.OpenOptions{Workers: 1, Limits: hdf5Limits})
	if err != nil {
		return err
	}
	got := first{f.Header(io.Discard, "x.nc")}
	ctx := context.Background()
	var nodes []ndarray.Node
	for n, err := range ndarray.Walk(ctx, f, "/") {
		got.take(err)
		nodes = append(nodes, n)
	}
	for range min(len(nodes), 2*someLeaves) {
		n := nodes[s.rng.IntN(len(nodes))]
		_, err := f.Attributes(ctx, n.Key)
		got.take(err)
		if n.Kind == ndarray.GroupNode {
			continue
		}
		v, err := f.Variable(ctx, n.Key)
		got.take(err)
		if err == nil {
			do(v, &got)
		}
	}
	got.take(f.Close())
	return got.err
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
