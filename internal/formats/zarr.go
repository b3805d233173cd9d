package formats

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// isZarr recognises a directory or a zip archive by the metadata in its root, or in a folder of an
// archive that has the store.
func isZarr(p *Probe) bool {
	return slices.ContainsFunc(p.Entries, func(name string) bool {
		folder, base := path.Split(name)
		return strings.Count(folder, "/") <= 1 && slices.Contains(Marks[1:], base)
	})
}

// A zarrHolding is a Zarr store.
type zarrHolding struct {
	*zarr.Store
	arrays, inner []string // keys of arrays, and of groups
}

func (h *zarrHolding) Keys() []string   { return h.arrays }
func (h *zarrHolding) Groups() []string { return h.inner }

func (h *zarrHolding) GroupAttributes(group string) (meta.Map, error) { return h.Attributes(group) }

func (h *zarrHolding) OpenKey(_ context.Context, key string) (ndarray.Source, error) {
	a, err := h.Array(key)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func openZarr(ctx context.Context, in *Input) (Holding, error) {
	s, err := openZarrStore(in)
	if err != nil {
		return nil, err
	}
	h := &zarrHolding{Store: s}
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, key := range keys {
		if s.IsGroup(key) {
			h.inner = append(h.inner, key)
		} else {
			h.arrays = append(h.arrays, strings.Trim(key, "/"))
		}
	}
	return h, nil
}

func openZarrStore(in *Input) (*zarr.Store, error) {
	o := &zarr.OpenOptions{FS: in.Files, Workers: in.Workers, Verify: in.Verify}
	if in.File == nil {
		return zarr.Open(in.Path, o)
	}
	return zarr.OpenReader(in.File, in.Size, o)
}
