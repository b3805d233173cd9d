package formats

import (
	"context"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// isNetCDF recognises a file of the classic formats, and one of NetCDF-4 by its name. Others are
// recognised when they are opened.
func isNetCDF(p *Probe) bool {
	return isClassic(p.Head) || isHDF5(p) && isNetCDFName(p.Name)
}

// isClassic recognises a file of the classic formats by its first bytes.
func isClassic(head []byte) bool {
	magic := string(head[:min(4, len(head))])
	return magic == "CDF\x01" || magic == "CDF\x02" || magic == "CDF\x05"
}

func isNetCDFName(name string) bool {
	row, ok := Named(Extension(name))
	return ok && row.Name == "netcdf"
}

func openNetCDF(ctx context.Context, in *Input) (ndarray.Tree, error) {
	head, err := ReadHead(in.File, 0)
	if err != nil {
		return nil, err
	}
	if len(in.Links) > 0 && !isClassic(head) && hdf5.Is(in.File, in.Size) {
		return openHDF5(ctx, in)
	}

	f, err := netcdf.OpenReader(in.File, in.Size, &netcdf.OpenOptions{Workers: in.Workers, Limits: in.Limits})
	if err != nil {
		return nil, err
	}
	return f, nil
}
