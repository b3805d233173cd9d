package store

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Put makes a copy of a source a leaf, in the place of the leaf that has the key: of an array, with
// its metalayers, of a view, or of anything else that is read like one. Chunks of arrays are taken
// over as they are encoded unless o asks for something else. o may be nil; FS and Sparse must not
// be set in it.
func (e *Editor) Put(ctx context.Context, key string, src ndarray.Source, o *ndarray.CopyOptions) error {
	var c ndarray.CopyOptions
	if o != nil {
		c = *o
	}
	if c.FS != nil {
		return e.fail("put", key, fmt.Errorf("a leaf is where the store is: %w", cairn.ErrUnsupported))
	}
	c.Sparse = new(false)
	return e.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		c.FS = fsys
		return ndarray.Save(ctx, path, src, &c)
	})
}

// PutFunc makes a leaf of what write makes at path in fsys: a contiguous frame, which may be an
// array. It takes the place of the leaf that has the key. Nothing is changed before write returns,
// and nothing at all if it fails.
//
//	err := e.PutFunc(ctx, "/bytes", func(fsys storage.FS, path string) error {
//		o := &frame.CopyOptions{FS: fsys, Sparse: new(false)}
//		return frame.Copy(ctx, path, f, o)
//	})
func (e *Editor) PutFunc(ctx context.Context, key string, write func(fsys storage.FS, path string) error) error {
	clean, err := cleanKey(key)
	if err == nil {
		err = e.free(clean)
	}
	if err != nil {
		return e.fail("put", key, err)
	}
	// others may have changed the store
	return e.put(ctx, clean, write, func() error { return e.free(clean) })
}

// put is PutFunc for a clean key, which check allows once more when the file is there.
func (e *Editor) put(ctx context.Context, key string, write func(fsys storage.FS, path string) error,
	check func() error) error {
	path, err := e.newFile()
	if err == nil {
		err = write(e.fsys, path)
	}
	if err != nil {
		return e.fail("put", key, err)
	}
	return e.change(ctx, "put", key, func() error {
		if err := check(); err != nil {
			return err
		}
		return e.install(ctx, key, path)
	})
}

// free fails if a key cannot be that of a leaf.
func (e *Editor) free(key string) error {
	if key == "/" || hidden(key) {
		return fmt.Errorf("key %q is not for leaves: %w", key, cairn.ErrBounds)
	}
	if e.made == nil { // tables may be made leaf by leaf
		root, kind, err := e.objectAt(key)
		if err != nil {
			return err
		}
		if root != "" {
			return fmt.Errorf("leaf %q, and there is the %s %q: %w", key, kind, root, fs.ErrExist)
		}
	}
	if e.kind != TreeStore {
		return nil
	}
	if e.leaves.isGroup(key) {
		return fmt.Errorf("leaf %q, and there is a group of that key: %w", key, fs.ErrExist)
	}
	for other := path.Dir(key); other != "/"; other = path.Dir(other) {
		if _, ok := e.leaves.get(other); ok {
			return fmt.Errorf("leaf %q, and there is the leaf %q: %w", key, other, fs.ErrExist)
		}
	}
	return nil
}

// install makes a finished file a leaf.
func (e *Editor) install(ctx context.Context, key, file string) error {
	info, err := e.fsys.Stat(file)
	if err != nil {
		return err
	}
	if info.Dir {
		return fmt.Errorf("a leaf is a contiguous frame, and this is a directory: %w", cairn.ErrUnsupported)
	}
	kind, err := e.kindOf(&Leaf{Key: key, staged: file})
	if err != nil {
		return err
	}
	l := Leaf{Key: key, Size: info.Size, File: strings.TrimPrefix(key, "/") + extensionOf(kind)}
	switch e.form {
	case embedForm:
		return e.embedLeaf(ctx, key, file)
	case archive:
		l.staged = file
		e.dropped = append(e.dropped, key)
	default:
		if err := e.moveIn(&l, file); err != nil {
			return err
		}
	}
	e.leaves.set(l)
	return e.unlist(func(k string) bool { return k == key })
}

// embedLeaf puts a finished file into the embed store, and the leaf with it.
func (e *Editor) embedLeaf(ctx context.Context, key, file string) error {
	list, err := readList(e.embed.Load())
	if err == nil {
		err = embedFile(ctx, e.fsys, file, key, e.embed.Load(), list)
	}
	if err == nil {
		err = list.write(e.embed.Load())
	}
	if err != nil {
		return err
	}
	at, _ := list.entries.Get(key)
	l, err := embeddedLeaf(key, at, e.embed.Load().NBytes())
	if err == nil {
		e.leaves.set(l)
		err = e.fsys.Remove(file)
	}
	return err
}

// unlist takes the keys that match out of the list of embedded leaves, if there are any.
func (e *Editor) unlist(match func(key string) bool) error {
	list, err := readList(e.embed.Load())
	if err != nil || !list.drop(match) {
		return err
	}
	if err := e.own(); err != nil {
		return err
	}
	return list.write(e.embed.Load())
}

// own makes the embed frame one that can be changed.
func (e *Editor) own() error {
	if e.form != archive || e.private {
		return nil
	}
	raw, err := e.embed.Load().Bytes()
	if err != nil {
		return err
	}
	name, err := e.stage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	o := e.frameOptions()
	o.Mode = frame.ReadWrite
	f, err := frame.Open(name, o)
	if err != nil {
		return err
	}
	e.old, e.private = e.embed.Swap(f), true
	return nil
}

// moveIn gives a finished file the place of a leaf in a directory. A file that the leaf had is
// replaced under its own name first, since that is a single step.
func (e *Editor) moveIn(l *Leaf, file string) error {
	e.lasting = true
	target := l.File
	if old, err := e.Leaf(l.Key); err == nil && !old.Embedded {
		target = old.File
	}
	if err := makeFolders(e.fsys, e.root, path.Dir(target)); err != nil {
		return err
	}
	if err := takeOver(e.fsys, file, e.at(target), e.root); err != nil {
		return err
	}
	if err := e.rename(file, e.at(target)); err != nil {
		return err
	}
	if err := e.removeOthers(l.Key, target); err != nil || target == l.File {
		return err
	}
	return e.rename(e.at(target), e.at(l.File))
}

// rename renames durably. An entry that moves is one of both directories.
func (e *Editor) rename(from, to string) error {
	if err := e.fsys.Rename(from, to); err != nil {
		return err
	}
	if err := e.fsys.SyncDir(path.Dir(to)); err != nil || path.Dir(from) == path.Dir(to) {
		return err
	}
	return e.fsys.SyncDir(path.Dir(from))
}

// removeOthers removes the files of a key in a directory, but for one.
func (e *Editor) removeOthers(key, but string) error {
	for _, ext := range leafExtensions {
		name := strings.TrimPrefix(key, "/") + ext
		if name == but {
			continue
		}
		if info, err := e.fsys.Stat(e.at(name)); err != nil || info.Dir {
			continue // most keys have one file
		}
		if err := e.remove(name); err != nil {
			return err
		}
	}
	return nil
}
