package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Change runs a change of a leaf that is an array: its items, its shape, its metalayers. If that
// fails, the leaf is as it was. In a directory a leaf that is a file is changed where it is.
// Others, and those of archives and embed stores, are changed in a copy, which then takes the
// leaf's place.
func (e *Editor) Change(ctx context.Context, key string, change func(u *ndarray.Untyped) error) error {
	return e.changeLeaf(ctx, key, func(name string) error {
		o := e.arrayOptions()
		o.Mode, o.Locking, o.LockTimeout = ndarray.ReadWrite, e.options.Locking && e.form == directory, e.options.LockTimeout
		u, err := ndarray.Open(name, o)
		if err != nil {
			return err
		}
		if err = change(u); err == nil {
			err = u.Commit(ctx)
		}
		if err != nil {
			return errors.Join(err, u.Abort())
		}
		return u.Close()
	})
}

// ChangeFrame is [Editor.Change] for a leaf of any kind, and for a group, whose attributes are the
// metalayers of variable length of a frame.
func (e *Editor) ChangeFrame(ctx context.Context, key string, change func(f *frame.Frame) error) error {
	if _, err := e.Leaf(key); errors.Is(err, cairn.ErrNotFound) && (key == "/" || e.IsGroup(key)) {
		return e.changeAttributes(ctx, key, change)
	}
	return e.changeLeaf(ctx, key, func(name string) error { return e.changeFile(ctx, name, change) })
}

