package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
)

// Rename gives a leaf, or a group with all leaves below it and its attributes, another key. Groups
// around the new key need not exist. A key that is both a leaf and a group, which only dict stores
// have, means the leaf. Rename fails with [cairn.ErrNotFound] if there is neither, and with
// [fs.ErrExist] if there is something at the new key. Nothing is encoded again, and in a directory
// no bytes of leaves in files of their own are copied.
//
// Tables, and arrays with indexes of python-blosc2, cannot be renamed, since their files name each
// other; nor can groups with any of them. They match [cairn.ErrUnsupported].
func (e *Editor) Rename(ctx context.Context, from, to string) error {
	old, err := cleanKey(from)
	if err == nil && (old == "/" || hidden(old)) {
		err = fmt.Errorf("key %q is not that of a leaf or a group: %w", old, cairn.ErrBounds)
	}
	var clean string
	if err != nil {
		return e.failed("rename", from, err)
	}

	clean, err = cleanKey(to)
	if err != nil {
		return e.failed("rename", from, err)
	}

	return e.change(ctx, "rename", old, func() error {
		r, err := e.renaming(old, clean)
		if err != nil {
			return err
		}
		return r.run(ctx)
	})
}

// A renaming is a change of keys that can be made.
type renaming struct {
	e        *Editor
	from, to string
	group    bool   // otherwise a leaf
	leaves   []Leaf // as they are before
}

// renaming checks that a leaf or group can be renamed.
func (e *Editor) renaming(from, to string) (*renaming, error) {
	r := &renaming{e: e, from: from, to: to}
	root, kind, err := e.objectAt(from)
	if err != nil {
		return nil, err
	}
	if root != "" {
		return nil, fmt.Errorf("%q is in the %s %q, whose files name each other; copy it to the new key: %w", from,
			kind, root, cairn.ErrUnsupported)
	}

	l, err := e.find(from)
	switch {
	case err == nil:
		r.leaves = []Leaf{l}
	case e.isGroup(from):
		r.group = true
		r.leaves = e.leaves.below(from)
	default:
		return nil, fmt.Errorf("no leaf or group %q: %w", from, cairn.ErrNotFound)
	}

	// Fail if the new key is taken, or no leaf could have it.
	if r.group && isBelow(r.to, r.from) {
		return nil, fmt.Errorf("%q is below %q: %w", r.to, r.from, cairn.ErrBounds)
	}
	_, taken := r.e.leaves.get(r.to)
	if taken || r.group && r.e.leaves.isGroup(r.to) {
		return nil, fmt.Errorf("there is a leaf or group %q already: %w", r.to, fs.ErrExist)
	}
	if err := r.e.free(r.to, nil); err != nil {
		return nil, err
	}

	return r, r.checkParts()
}

// checkParts fails if something that is renamed refers to places in the store.
func (r *renaming) checkParts() error {
	objects, err := r.e.Objects()
	if err != nil {
		return err
	}
	for key, kind := range objects {
		if isBelow(key, r.from) {
			return fmt.Errorf("in it is the %s %q, whose files name each other; copy it to the new key: %w", kind, key,
				cairn.ErrUnsupported)
		}
	}

	for i := range r.leaves {
		l := &r.leaves[i]
		if key := r.renamed(l.Key); strings.Count(key, "/") > maxDepth {
			return fmt.Errorf("the key %.100q would be more than %d groups deep: %w", key, maxDepth, cairn.ErrLimit)
		}
		if l.isRemote() {
			continue
		}

		indexed := false
		err := r.e.within(l, func(f *frame.Frame) error {
			_, err := f.VL(derived.IndexesLayer)
			indexed = err == nil
			return nil
		})
		if err == nil && indexed {
			return fmt.Errorf("%q has indexes in files of their own; copy it to the new key: %w", l.Key,
				cairn.ErrUnsupported)
		}
	}
	return nil
}

// has reports whether what has a key is renamed.
func (r *renaming) has(key string) bool {
	if r.group {
		return isBelow(key, r.from)
	}
	return key == r.from
}

// renamed returns the new key.
func (r *renaming) renamed(key string) string { return r.to + strings.TrimPrefix(key, r.from) }

