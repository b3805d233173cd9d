package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// Delete deletes a leaf, or a group with all leaves below it and its attributes. A key that is
// both, which only dict stores have, means the leaf. It fails with [cairn.ErrNotFound] if there is
// neither. The bytes of an embedded leaf stay in the embed store, unused.
func (e *Editor) Delete(ctx context.Context, key string) error {
	clean, err := cleanKey(key)
	if err == nil && (clean == "/" || hidden(clean)) {
		err = fmt.Errorf("key %q is not that of a leaf or a group: %w", clean, cairn.ErrBounds)
	}
	if err != nil {
		return e.failed("delete", key, err)
	}

	return e.change(ctx, "delete", clean, func() error {
		root, kind, err := e.objectAt(clean)
		if err != nil {
			return err
		}
		if root != "" && root != clean {
			return fmt.Errorf("%q is part of the %s %q, which can only be deleted as a whole: %w", clean, kind, root,
				cairn.ErrUnsupported)
		}

		l, err := e.find(clean)
		switch {
		case err == nil:
			if err := e.unlist(func(key string) bool { return key == l.Key }); err != nil {
				return err
			}

			e.leaves.unset(l.Key)
			if e.form == archive {
				e.dropped = append(e.dropped, l.Key)
			}
			if e.form != directory || l.Embedded {
				return nil
			}

			// Other files of the same key, or an embedded leaf, must not become visible.
			if err := errors.Join(e.commitEmbed(ctx), e.removeOthers(l.Key, l.File)); err != nil {
				return err
			}
			return e.decides(e.remove(l.File))
		case !e.isGroup(clean) && root == "":
			return fmt.Errorf("no leaf or group %q: %w", clean, cairn.ErrNotFound)
		}
		return e.deleteGroup(ctx, clean)
	})
}

// remove removes a file of a directory durably. An error of the sync matches [cairn.ErrCommitted].
func (e *Editor) remove(file string) error {
	if err := e.fsys.Remove(e.at(file)); err != nil {
		return err
	}
	return placing.Committed(e.fsys.SyncDir(path.Dir(e.at(file))))
}

// deleteGroup deletes a group. In a directory this must be one step, the removal of the folder. So
// its embedded leaves are first moved to files in the folder, if there is one.
func (e *Editor) deleteGroup(ctx context.Context, group string) error {
	match := func(key string) bool { return key == group || isBelow(key, group) }
	folder := ""
	if e.form == directory {
		folder = e.at(strings.TrimPrefix(group, "/"))
		if _, err := e.fsys.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			folder = ""
		} else if err != nil {
			return err
		}
	}

	if folder != "" {
		if err := e.unembed(match); err != nil {
			return err
		}
	}

	if err := errors.Join(e.unlist(match), e.unregister(match)); err != nil {
		return err
	}
	e.leaves.unset(group)
	e.leaves.unsetGroup(group)
	if e.form == archive {
		e.dropped = append(e.dropped, group+"/")
	}

	if folder == "" {
		return nil
	}
	if err := e.commitEmbed(ctx); err != nil {
		return err
	}

	gone, err := e.newFile()
	if err != nil {
		return err
	}
	if err := e.decides(e.rename(folder, gone)); err != nil {
		return err
	}
	return e.fsys.RemoveAll(gone)
}

// unembed moves the matching embedded leaves to files. Readers see no difference, since a file
// takes precedence over an embedded leaf of the same key.
func (e *Editor) unembed(match func(key string) bool) error {
	defer func(was bool) { e.visible = was }(e.visible)
	for _, l := range e.leaves.snapshot() {
		if !l.Embedded || l.URL != "" || !match(l.Key) {
			continue
		}
		if clean, err := cleanKey(l.Key); err != nil || clean != l.Key {
			return cairn.Corruptf("embed store", -1, "the key %q", l.Key)
		}

		file, err := e.extract(&l)
		if err != nil {
			return err
		}

		moved := Leaf{Key: l.Key, File: strings.TrimPrefix(l.Key, "/") + ".b2f"}
		if err := e.moveIn(&moved, file); err != nil {
			return err
		}
	}
	return nil
}

// commitEmbed commits what is staged in the embed store of a directory and continues the change.
func (e *Editor) commitEmbed(ctx context.Context) error {
	e.persisted = true
	if err := e.embed.Load().Commit(ctx); err != nil {
		return err
	}
	if err := e.embed.Load().Lock(ctx); err != nil {
		return err
	}
	return e.tick()
}

// unregister removes the matching objects from the list of objects.
func (e *Editor) unregister(match func(key string) bool) error {
	registry, err := e.registry()
	list := embedList{entries: registry}
	if err != nil || !list.drop(match) {
		return err
	}

	raw, err := meta.Pack(list.entries)
	if err != nil {
		return err
	}

	if err = e.makeEmbedPrivate(); err != nil {
		return err
	}

	return e.embed.Load().SetVL(registryName, raw)
}

// extract copies the frame of a leaf to a new file in the staging directory.
func (e *Editor) extract(l *Leaf) (string, error) {
	_, r, err := e.place(l)
	if err != nil {
		return "", err
	}
	return e.stage(io.NewSectionReader(r, 0, l.Size))
}

// stage copies r to a new file in the staging directory.
func (e *Editor) stage(r io.Reader) (string, error) {
	name, err := e.newFile()
	if err != nil {
		return name, err
	}

	err = writeFile(e.fsys, name, r)
	return name, err
}

// writeFile creates a file with the contents of r.
func writeFile(fsys storage.FS, name string, r io.Reader) error {
	out, err := fsys.Create(name)
	if err != nil {
		return err
	}
	if _, err = io.Copy(io.NewOffsetWriter(out, 0), r); err != nil {
		return errors.Join(err, out.Close())
	}

	err = out.Sync()
	return errors.Join(err, out.Close())
}
