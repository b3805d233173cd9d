package store

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Put stores a copy of src under key and replaces the leaf of that key, if any. src is an array,
// which is copied with its metalayers, a view, or any other [ndarray.Source]. Chunks of arrays are
// copied without recompression unless o requires it. o may be nil; its FS and Sparse must not be
// set.
func (e *Editor) Put(ctx context.Context, key string, src ndarray.Source, o *ndarray.CopyOptions) error {
	var c ndarray.CopyOptions
	if o != nil {
		c = *o
	}
	if c.FS != nil {
		return e.failed("put", key, errkind.Invalid(fmt.Errorf("FS cannot be set for a leaf: %w",
			cairn.ErrUnsupported)))
	}

	c.Sparse = new(false)
	return e.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		c.FS = fsys
		return ndarray.Save(ctx, path, src, &c)
	})
}

// PutFunc stores the frame that write creates at path in fsys under key, and replaces the leaf of
// that key, if any. The frame must be contiguous and may be an array. The store does not change
// before write returns, and not at all if write fails. [Editor.PutAll] puts several leaves, such as
// those of a table.
//
//	err := e.PutFunc(ctx, "/bytes", func(fsys storage.FS, path string) error {
//		o := &frame.CopyOptions{FS: fsys, Sparse: new(false)}
//		return frame.Copy(ctx, path, f.Snapshot(), o)
//	})
func (e *Editor) PutFunc(ctx context.Context, key string, write func(fsys storage.FS, path string) error) error {
	clean, err := cleanKey(key)
	if err != nil {
		return e.failed("put", key, err)
	}

	if err = e.free(clean, nil); err != nil {
		return e.failed("put", key, err)
	}

	written := func(fsys storage.FS, path string) error {
		err := write(fsys, path)
		if err != nil {
			return err
		}

		_, err = e.moveIndexes(ctx, clean, path, func(key string) bool {
			_, ok := e.leaves.get(key)
			return ok
		})
		return err
	}

	// another change may have taken the key meanwhile
	return e.put(ctx, clean, written, func() error { return e.free(clean, nil) })
}

// put is PutFunc for a clean key. check runs after write, within the change.
func (e *Editor) put(ctx context.Context, key string, write func(fsys storage.FS, path string) error,
	check func() error) error {
	path, err := e.write(write)
	if err != nil {
		return e.failed("put", key, err)
	}

	return e.change(ctx, "put", key, func() error {
		if err := check(); err != nil {
			return err
		}
		return e.install(ctx, key, path)
	})
}

// write makes a file for a leaf, and returns its path.
func (e *Editor) write(write func(fsys storage.FS, path string) error) (path string, err error) {
	if path, err = e.newFile(); err != nil {
		return "", err
	}
	return path, write(e.fsys, path)
}

// free fails if key cannot be used for a leaf, which may be part of a table of the same bundle.
func (e *Editor) free(key string, tables []string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if e.newInfo == nil { // a copy puts tables leaf by leaf
		root, kind, err := e.objectAt(key)
		if err != nil {
			return err
		}
		if root != "" && !slices.Contains(tables, root) {
			return fmt.Errorf("leaf %q would be part of the %s %q, which can only be replaced as a whole: %w", key,
				kind, root, cairn.ErrUnsupported)
		}
	}

	if e.kind != TreeStore {
		return nil
	}
	if e.leaves.isGroup(key) {
		return conflict("leaf %q conflicts with a group of the same key", key)
	}

	for other := path.Dir(key); other != "/"; other = path.Dir(other) {
		if _, ok := e.leaves.get(other); ok {
			return conflict("leaf %q conflicts with the leaf %q", key, other)
		}
	}
	return nil
}

// conflict returns an error about a key that something has which is not replaced.
func conflict(format string, args ...any) error {
	return errkind.Mark(fmt.Errorf(format+": %w", append(args, fs.ErrExist)...), errkind.ErrKept)
}

// install adds a finished file as a leaf.
func (e *Editor) install(ctx context.Context, key, file string) error {
	l, err := e.finished(key, file)
	if err != nil {
		return err
	}

	switch e.form {
	case embedForm:
		return e.embedLeaf(ctx, key, file)
	case archive:
		e.dropped = append(e.dropped, key)
	default:
		l.staged = ""
		if err := e.moveIn(&l, file); err != nil {
			return err
		}
	}

	e.leaves.set(l)
	return e.unlist(func(k string) bool { return k == key })
}

// finished returns the leaf that a finished file will be.
func (e *Editor) finished(key, file string) (Leaf, error) {
	info, err := e.fsys.Stat(file)
	if err != nil {
		return Leaf{}, err
	}
	if info.Dir {
		return Leaf{}, fmt.Errorf("a leaf is a contiguous frame, and this is a directory: %w", cairn.ErrUnsupported)
	}

	l := Leaf{Key: key, Size: info.Size, staged: file}
	kind, err := e.kindOf(&l)
	l.File = strings.TrimPrefix(key, "/") + extensionOf(kind)
	return l, err
}

// embedLeaf appends a finished file to the embed store and adds the leaf.
func (e *Editor) embedLeaf(ctx context.Context, key, file string) error {
	list, err := readList(e.embed.Load())
	if err != nil {
		return err
	}

	if err = embedFile(ctx, e.fsys, file, key, e.embed.Load(), list); err != nil {
		return err
	}

	if err = list.write(e.embed.Load()); err != nil {
		return err
	}

	at, _ := list.entries.Get(key)
	l, err := embeddedLeaf(key, at, e.embed.Load().NBytes())
	if err != nil {
		return err
	}

	e.leaves.set(l)
	return e.fsys.Remove(file)
}

// unlist removes the matching keys from the list of embedded leaves.
func (e *Editor) unlist(match func(key string) bool) error {
	list, err := readList(e.embed.Load())
	if err != nil || !list.drop(match) {
		return err
	}
	if err := e.makeEmbedPrivate(); err != nil {
		return err
	}
	return list.write(e.embed.Load())
}

// makeEmbedPrivate replaces the embed frame of an archive with a private copy that can be changed.
func (e *Editor) makeEmbedPrivate() error {
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

	e.old = e.embed.Swap(f)
	e.private = true
	return nil
}

// moveIn moves a finished file to the place of a leaf in a directory. If the leaf has a file of
// another extension, that file is replaced first and then renamed, because replacing is atomic.
func (e *Editor) moveIn(l *Leaf, file string) error {
	e.persisted = true
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
	if err := e.decides(e.rename(file, e.at(target))); err != nil {
		return err
	}

	if err := e.removeOthers(l.Key, target); err != nil || target == l.File {
		return err
	}
	return e.rename(e.at(target), e.at(l.File))
}

// rename renames durably. Both directories are synced; an error of that matches
// [cairn.ErrCommitted].
func (e *Editor) rename(from, to string) error {
	if err := e.fsys.Rename(from, to); err != nil {
		return err
	}
	if err := e.fsys.SyncDir(path.Dir(to)); err != nil || path.Dir(from) == path.Dir(to) {
		return placing.Committed(err)
	}
	return placing.Committed(e.fsys.SyncDir(path.Dir(from)))
}

// removeOthers removes the files of a key except one.
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
