package formats

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
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

func (h *zarrHolding) GroupAttributes(group string) (meta.Map, error) {
	return h.Attributes(context.Background(), group)
}

func (h *zarrHolding) OpenKey(ctx context.Context, key string) (ndarray.Source, error) {
	return h.Open(ctx, key)
}

func openZarr(ctx context.Context, in *Input) (Holding, error) {
	s, err := openZarrStore(in)
	if err != nil {
		return nil, err
	}
	h := &zarrHolding{Store: s}
	h.arrays, h.inner, err = list(ctx, s)
	if errors.Is(err, errors.ErrUnsupported) && in.Key != "" {
		h.arrays, err = near(ctx, s, in.Key, err)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return h, nil
}

// near returns the keys of an array of a store that cannot be listed, and of its coordinates. If
// there is no such array, the error is the one given.
func near(ctx context.Context, s *zarr.Store, key string, failed error) (keys []string, err error) {
	key = path.Join("/", key)
	a, err := s.Array(ctx, key)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, fmt.Errorf("there is no array %q, and %w", key, failed)
	}
	if err != nil {
		return nil, err
	}

	keys = []string{strings.Trim(key, "/")}
	l, err := a.Labels()
	for _, name := range l.Dims {
		at := strings.Trim(path.Join(path.Dir(key), name), "/")
		if name == "" || strings.Contains(name, "/") || slices.Contains(keys, at) {
			continue
		}
		if _, err := s.Array(ctx, at); err == nil {
			keys = append(keys, at)
		}
	}
	return keys, err
}

func openZarrStore(in *Input) (*zarr.Store, error) {
	o := &zarr.OpenOptions{FS: in.Files, Workers: in.Workers, Verify: in.Verify}
	if in.File == nil {
		return zarr.Open(in.Path, o)
	}
	return zarr.OpenReader(in.File, in.Size, o)
}
