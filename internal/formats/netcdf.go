package formats

import (
	"context"
	"fmt"
	"strings"

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
type NetCDF struct{ *netcdf.File }

// Keys returns the keys of all variables, and of what is damaged.
func (h NetCDF) Keys() []string { return h.keys(false) }

// Groups returns the keys of all groups.
func (h NetCDF) Groups() []string { return h.keys(true) }

func (h NetCDF) keys(groups bool) (keys []string) {
	for _, key := range h.File.Keys() {
		switch {
		case h.IsGroup(key) != groups && (groups || h.Damage(key) == nil):
		case groups:
			keys = append(keys, key)
		default:
			keys = append(keys, strings.Trim(key, "/"))
		}
	}
	return keys
}

// Is describes the file.
func (h NetCDF) Is() string { return fmt.Sprintf("a NetCDF file (%v)", h.Format()) }

// OpenKey opens a variable.
func (h NetCDF) OpenKey(ctx context.Context, key string) (ndarray.Source, error) {
	v, err := h.Variable(ctx, key)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// GroupAttributes returns the attributes of a group.
func (h NetCDF) GroupAttributes(group string) (meta.Map, error) { return h.Attributes(group) }

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
	return NetCDF{f}, nil
}
