package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// writeOut runs write with the path of the frame to make. That is out, or a temporary file that
// goes to standard output or becomes a leaf; a missing store is created. The coordinates to keep go
// beside a leaf.
func (std *streams) writeOut(ctx context.Context, out string, force bool, keep []keptCoordinate,
	write func(path string) error) error {
	name, key, ok := splitLeaf(out)
	switch {
	case out == standardIO:
		return std.writeStream(ctx, write)
	case !ok:
		std.job.leaveOut(keep)
		return write(out)
	}
	e, err := editOrCreate(name)
	if err != nil {
		return err
	}
	onDisk := func(_ storage.FS, path string) error { return write(path) }
	if err := putLeaf(ctx, e, name, key, force, onDisk); err != nil {
		return errors.Join(err, e.Abort())
	}
	if err := putCoordinates(ctx, e, name, key, keep, force); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// editOrCreate opens a store for changes, a new one if there is none.
func editOrCreate(name string) (*store.Editor, error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return store.Edit(name, nil)
	}
	if err := storeName(name); err != nil {
		return nil, err
	}
	return store.Create(name, nil)
}

func putLeaf(ctx context.Context, e *store.Editor, name, key string, force bool,
	write func(fsys storage.FS, path string) error) error {
	l, err := e.Leaf(key)
	if err == nil && !force {
		return &fs.PathError{Op: "create", Path: name + leafMark + l.Key, Err: fs.ErrExist}
	}
	if err != nil && !errors.Is(err, cairn.ErrNotFound) {
		return err
	}
	return e.PutFunc(ctx, key, write)
}

// storeName fails for a name that no new store should have.
func storeName(name string) error {
	switch filepath.Ext(name) {
	case ".b2d", ".b2z", ".b2e":
		return nil
	}
	return usagef("%s: the name of a store ends in .b2d (a directory), .b2z (an archive) or .b2e (a single frame)", name)
}

// isLeaf reports whether an operand names a leaf of a store.
func isLeaf(path string) bool {
	_, _, ok := splitLeaf(path)
	return ok
}

// single reports whether an output is a single file by nature: a leaf, or standard output.
func single(out string) bool { return isLeaf(out) || out == standardIO }

// notSparse fails if an output that is to be sparse is a single file.
func notSparse(out string, sparse bool) error {
	if sparse && single(out) {
		return usagef("-sparse: %s is a single file, not a directory", out)
	}
	return nil
}

// besides returns the directory in which a path, or the store of a leaf, is.
func besides(path string) string {
	if path == standardIO {
		return os.TempDir()
	}
	name, _, _ := splitLeaf(path)
	return filepath.Dir(name)
}

// changeArray runs a change of an array in a file or a leaf. If it fails, the array stays as it
// was.
func changeArray(ctx context.Context, name string, workers int, change func(u *ndarray.Untyped) error) error {
	if err := checkWorkers(workers); err != nil {
		return err
	}
	if path, key, ok := splitLeaf(name); ok {
		return edit(path, workers, func(e *store.Editor) error { return e.Change(ctx, key, change) })
	}
	u, err := ndarray.Open(name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: workers})
	if err != nil {
		return notLeaf(name, nil, err)
	}
	if err = change(u); err == nil {
		err = u.Commit(ctx)
	}
	if err != nil {
		u.Abort()
		return err
	}
	return u.Close()
}

// edit runs a change of a store.
func edit(path string, workers int, change func(e *store.Editor) error) error {
	e, err := store.Edit(path, &store.OpenOptions{Workers: workers})
	if err != nil {
		return err
	}
	if err := change(e); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// changeFrame changes the metalayers of a file or a leaf, or the attributes of a group, all at once
// or not at all.
func changeFrame(ctx context.Context, path string, change func(f *frame.Frame) error) error {
	name, key, ok := splitLeaf(path)
	if !ok && isStore(path, nil) {
		name, key, ok = path, "/", true
	}
	if ok {
		return edit(name, 0, func(e *store.Editor) error { return e.ChangeFrame(ctx, key, change) })
	}
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		return err
	}
	if err := change(f); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// notLeaf returns advice for a store that failed to open as an array.
func notLeaf(path string, files storage.FS, err error) error {
	if isStore(path, files) {
		return fmt.Errorf("%s is a store; name an array in it as %s%s/KEY: %w", path, path, leafMark,
			cairn.ErrUnsupported)
	}
	return err
}
