package formats

import (
	"context"
	"errors"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// isHDF5 recognises an HDF5 file.
func isHDF5(p *Probe) bool { return strings.HasPrefix(string(p.Head), "\x89HDF\r\n\x1a\n") || p.HDF5 }

// An hdf5Holding is the datasets of an HDF5 file.
type hdf5Holding struct {
	*hdf5.File
	datasets, inner []string // keys of datasets, and of groups
}

func (h *hdf5Holding) Keys() []string   { return h.datasets }
func (h *hdf5Holding) Groups() []string { return h.inner }

func (h *hdf5Holding) OpenKey(ctx context.Context, key string) (ndarray.Source, error) {
	d, err := h.Dataset(ctx, key)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// GroupAttributes returns the attributes of a group, but for those that cannot be read.
func (h *hdf5Holding) GroupAttributes(group string) (m meta.Map, err error) {
	list, err := h.Attributes(context.Background(), group)
	for _, a := range list {
		if a.Value != nil {
			m = append(m, meta.Pair{Key: a.Name, Value: a.Value})
		}
	}
	return m, err
}

// openHDF5 opens a file as what it is: one that follows the conventions of NetCDF-4, or any other.
func openHDF5(ctx context.Context, in *Input) (Holding, error) {
	f, err := hdf5.OpenReader(in.File, in.Size, &hdf5.OpenOptions{Workers: in.Workers, Links: in.Links, Path: in.Path})
	if err != nil {
		return nil, err
	}
	if isNetCDFName(in.Name) || netcdf.Follows(ctx, f) {
		n, err := netcdf.OfHDF5(ctx, f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return newNetCDF(ctx, n)
	}
	h := &hdf5Holding{File: f}
	keys, err := f.Keys(ctx)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, key := range keys {
		if f.IsGroup(ctx, key) {
			h.inner = append(h.inner, key)
		} else {
			h.datasets = append(h.datasets, strings.Trim(key, "/"))
		}
	}
	return h, nil
}
