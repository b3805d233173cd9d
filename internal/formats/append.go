package formats

import (
	"context"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// An Appender appends to arrays of a file, which keeps all that it had whatever happens meanwhile.
type Appender interface {
	// Append appends items to an array, along an axis.
	Append(ctx context.Context, key string, axis int, items ndarray.Source) error
	// Close makes what was appended durable, and closes the file. Abort closes it as it was.
	Close() error
	Abort() error
}

type netcdfAppender struct{ *netcdf.Appender }

func appendNetCDF(path string, workers int) (Appender, error) {
	a, err := netcdf.Append(path, &netcdf.AppendOptions{Workers: workers})
	return netcdfAppender{a}, err
}

// Append leaves the axis to the file: it is the unlimited one.
func (a netcdfAppender) Append(ctx context.Context, key string, _ int, items ndarray.Source) error {
	return a.AppendRows(ctx, key, items)
}

type hdf5Appender struct{ *hdf5.Appender }

func appendHDF5(path string, workers int) (Appender, error) {
	a, err := hdf5.Append(path, &hdf5.AppendOptions{Workers: workers})
	return hdf5Appender{a}, err
}

func (a hdf5Appender) Append(ctx context.Context, key string, axis int, items ndarray.Source) error {
	return a.AppendRows(ctx, key, axis, items)
}
