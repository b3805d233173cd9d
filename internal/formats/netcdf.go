package formats

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
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

// A NetCDF is the variables of a NetCDF file.
type NetCDF struct {
	*netcdf.File
	arrays, inner []string // keys of arrays, and of groups
}

func newNetCDF(ctx context.Context, f *netcdf.File) (h *NetCDF, err error) {
	h = &NetCDF{File: f}
	h.arrays, h.inner, err = list(ctx, f)
	return h, err
}

// Keys returns the keys of all variables, and of what is damaged.
func (h *NetCDF) Keys() []string { return h.arrays }

// Groups returns the keys of all groups.
func (h *NetCDF) Groups() []string { return h.inner }

// Is describes the file.
func (h *NetCDF) Is() string { return fmt.Sprintf("a NetCDF file (%v)", h.Format()) }

// OpenKey opens a variable.
func (h *NetCDF) OpenKey(ctx context.Context, key string) (ndarray.Source, error) {
	return h.Open(ctx, key)
}

// GroupAttributes returns the attributes of a group.
func (h *NetCDF) GroupAttributes(group string) (meta.Map, error) {
	return h.Attributes(context.Background(), group)
}

func openNetCDF(ctx context.Context, in *Input) (Holding, error) {
	head, err := ReadHead(in.File, 0)
	if err != nil {
		return nil, err
	}
	if len(in.Links) > 0 && !isClassic(head) && hdf5.Is(in.File, in.Size) {
		return openHDF5(ctx, in)
	}
	f, err := netcdf.OpenReader(in.File, in.Size, &netcdf.OpenOptions{Workers: in.Workers})
	if err != nil {
		return nil, err
	}
	return newNetCDF(ctx, f)
}