func (r *renaming) run(ctx context.Context) error {
	moved := make([]Leaf, len(r.leaves))
	copy(moved, r.leaves)

	var err error
	if r.e.form == directory {
		err = r.inDirectory(ctx, moved)
	} else {
		err = r.inArchive(moved)
	}
	if err != nil {
		return err
	}

	for i := range moved {
		l := &moved[i]
		if !l.Embedded {
			l.File = r.renamed(l.Key)[1:] + strings.TrimPrefix(l.File, l.Key[1:])
		}
		r.e.leaves.unset(l.Key)
		l.Key = r.renamed(l.Key)
		r.e.leaves.set(*l)
	}
	return nil
}

// inArchive is for archives, embed stores and new stores. Members become files that Close packs
// under their new names.
func (r *renaming) inArchive(moved []Leaf) error {
	for i := range moved {
		l := &moved[i]
		if l.Embedded {
			continue
		}
		if l.staged == "" {
			name, err := r.e.extract(l)
			if err != nil {
				return err
			}
			l.staged = name
		}
		r.e.dropped = append(r.e.dropped, l.Key)
	}
	return r.relist()
}

// inDirectory makes the change in one step: a commit of the embed store, or the renaming of a file
// or a folder. For that, embedded leaves of a group with a folder are moved there first.
func (r *renaming) inDirectory(ctx context.Context, moved []Leaf) error {
	e := r.e
	from := r.from[1:]
	to := r.to[1:]
	if r.group {
		info, err := e.fsys.Stat(e.at(from))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Dir {
			return r.relist()
		}
		if err != nil {
			return err
		}
		if err := r.unembed(moved); err != nil {
			return err
		}
	} else {
		if moved[0].Embedded {
			return r.relist()
		}
		to += strings.TrimPrefix(moved[0].File, from)
		from = moved[0].File
	}

	// Embedded leaves and other files of the same keys are not seen now, and must not be then.
	if err := e.unlist(r.has); err != nil {
		return err
	}
	if err := e.commitEmbed(ctx); err != nil {
		return err
	}
	if !r.group {
		if err := e.removeOthers(r.from, from); err != nil {
			return err
		}
	}

	if err := e.vacate(to); err != nil {
		return err
	}
	if err := makeFolders(e.fsys, e.root, path.Dir(to)); err != nil {
		return err
	}
	return e.decides(e.rename(e.at(from), e.at(to)))
}

// unembed moves embedded leaves to files in the folder of the group.
func (r *renaming) unembed(moved []Leaf) error {
	for i := range moved {
		if moved[i].isRemote() {
			return fmt.Errorf("%q is on a server; rename the leaves of the group: %w", moved[i].Key, cairn.ErrUnsupported)
		}
	}

	if err := r.e.unembed(r.has); err != nil {
		return err
	}

	for i := range moved {
		if l := &moved[i]; l.Embedded {
			l.Embedded = false
			l.Offset = 0
			l.File = l.Key[1:] + ".b2f"
		}
	}
	return nil
}

// vacate removes an empty folder from where a file or folder will be. Anything else stays, and is
// an error.
func (e *Editor) vacate(name string) error {
	info, err := e.fsys.Stat(e.at(name))
	if err != nil {
		return ignoreMissing(err)
	}
	if info.Dir {
		entries, err := e.fsys.ReadDir(e.at(name))
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return e.remove(name)
		}
	}
	return fmt.Errorf("the store has a file or folder %q, which is no leaf: %w", name, fs.ErrExist)
}

// relist changes the keys of embedded leaves. Entries that a file or a member hides are dropped.
func (r *renaming) relist() error {
	list, err := readList(r.e.embed.Load())
	if err != nil {
		return err
	}

	embedded := map[string]bool{}
	for i := range r.leaves {
		embedded[r.leaves[i].Key] = r.leaves[i].Embedded
	}

	changed := list.drop(func(key string) bool { return r.has(key) && !embedded[key] })
	for i := range list.entries {
		if key, _ := list.entries[i].Key.(string); r.has(key) {
			list.entries[i].Key = r.renamed(key)
			changed = true
		}
	}

	if !changed {
		return nil
	}
	if err := r.e.makeEmbedPrivate(); err != nil {
		return err
	}
	return list.write(r.e.embed.Load())
}
