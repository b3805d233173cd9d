package formats

import (
	"context"
	"path"
	"slices"
	"strings"

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

func openZarr(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &zarr.OpenOptions{FS: in.Files, Workers: in.Workers, Verify: in.Verify, Limits: in.Limits}
	open := func() (*zarr.Store, error) { return zarr.Open(in.Path, o) }
	if in.File != nil {
		open = func() (*zarr.Store, error) { return zarr.OpenReader(in.File, in.Size, o) }
	}
	s, err := open()
	if err != nil {
		return nil, err
	}
	return s, nil
}
