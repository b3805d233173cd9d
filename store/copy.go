package store

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Copy makes a copy of the whole store at path: an archive, an embed store or a directory, as
// [Create] decides it. Leaves of all kinds, attributes, tables and addresses are taken over; what
// metalayers say stays as it is, byte for byte, but for what python-blosc2 notes of files of
// indexes of arrays. o says what is to be different, and may be nil: Codec, Level,
// Filters, Split and Recode hold for all leaves, AutoShapes for arrays that belong to no table;
// ChunkShape, BlockShape, Layout and FS must not be set. A copy has no dead bytes. Attributes
// become leaves of an embed store, which has none, and attributes again in a copy of that which is
// a tree.
func (s *Store) Copy(ctx context.Context, path string, o *ndarray.CopyOptions) error {
	var c ndarray.CopyOptions
	if o != nil {
		c = *o
	}
	if c.ChunkShape != nil || c.BlockShape != nil || c.Layout == frame.LayoutSparse || c.FS != nil {
		return fmt.Errorf("copy %s: leaves have shapes of their own, and are files: %w", s.name, cairn.ErrUnsupported)
	}
	w, err := Create(path, &Options{Dict: s.copyIsDict(), Overwrite: c.Overwrite})
	if err != nil {
		return err
	}
	err = s.copyInto(ctx, w, c)
	if err == nil {
		err = w.Close()
	}
	return errors.Join(err, w.Abort())
}

// copyIsDict reports whether a copy cannot be a tree: a leaf is a group too.
func (s *Store) copyIsDict() bool {
	if s.kind != EmbedStore {
		return s.kind == DictStore
	}
	for l := range s.Leaves() {
		if s.IsGroup(l.Key) {
			return true
		}
	}
	return false
}

func (s *Store) copyInto(ctx context.Context, w *Writer, o ndarray.CopyOptions) error {
	objects, err := s.Objects()
	if err != nil {
		return err
	}
	if raw, err := s.embed.VL(registryName); err == nil {
		w.registry = raw
	} else if !errors.Is(err, cairn.ErrNotFound) {
		return err
	}
	if err := s.copyAddresses(w); err != nil {
		return err
	}
	tell, done, total := o.Progress, int64(0), int64(0)
	for i := range s.leaves {
		total += s.leaves[i].Size
	}
	o.Progress, o.Overwrite, o.Layout = nil, false, frame.LayoutContiguous
	for i := range s.leaves {
		l := &s.leaves[i]
		if l.URL != "" {
			continue
		}
		key, err := Clean(l.Key)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		err = w.take(key, func(name string) error { return s.copyLeaf(ctx, l, name, o, inObject(l.Key, objects)) })
		if err != nil {
			return s.inLeaf(l, err)
		}
		if done += l.Size; tell != nil {
			tell(done, total)
		}
	}
	return nil
}

// copyAddresses takes over the entries of the embed store that are addresses.
func (s *Store) copyAddresses(w *Writer) error {
	list, err := readList(s.embed)
	if err != nil {
		return err
	}
	for _, p := range list.entries {
		if _, ok := get[string](p.Value, "urlbase"); ok {
			w.remote = append(w.remote, meta.Pair{Key: p.Key, Value: p.Value})
		}
	}
	return nil
}

// inObject reports whether a leaf is a part of a table.
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

// copyLeaf copies a leaf to a file, an array as one, so that codecs which need to know learn its shape.
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
		u, err := s.Array(l.Key)
		if err != nil {
			return err
		}
		defer u.Close()
		return u.Save(ctx, name, &o)
	}
	return frame.Copy(ctx, f.View(), name, &frame.CopyOptions{Codec: o.Codec, Level: o.Level,
		Filters: o.Filters, Split: o.Split,
		Recode: o.Recode, Layout: frame.LayoutContiguous, Workers: max(1, o.Workers), Codecs: s.options.Codecs, FilterSet: s.options.FilterSet, Limits: s.options.Limits,
		Durability: o.Durability, Deterministic: o.Deterministic})
}
