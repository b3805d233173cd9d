package formats

import (
	"context"
	"errors"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// isHDF5 recognises an HDF5 file.
func isHDF5(p *Probe) bool { return strings.HasPrefix(string(p.Head), "\x89HDF\r\n\x1a\n") || p.HDF5 }

// openHDF5 opens a file as what it is: one that follows the conventions of NetCDF-4, or any other.
func openHDF5(ctx context.Context, in *Input) (ndarray.Tree, error) {
	f, err := hdf5.OpenReader(in.File, in.Size, &hdf5.OpenOptions{Workers: in.Workers, Links: in.Links, Path: in.Path,
		FS: in.LinkFS, Limits: in.Limits})
	if err != nil {
		return nil, err
	}
	if !isNetCDFName(in.Name) && !netcdf.Follows(ctx, f) {
		return f, nil
	}

	n, err := netcdf.OfHDF5(ctx, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return n, nil
}
