package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Copy copies the whole store to path: to an archive, an embed store or a directory, depending on
// the extension as in [Create]. It copies leaves of all kinds, attributes, tables and addresses of
// remote arrays. Metalayers are copied byte for byte, except python-blosc2's records of the index
// files of arrays. The copy has no dead bytes.
//
// o may be nil. Codec, Level, Filters, Split and Recode apply to all leaves, AutoShapes to arrays
// that are not part of a table. ChunkShape, BlockShape, Sparse and FS must not be set.
//
// Embed stores have no attributes: in a copy to an embed store, attributes become leaves, and a
// copy of that to a tree makes them attributes again.
func (s *Store) Copy(ctx context.Context, path string, o *ndarray.CopyOptions) error {
	return s.CopyFunc(ctx, path, o, func(_ string, err error) error { return err })
}

// CopyFunc is like [Store.Copy], but calls left for each leaf that cannot be copied, such as a
// damaged one. If left returns nil, the copy does without that leaf; otherwise there is no copy,
// and CopyFunc returns the error.
func (s *Store) CopyFunc(ctx context.Context, path string, o *ndarray.CopyOptions,
	left func(key string, err error) error) error {
	var c ndarray.CopyOptions
	if o != nil {
		c = *o
	}

	if c.ChunkShape != nil || c.BlockShape != nil || c.Sparse != nil && *c.Sparse || c.FS != nil {
		err := fmt.Errorf("ChunkShape, BlockShape, Sparse and FS must not be set: %w", cairn.ErrUnsupported)
		return s.fail("copy", "", errkind.Invalid(err))
	}

	e, err := Create(path, &Options{Dict: s.copyIsDict(), Overwrite: c.Overwrite})
	if err != nil {
		return err
	}

	if err = s.copyInto(ctx, e, c, left); err != nil {
		return errors.Join(err, e.Abort())
	}

	err = e.Close()
	return errors.Join(err, e.Abort())
}

// copyIsDict reports whether a copy must be a dict store because a key is both a leaf and a group.
func (s *Store) copyIsDict() bool {
	if s.kind != EmbedStore {
		return s.kind == DictStore
	}

	for l := range s.Leaves() {
		if s.isGroup(l.Key) {
			return true
		}
	}
	return false
}

func (s *Store) copyInto(ctx context.Context, e *Editor, o ndarray.CopyOptions,
	left func(key string, err error) error) error {
	objects, err := s.Objects()
	if err != nil {
		return err
	}

	if err = s.copyLists(e.embed.Load()); err != nil {
		return err
	}

	leaves := s.measured()
	tell := o.Progress
	done := int64(0)
	total := int64(0)
	for i := range leaves {
		total += leaves[i].Size
	}

	o.Progress = nil
	o.Overwrite = false
	o.Sparse = new(false)
	for i := range leaves {
		l := &leaves[i]
		if l.URL != "" {
			continue
		}

		key, err := cleanKey(l.Key)
		if err != nil {
			return s.fail("copy", l.Key, err)
		}

		if _, ok := e.leaves.get(key); ok {
			return s.fail("copy", l.Key, fmt.Errorf("leaf %q occurs twice: %w", key, fs.ErrExist))
		}
		path, err := e.write(func(fsys storage.FS, path string) error {
			o.FS = fsys
			return s.copyLeaf(ctx, l, path, o, inObject(l.Key, objects))
		})
		if err != nil {
			if err := left(l.Key, err); err != nil {
				return s.fail("copy", l.Key, err)
			}
			continue
		}

		err = e.change(ctx, "put", key, func() error { return e.install(ctx, key, path) })
		if err != nil {
			return s.fail("copy", l.Key, err)
		}

		done += l.Size
		if tell != nil {
			tell(done, total)
		}
	}
	return nil
}

// copyLists copies the remote entries of the embed store and the list of objects.
func (s *Store) copyLists(to *frame.Frame) error {
	from := s.embed.Load()
	if from == nil {
		return cairn.ErrClosed
	}

	list, err := readList(from)
	if err != nil {
		return err
	}

	var remote embedList
	for _, p := range list.entries {
		if _, ok := get[string](p.Value, "urlbase"); ok {
			remote.entries = append(remote.entries, meta.Pair{Key: p.Key, Value: p.Value})
		}
	}
	if err := remote.write(to); err != nil {
		return err
	}

	registry, err := from.VL(registryName)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return to.SetVL(registryName, registry)
}

// inObject reports whether a leaf is part of a table.
func inObject(key string, objects map[string]Kind) bool {
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		if _, ok := objects[dir]; ok {
			return true
		}
		if dir == "/" || dir == "." {
			return false
		}
	}
}

// copyLeaf copies a leaf to a file. Arrays are copied through ndarray, because some codecs need the
// shape.
func (s *Store) copyLeaf(ctx context.Context, l *Leaf, name string, o ndarray.CopyOptions, part bool) error {
	f, err := s.open(l)
	if err != nil {
		return err
	}
	defer f.Close()

	kind, err := KindOf(f)
	if err != nil {
		return err
	}

	if kind == Array {
		o.AutoShapes = o.AutoShapes && !part
		u, err := s.Array(ctx, l.Key)
		if err != nil {
			return err
		}
		defer u.Close()
		return u.Save(ctx, name, &o)
	}

	return frame.Copy(ctx, name, f.Snapshot(), &frame.CopyOptions{Codec: o.Codec, Level: o.Level,
		Filters: o.Filters, Split: o.Split,
		Recode: o.Recode, Sparse: new(false), FS: o.FS,
		Workers: max(1, o.Workers), Engine: s.options.Engine,
		Commits: o.Commits})
}