func (e *Editor) changeFile(ctx context.Context, name string, change func(f *frame.Frame) error) error {
	f, err := frame.Open(name, e.changing())
	if err != nil {
		return err
	}
	if err = change(f); err == nil {
		err = f.Commit(ctx)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// changeLeaf runs a change of the file of a leaf, or of a copy of it.
func (e *Editor) changeLeaf(ctx context.Context, key string, change func(name string) error) error {
	return e.change(ctx, "change", key, func() error {
		clean, err := cleanKey(key)
		if err != nil {
			return err
		}
		l, err := e.find(clean)
		if err != nil {
			return err
		}
		err = e.alter(ctx, &l, change)
		if err == nil && (e.form != directory || l.Embedded) {
			err = e.outdate(ctx, l.Key)
		}
		return err
	})
}

// alter is changeLeaf within a change of the store.
func (e *Editor) alter(ctx context.Context, l *Leaf, change func(name string) error) error {
	name, r, err := e.place(l)
	if err != nil {
		return err
	}
	if r == nil { // a file, or one that this editor made
		return errors.Join(change(name), e.resize(l, name))
	}
	if name, err = e.extract(l); err == nil {
		err = change(name)
	}
	switch {
	case err != nil:
		return err
	case l.Embedded:
		if err = e.own(); err == nil {
			err = e.embedLeaf(ctx, l.Key, name)
		}
		return err
	}
	l.staged = name
	e.leaves.set(*l)
	e.dropped = append(e.dropped, l.Key)
	return e.resize(l, name)
}

// outdate marks what python-blosc2 has worked out from a leaf that was changed in a copy, if that
// is a part of a table; for one that is changed where it is, its frame does it. Whether the data
// changed is not asked: Python works it out again.
func (e *Editor) outdate(ctx context.Context, key string) error {
	for _, p := range derived.Parts(key) {
		manifest, err := e.find(path.Join(p.Table, derived.Manifest))
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		var stale []meta.Layer
		err = e.within(&manifest, func(f *frame.Frame) (err error) {
			stale, err = p.Stale(f.VL)
			return err
		})
		if err == nil && len(stale) > 0 {
			err = e.alter(ctx, &manifest, func(name string) error {
				return e.changeFile(ctx, name, func(f *frame.Frame) error {
					for _, l := range stale {
						if err := f.SetVL(l.Name, l.Content); err != nil {
							return err
						}
					}
					return nil
				})
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resize notes how large the file of a leaf is now.
func (e *Editor) resize(l *Leaf, name string) error {
	info, err := e.fsys.Stat(name)
	if err == nil && info.Size != l.Size {
		e.lasting = true
		l.Size = info.Size
		e.leaves.set(*l)
	}
	return err
}

// SetAttribute notes something about a group, "/" for the whole tree, which need not have leaves.
// value is anything that [meta.Pack] takes.
func (e *Editor) SetAttribute(ctx context.Context, group, name string, value any) error {
	raw, err := meta.Pack(value)
	if err != nil {
		return e.fail("set attribute", group, fmt.Errorf("%q: %w", name, err))
	}
	return e.changeAttributes(ctx, group, func(f *frame.Frame) error { return f.SetVL(name, raw) })
}

// DeleteAttribute removes what is noted about a group under a name, or fails with
// [cairn.ErrNotFound].
func (e *Editor) DeleteAttribute(ctx context.Context, group, name string) error {
	return e.changeAttributes(ctx, group, func(f *frame.Frame) error { return f.DeleteVL(name) })
}

// changeAttributes runs a change of the frame whose metalayers of variable length are the
// attributes of a group. If that fails, they are as they were.
func (e *Editor) changeAttributes(ctx context.Context, group string, change func(f *frame.Frame) error) error {
	return e.change(ctx, "set attribute", group, func() error {
		clean, err := cleanKey(group)
		if err != nil {
			return err
		}
		if e.kind != TreeStore {
			return fmt.Errorf("the groups of a %s have no attributes: %w", e.kind, cairn.ErrUnsupported)
		}
		if _, ok := e.leaves.get(clean); ok {
			return fmt.Errorf("%q is a leaf, no group: %w", clean, cairn.ErrUnsupported)
		}
		key := path.Join(clean, AttributesName)
		l, err := e.find(key)
		if err == nil && e.made == nil {
			return e.alter(ctx, &l, func(name string) error { return e.changeFile(ctx, name, change) })
		}
		name, err := e.newAttributes(&l, err == nil, change)
		if err != nil {
			return err
		}
		return e.install(ctx, key, name)
	})
}

// newAttributes makes a frame of attributes, of those of a leaf if there is one: a new store has no
// dead bytes.
func (e *Editor) newAttributes(l *Leaf, there bool, change func(f *frame.Frame) error) (name string, err error) {
	var old []meta.Layer
	if there {
		err := e.within(l, func(f *frame.Frame) (err error) {
			old, err = f.VLLayers()
			return err
		})
		if err != nil {
			return "", err
		}
	}
	if name, err = e.newFile(); err != nil {
		return "", err
	}
	f, err := frame.Create(name, &frame.Options{TypeSize: 1, FS: e.fsys})
	if err != nil {
		return "", err
	}
	for i := 0; i < len(old) && err == nil; i++ {
		err = f.SetVL(old[i].Name, old[i].Content)
	}
	if err == nil {
		err = change(f)
	}
	if err != nil {
		return "", errors.Join(err, f.Abort())
	}
	return name, f.Close()
}

// replace writes the archive anew and gives it the place of the old one.
func (e *Editor) replace() error {
	var members []packed
	gone := e.gone()
	for _, f := range e.zip.File {
		if f.Name == embedName && e.private || gone(f.Name) {
			continue
		}
		members = append(members, packed{name: f.Name, size: int64(f.CompressedSize64), old: f})
	}
	members = appendStaged(members, e.leaves.snapshot())
	if e.private {
		raw, err := e.embed.Load().Bytes()
		if err != nil {
			return err
		}
		name, err := e.stage(bytes.NewReader(raw))
		if err != nil {
			return err
		}
		members = append(members, packed{name: embedName, file: name})
	}
	name, err := e.pack(members, e.zip.Comment)
	if err == nil {
		err = takeOver(e.fsys, name, e.root, e.root)
	}
	if err == nil {
		err = e.still(e.root)
	}
	if err != nil {
		return err
	}
	return e.rename(name, e.root)
}

// gone returns what reports whether a member goes: that of a leaf which is changed or deleted, or
// in a group which is deleted.
func (e *Editor) gone() func(name string) bool {
	leaves, groups := map[string]bool{}, []string{}
	for _, key := range e.dropped {
		if strings.HasSuffix(key, "/") {
			groups = append(groups, key)
		} else {
			leaves[key] = true
		}
	}
	return func(name string) bool {
		return isLeafFile(name) && leaves[keyOf(name)] ||
			slices.ContainsFunc(groups, func(group string) bool { return strings.HasPrefix("/"+name, group) })
	}
}
