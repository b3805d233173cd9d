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
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Change opens a leaf that is an array, calls change to modify its items, shape or metalayers, and
// commits. If that fails, the leaf is unchanged. A leaf that is a file of a directory is changed in
// place. Any other leaf is changed in a copy, which then replaces it.
func (e *Editor) Change(ctx context.Context, key string, change func(u *ndarray.Untyped) error) error {
	return e.changeLeaf(ctx, key, func(name string) error {
		o := e.arrayOptions()
		o.Mode = ndarray.ReadWrite
		o.Locking = e.options.Locking && e.form == directory
		o.LockTimeout = e.options.LockTimeout
		o.KeepLoss = e.options.KeepLoss

		u, err := ndarray.Open(name, o)
		if err != nil {
			return err
		}

		if err = placing.Uncommitted(change(u)); err != nil {
			return errors.Join(err, u.Abort())
		}

		if err = u.Commit(ctx); err != nil {
			return errors.Join(err, u.Abort())
		}
		return u.Close()
	})
}

// ChangeFrame is like [Editor.Change] for a leaf of any kind. It also accepts a group, whose
// attributes are the metalayers of variable length of a frame.
func (e *Editor) ChangeFrame(ctx context.Context, key string, change func(f *frame.Frame) error) error {
	if _, err := e.Leaf(key); errors.Is(err, cairn.ErrNotFound) && (key == "/" || e.isGroup(key)) {
		return e.changeAttributes(ctx, key, change)
	}
	return e.changeLeaf(ctx, key, func(name string) error { return e.changeFile(ctx, name, change) })
}

func (e *Editor) changeFile(ctx context.Context, name string, change func(f *frame.Frame) error) error {
	f, err := frame.Open(name, e.changeOptions())
	if err != nil {
		return err
	}
	if err = placing.Uncommitted(change(f)); err != nil {
		return errors.Join(err, f.Abort())
	}

	if err = f.Commit(ctx); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// changeLeaf applies a change to the file of a leaf or to a copy of it.
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

		err = e.changeOne(ctx, &l, change)
		if err == nil && (e.form != directory || l.Embedded) {
			err = e.outdate(ctx, l.Key)
		}
		return err
	})
}

// changeOne is changeLeaf without the surrounding change of the store.
func (e *Editor) changeOne(ctx context.Context, l *Leaf, change func(name string) error) error {
	name, r, err := e.place(l)
	if err != nil {
		return err
	}

	if r == nil { // a file of a directory, or one that this editor staged
		return errors.Join(e.decides(change(name)), e.resize(l, name))
	}

	if name, err = e.extract(l); err != nil {
		return err
	}
	if err := change(name); err != nil {
		return err
	}

	if l.Embedded {
		if err := e.makeEmbedPrivate(); err != nil {
			return err
		}
		return e.embedLeaf(ctx, l.Key, name)
	}

	l.staged = name
	e.leaves.set(*l)
	e.dropped = append(e.dropped, l.Key)
	return e.resize(l, name)
}

