package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// A Bundle collects what [Editor.PutAll] puts into a store. One goroutine at a time may use it.
type Bundle struct {
	e          *Editor
	files      map[string]string   // finished files of leaves, by key
	attributes map[string]meta.Map // by group
	tables     []string            // that are in the bundle
}

// PutAll puts all leaves and attributes into the store that fill adds to a bundle. The store does
// not change before fill returns, and not at all if fill fails or a key is not free. Leaves replace
// those of the same keys.
//
// The leaves may be those of tables. A table replaces one of the same key as a whole, and its
// indexes work under any key, if their files are in the bundle too.
//
// In an existing directory, each new group appears in one step with everything in it, and so does
// a table. Leaves of groups that were there follow one by one, those that replace others last. If
// the file system fails meanwhile, what is new is removed again; after a crash, part of the bundle
// may be there.
func (e *Editor) PutAll(ctx context.Context, fill func(b *Bundle) error) error {
	b := &Bundle{e: e, files: map[string]string{}, attributes: map[string]meta.Map{}}
	if err := fill(b); err != nil {
		err = placing.Uncommitted(err)
		e.note(err)
		return err
	}

	if err := b.moveIndexes(ctx); err != nil {
		return e.failed("put", "", err)
	}
	return e.change(ctx, "put", "", func() error { return b.install(ctx) })
}

// PutFunc adds the frame that write creates at path in fsys, as [Editor.PutFunc] does. If it fails,
// the bundle is as it was, and may be put all the same.
func (b *Bundle) PutFunc(key string, write func(fsys storage.FS, path string) error) error {
	clean, err := cleanKey(key)
	if err == nil && b.files[clean] != "" {
		err = fmt.Errorf("leaf %q occurs twice in a bundle: %w", clean, fs.ErrExist)
	}

	var name string
	if err != nil {
		return b.e.fail("put", key, placing.Uncommitted(err))
	}

	name, err = b.e.write(write)
	if err != nil {
		return b.e.fail("put", key, placing.Uncommitted(err))
	}

	b.files[clean] = name
	return nil
}

// SetAttribute adds an attribute of a group, as [Editor.SetAttribute] does.
func (b *Bundle) SetAttribute(group, name string, value any) error {
	clean, err := cleanKey(group)
	if err != nil {
		return b.e.failed("set attribute", group, err)
	}

	if err = checkAttribute(name, value); err != nil {
		return b.e.failed("set attribute", group, err)
	}

	b.attributes[clean] = append(b.attributes[clean], meta.Pair{Key: name, Value: value})
	return nil
}

// MakeGroup adds a group, as [Editor.MakeGroup] does.
func (b *Bundle) MakeGroup(group string) error {
	clean, err := cleanKey(group)
	if err == nil && b.e.kind != TreeStore {
		err = errNoGroups(b.e.kind)
	}
	if err != nil {
		return b.e.fail("make group", group, err)
	}
	if _, given := b.attributes[clean]; !given && !b.e.isGroup(clean) {
		b.attributes[clean] = nil
	}
	return nil
}

// has reports whether the bundle has a leaf.
func (b *Bundle) has(key string) bool { return b.files[key] != "" }

// moveIndexes finds the tables, and has their manifests name the files of indexes where they will
// be.
func (b *Bundle) moveIndexes(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(b.files)) {
		table, err := b.e.moveIndexes(ctx, key, b.files[key], b.has)
		if err != nil {
			return err
		}
		if table {
			b.tables = append(b.tables, path.Dir(key))
		}
	}
	return nil
}

// moveIndexes has a finished file, if it is the manifest of a table, name those files of indexes
// that the table will have under its key. It reports whether it is one.
func (e *Editor) moveIndexes(ctx context.Context, key, file string, has func(key string) bool) (bool, error) {
	if path.Base(key) != derived.Manifest || !e.isTable(&Leaf{Key: key, staged: file}) {
		return false, nil
	}

	var old, moved []byte
	err := e.within(&Leaf{Key: key, staged: file}, func(f *frame.Frame) (err error) {
		old, err = f.VL(derived.CatalogLayer)
		if err != nil {
			return err
		}

		moved = derived.MoveCatalog(old, path.Dir(key), has)
		return nil
	})
	if errors.Is(err, cairn.ErrNotFound) || err == nil && bytes.Equal(old, moved) {
		return true, nil
	}
	if err != nil {
		return true, err
	}

	return true, e.changeFile(ctx, file, func(f *frame.Frame) error {
		if moved == nil {
			return f.DeleteVL(derived.CatalogLayer)
		}
		return f.SetVL(derived.CatalogLayer, moved)
	})
}

// replaced returns the tables that tables of the bundle replace. It fails if a key is not free.
func (b *Bundle) replaced() (old []string, err error) {
	for _, table := range b.tables {
		root, kind, err := b.e.objectAt(table)
		switch {
		case err != nil:
			return nil, err
		case root == table && kind == Table && table != "/":
			old = append(old, table)
		case root == table:
			return nil, fmt.Errorf("the %s %q cannot be replaced: %w", kind, table, cairn.ErrUnsupported)
		case root == "" && b.e.leaves.isGroup(table):
			return nil, conflict("table %q conflicts with a group of the same key", table)
		}
	}

	for _, key := range slices.Sorted(maps.Keys(b.files)) {
		if err := b.e.free(key, b.tables); err != nil {
			return nil, err
		}
		for group := path.Dir(key); group != "/" && b.e.kind == TreeStore; group = path.Dir(group) {
			if b.has(group) {
				return nil, conflict("leaf %q conflicts with the leaf %q", key, group)
			}
		}
	}
	return old, nil
}

// addAttributes makes leaves of the attributes.
func (b *Bundle) addAttributes() error {
	for _, group := range slices.Sorted(maps.Keys(b.attributes)) {
		key, err := b.e.attributesKey(group)
		if err == nil && b.has(group) {
			err = fmt.Errorf("%q is a leaf, no group: %w", group, cairn.ErrUnsupported)
		}
		if err != nil {
			return err
		}

		l, missing := b.e.find(key)
		b.files[key], err = b.e.newAttributes(&l, missing == nil, func(f *frame.Frame) error {
			return b.e.setAttributes(f, b.attributes[group])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// install adds the finished files as leaves.
func (b *Bundle) install(ctx context.Context) error {
	replaced, err := b.replaced()
	if err != nil {
		return err
	}

	if err = b.addAttributes(); err != nil {
		return err
	}

	if b.e.form == directory {
		return b.installFolders(ctx, replaced)
	}

	for _, table := range replaced {
		if err := b.e.unlist(func(key string) bool { return isBelow(key, table) }); err != nil {
			return err
		}
		b.e.leaves.unsetGroup(table)
		if b.e.form == archive {
			b.e.dropped = append(b.e.dropped, table+"/")
		}
	}

	for _, key := range slices.Sorted(maps.Keys(b.files)) {
		if err := b.e.install(ctx, key, b.files[key]); err != nil {
			return err
		}
	}
	return nil
}
