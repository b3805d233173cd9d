package formats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// createStore writes arrays as the leaves of a new store. Damaged ones are left out.
func createStore(ctx context.Context, w *Writing) error {
	e, err := store.Create(w.Path, &store.Options{Overwrite: w.Overwrite,
		OpenOptions: store.OpenOptions{Workers: w.Workers}})
	if err != nil {
		return err
	}

	err = e.PutAll(ctx, func(b *store.Bundle) error {
		for _, key := range w.Keys {
			err := w.putLeaf(ctx, b, key)
			if errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum) {
				err = w.Skip(key, err)
			}
			if err != nil {
				return OfKey(key, err)
			}
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, e.Abort())
	}

	if err = w.putGroups(ctx, e); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// putLeaf stores one array as a leaf of the same key.
func (w *Writing) putLeaf(ctx context.Context, b *store.Bundle, key string) error {
	src, done, err := w.Open(key)
	if err != nil {
		return err
	}

	o := w.CopyOptions
	o.Overwrite = true
	o.Sparse = new(false)
	o.Progress = w.follow()
	if dims := len(src.Shape()); w.Own(key) {
		if len(o.ChunkShape) != dims {
			o.ChunkShape = nil
		}
		if len(o.BlockShape) != dims {
			o.BlockShape = nil
		}
	}

	err = b.PutFunc(Key(key), func(fsys storage.FS, name string) error {
		o.FS = fsys
		if w.Save != nil {
			return w.Save(ctx, key, name, src, &o)
		}
		return ndarray.Save(ctx, name, src, &o)
	})
	return errors.Join(err, done())
}

// putGroups stores the attributes of groups, and groups that have nothing in them.
func (w *Writing) putGroups(ctx context.Context, e *store.Editor) error {
	if w.Groups == nil {
		return nil
	}

	base := strings.TrimSuffix(Key(w.Base), "/") + "/"
	empty := EmptyGroups(w.Groups.Groups(), w.Groups.Keys())
	any := func(string) error { return nil } // even if nothing is stored of it
	return w.eachGroup(ctx, any, func(group string, attributes meta.Map) error {
		if !strings.HasPrefix(group+"/", base) && base != "/" || len(attributes) == 0 && !empty[group] {
			return nil
		}

		row := Store()
		if err := cmp.Or(row.CheckGroup(group), KeepsGroups(e)); err != nil {
			return w.Skip(group, Plain(err))
		}
		if err := e.MakeGroup(ctx, group); err != nil {
			return err
		}

		for _, p := range attributes {
			if err := e.SetAttribute(ctx, group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// EmptyGroups returns the groups that have neither arrays nor groups in them.
func EmptyGroups(groups, arrays []string) map[string]bool {
	empty := map[string]bool{}
	for _, group := range groups {
		empty[path.Join("/", group)] = true
	}

	for _, key := range slices.Concat(groups, arrays) {
		for key = path.Join("/", key); key != "/"; {
			key = path.Dir(key)
			delete(empty, key)
		}
	}
	return empty
}

// KeepsGroups returns the reason why a store has no place for empty groups and for attributes of
// groups, or nil.
func KeepsGroups(e *store.Editor) error {
	kind, err := e.Kind("/")
	if err == nil && kind != store.TreeStore {
		err = fmt.Errorf("the output is of kind %s, which keeps no attributes of groups, and no empty groups: %w", kind,
			cairn.ErrUnsupported)
	}
	return err
}