// outdate marks as stale what python-blosc2 has computed from a leaf, if the leaf is part of a
// table and was changed in a copy. For a leaf that is changed in place, its frame does this. The
// data may be the same as before; Python then recomputes it needlessly.
func (e *Editor) outdate(ctx context.Context, key string) error {
	defer func(was bool) { e.visible = was }(e.visible)
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
			err = e.changeOne(ctx, &manifest, func(name string) error {
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

// resize records the current size of a leaf's file.
func (e *Editor) resize(l *Leaf, name string) error {
	info, err := e.fsys.Stat(name)
	if err == nil && info.Size != l.Size {
		e.persisted = true
		l.Size = info.Size
		e.leaves.set(*l)
	}
	return err
}

// SetAttribute sets an attribute of a group, which need not have leaves. The group "/" stands for
// the whole tree. value is anything that [meta.Pack] accepts. In the vlmeta of python-blosc2, it is
// under its name, or, if that is longer than 31 bytes or there are 15 others already, in the map
// vlmeta["_attributes"].
func (e *Editor) SetAttribute(ctx context.Context, group, name string, value any) error {
	if err := checkAttribute(name, value); err != nil {
		return e.failed("set attribute", group, err)
	}
	return e.changeAttributes(ctx, group, func(f *frame.Frame) error {
		return e.setAttributes(f, meta.Map{{Key: name, Value: value}})
	})
}

// checkAttribute fails if a group cannot have an attribute.
func checkAttribute(name string, value any) error {
	if name == "" || name == labels.Rest {
		return fmt.Errorf("%q is no name of an attribute: %w", name, cairn.ErrInvalid)
	}
	if _, err := meta.Pack(value); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// setAttributes changes the metalayers of a frame of attributes, each of them once.
func (e *Editor) setAttributes(f *frame.Frame, attributes meta.Map) error {
	layers, err := e.attributeLayers(f)
	if err != nil {
		return err
	}

	changed := map[int]bool{}
	for _, p := range attributes {
		layer := labels.OfGroup().Put(layers, p.Key.(string), p.Value)
		at := slices.IndexFunc(layers, func(l meta.Pair) bool { return l.Key == layer.Key })
		if at < 0 {
			at = len(layers)
			layers = append(layers, layer)
		}
		layers[at] = layer
		changed[at] = true
	}

	for at, layer := range layers {
		if !changed[at] {
			continue
		}
		raw, err := meta.Pack(layer.Value)
		if err != nil {
			return fmt.Errorf("%q: %w", layer.Key, err)
		}
		if err := f.SetVL(layer.Key.(string), raw); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAttribute deletes an attribute of a group. It fails with [cairn.ErrNotFound] if there is
// none of that name.
func (e *Editor) DeleteAttribute(ctx context.Context, group, name string) error {
	return e.changeAttributes(ctx, group, func(f *frame.Frame) error {
		layers, err := e.attributeLayers(f)
		if err != nil {
			return err
		}

		layer, rest, ok := labels.OfGroup().Drop(layers, name)
		switch {
		case !ok:
			return fmt.Errorf("attribute %q: %w", name, cairn.ErrNotFound)
		case len(rest) == 0:
			return f.DeleteVL(layer)
		}

		raw, err := meta.Pack(rest)
		if err != nil {
			return err
		}
		return f.SetVL(layer, raw)
	})
}

// MakeGroup makes a group that need not have leaves or attributes, now or later. If there is one,
// it stays as it is. Only tree stores keep such groups; others fail with [cairn.ErrUnsupported].
func (e *Editor) MakeGroup(ctx context.Context, group string) error {
	if e.isGroup(group) {
		return nil
	}
	return e.changeAttributes(ctx, group, func(*frame.Frame) error { return nil })
}

// errNoGroups returns the error for groups that a store does not keep.
func errNoGroups(kind Kind) error {
	return fmt.Errorf("the groups of this %s have no attributes, and none is empty: %w", kind, cairn.ErrUnsupported)
}

// changeAttributes applies a change to the frame whose metalayers of variable length are the
// attributes of a group. If that fails, they are unchanged.
func (e *Editor) changeAttributes(ctx context.Context, group string, change func(f *frame.Frame) error) error {
	return e.change(ctx, "set attribute", group, func() error {
		key, err := e.attributesKey(group)
		if err != nil {
			return err
		}

		l, err := e.find(key)
		if err == nil && e.newInfo == nil {
			return e.changeOne(ctx, &l, func(name string) error { return e.changeFile(ctx, name, change) })
		}

		name, err := e.newAttributes(&l, err == nil, change)
		if err != nil {
			return err
		}
		return e.install(ctx, key, name)
	})
}

// attributesKey returns the key of the frame with the attributes of a group. It fails if the group
// cannot have any.
func (e *Editor) attributesKey(group string) (string, error) {
	clean, err := cleanKey(group)
	if err != nil {
		return "", err
	}
	if e.kind != TreeStore {
		return "", errNoGroups(e.kind)
	}
	if _, ok := e.leaves.get(clean); ok {
		return "", fmt.Errorf("%q is a leaf, no group; Change sets attributes of arrays: %w", clean, cairn.ErrUnsupported)
	}
	return path.Join(clean, AttributesName), nil
}

// newAttributes creates a frame of attributes and copies those of l into it if there is true. It
// does not change the old frame, since a new store must not have dead bytes.
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
	if err != nil {
		return "", errors.Join(err, f.Abort())
	}

	if err = change(f); err != nil {
		return "", errors.Join(err, f.Abort())
	}
	return name, f.Close()
}

// replace writes a new archive and replaces the old one with it.
func (e *Editor) replace() error {
	var members []packedMember

	// Drop a member if its leaf was changed or deleted, or its group was deleted.
	leaves := map[string]bool{}
	groups := []string{}
	for _, key := range e.dropped {
		if strings.HasSuffix(key, "/") {
			groups = append(groups, key)
		} else {
			leaves[key] = true
		}
	}
	isDropped := func(name string) bool {
		return isLeafFile(name) && leaves[keyOf(name)] ||
			slices.ContainsFunc(groups, func(group string) bool { return strings.HasPrefix("/"+name, group) })
	}

	for _, f := range e.zip.File {
		if f.Name == embedName && e.private || isDropped(f.Name) {
			continue
		}
		members = append(members, packedMember{name: f.Name, size: int64(f.CompressedSize64), old: f})
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
		members = append(members, packedMember{name: embedName, file: name})
	}

	defer e.members.visit()()
	name, err := e.pack(members, e.zip.Comment)
	if err != nil {
		return placing.Uncommitted(err)
	}

	if err = takeOver(e.fsys, name, e.root, e.root); err != nil {
		return placing.Uncommitted(err)
	}

	if err = e.checkPath(e.root); err != nil {
		return placing.Uncommitted(err)
	}
	return e.rename(name, e.root)
}
