package formats

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
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

func refuseZarr(o *Options) error {
	_, err := zarrOptions(o)
	return err
}

// zarrOptions returns options as those of a Zarr store.
func zarrOptions(o *Options) (*zarr.SaveOptions, error) {
	z := &zarr.SaveOptions{Version: o.Zarr, Overwrite: o.Overwrite, Workers: o.Workers, Codec: o.Codec,
		Checked: o.Checked || o.Pcodec}
	switch {
	case o.ChunkShape != nil && o.BlockShape != nil:
		z.Shards = o.ChunkShape
		z.Chunks = o.BlockShape
	case o.ChunkShape != nil:
		z.Chunks = o.ChunkShape
		z.NoShards = true
	default:
		z.Chunks = o.BlockShape
	}

	z.Level = o.Level
	if o.Pcodec {
		z.Compressor = zarr.Pcodec
	}
	if o.Level == chunk.Stored {
		z.Compressor = zarr.NoCompressor
		z.Level = 0
	}

	switch len(o.Filters) {
	case 0:
	case 1:
		z.Shuffle = &o.Filters[0]
	default:
		return nil, errors.New("-filters: a chunk of Zarr has one filter")
	}
	return z, nil
}

// createZarr writes arrays as a Zarr store: one array as its root, several in groups.
func createZarr(ctx context.Context, w *Writing) error {
	o, err := zarrOptions(&w.Options)
	if err != nil {
		return err
	}

	z, err := zarr.Create(w.Path, o)
	if err != nil {
		return err
	}

	for _, key := range w.Keys {
		err := w.putZarr(ctx, z, key, *o)
		if errors.Is(err, cairn.ErrUnsupported) {
			err = w.Skip(key, err)
		}
		if err != nil {
			return errors.Join(OfKey(key, err), z.Abort())
		}
	}

	if err := w.zarrGroups(ctx, z); err != nil {
		return errors.Join(err, z.Abort())
	}
	return z.Close()
}

func (w *Writing) putZarr(ctx context.Context, z *zarr.Writer, key string, o zarr.SaveOptions) error {
	src, done, err := w.Open(key)
	if err != nil {
		return err
	}

	if dims := len(src.Shape()); dims != max(len(o.Chunks), len(o.Shards)) && w.Own(key) {
		o.Chunks = nil
		o.Shards = nil
		o.NoShards = false
	}

	o.Memory = Budget(src, w.Workers)
	o.LeftOut = func(attribute string, why error) { w.LeftOut(key, attribute, why) }
	o.Progress = w.follow()

	at := "/"
	if w.Tree {
		at = Key(key)
	}
	return errors.Join(z.Put(ctx, at, src, &o), done())
}

// zarrGroups writes the attributes of groups.
func (w *Writing) zarrGroups(ctx context.Context, z *zarr.Writer) error {
	return w.eachGroup(ctx, zarrKey, func(group string, attributes meta.Map) error {
		attributes = slices.DeleteFunc(slices.Clone(attributes), func(p meta.Pair) bool {
			failed := z.Group(group, meta.Map{p})
			if errors.Is(failed, cairn.ErrUnsupported) {
				w.LeftOut(group, fmt.Sprint(p.Key), failed)
				return true
			}
			return false
		})
		return z.Group(group, attributes)
	})
}
