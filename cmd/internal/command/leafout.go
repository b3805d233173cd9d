package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// An output is a frame that a verb makes.
type output struct {
	name   string
	force  bool
	sparse bool
	keep   []keptCoordinate
}

// writeOut runs write with the path of the frame to make. That is the name of the output, or a
// temporary file that goes to standard output or to a bucket, or becomes a leaf; a missing store is
// created. The coordinates to keep go beside a leaf.
func (std *streams) writeOut(ctx context.Context, out output, write func(path string) error) error {
	p := place.Of(out.name)
	name, key := p.Name, p.Key
	switch {
	case out.name == standardIO:
		return std.writeStream(ctx, write)
	case !p.Keyed && out.sparse && p.Kind == place.Bucket:
		std.job.leaveOut(out.keep)
		return std.writeInBucket(p, write)
	case !p.Keyed:
		std.job.leaveOut(out.keep)
		return std.onDisk(ctx, name, out.force, write)
	}
	e, err := editOrCreate(name)
	if err != nil {
		return err
	}
	leaf := func(_ storage.FS, path string) error { return write(path) }
	if err := putLeaf(ctx, e, name, key, out.force, leaf); err != nil {
		return errors.Join(err, e.Abort())
	}
	if err := putCoordinates(ctx, e, name, key, out.keep, out.force); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// editOrCreate opens a store for changes, a new one if there is none.
func editOrCreate(name string) (*store.Editor, error) {
	if err := here(name); err != nil {
		return nil, err
	}
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
	if err := mayPut(e, name, key, force); err != nil {
		return err
	}
	return e.PutFunc(ctx, key, write)
}

// mayPut fails if a store has a leaf that must not be replaced.
func mayPut(e *store.Editor, name, key string, force bool) error {
	l, err := e.Leaf(key)
	if err == nil && !force {
		return &fs.PathError{Op: "create", Path: name + place.Mark + l.Key, Err: fs.ErrExist}
	}
	if err != nil && !errors.Is(err, cairn.ErrNotFound) {
		return err
	}
	return nil
}

// storeName fails for a name that no new store should have.
func storeName(name string) error {
	switch filepath.Ext(name) {
	case ".b2d", ".b2z", ".b2e":
		return nil
	}
	return usagef("%s: the name of a store ends in .b2d (a directory), .b2z (an archive) or .b2e (a single frame)", name)
}

// notSparse fails if an output that is to be sparse is a single file.
func notSparse(out string, sparse bool) error {
	if sparse && place.Of(out).One() {
		return usagef("-sparse: %s is a single file, not a directory", out)
	}
	return nil
}

// besides returns the directory in which a path, or the store of a leaf, is.
func besides(path string) string {
	p := place.Of(path)
	if p.Kind != place.Local {
		return os.TempDir()
	}
	return filepath.Dir(p.Name)
}

// changeShape runs a change of the shape of an array, as changeArray does. It fails for a part of a
// table, since the other parts would not have its length.
func (std *streams) changeShape(ctx context.Context, name string, workers int,
	change func(u *ndarray.Untyped) error) error {
	if err := notInTable(name); err != nil {
		return err
	}
	return std.changeArray(ctx, name, workers, change)
}

// notInTable fails for an array that is part of a table.
func notInTable(name string) error {
	table, err := tableAround(name)
	if err == nil && table != "" {
		err = fmt.Errorf("%s is part of the table %s, whose columns have one length: "+
			"add and delete rows with python-blosc2 (extend, delete): %w", name, table, cairn.ErrUnsupported)
	}
	return err
}

// tableAround returns the table that an array is part of, or "".
func tableAround(name string) (string, error) {
	p := place.Of(name)
	if p.Far() {
		return "", nil // where no table can be changed
	}
	if p.Keyed {
		return tableOfLeaf(p.Name, p.Key)
	}
	file, err := filepath.Abs(name)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return "", nil // opening it says what is wrong
	}
	for _, p := range derived.Parts(filepath.ToSlash(file)) {
		if _, err := os.Stat(filepath.FromSlash(p.Table + "/" + derived.Manifest + ".b2f")); err == nil {
			return p.Table, nil
		}
	}
	return "", nil
}

// tableOfLeaf is tableAround for a leaf.
func tableOfLeaf(name, key string) (string, error) {
	s, err := store.Open(name, nil)
	if err != nil {
		return "", err
	}
	defer s.Close()
	objects, err := s.Objects()
	if err != nil {
		return "", err
	}
	table, ok := operand.ObjectAround(objects, key)
	if !ok {
		return "", nil
	}
	return name + place.Mark + table, nil
}

// changeArray runs a change of an array in a file or a leaf. If it fails, the array stays as it
// was.
func (std *streams) changeArray(ctx context.Context, name string, workers int,
	change func(u *ndarray.Untyped) error) error {
	if err := checkWorkers(workers); err != nil {
		return err
	}
	p := place.Of(name)
	if p.Keyed {
		return edit(p.Name, workers, func(e *store.Editor) error { return e.Change(ctx, p.Key, change) })
	}
	files, err := std.changeable(p)
	if err != nil {
		return err
	}
	u, err := ndarray.Open(name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: workers, FS: files,
		Commits: frame.Commits{Retry: files != nil}})
	if err != nil {
		return std.notLeaf(ctx, p, err)
	}
	if files != nil {
		err = u.Atomically(ctx, func() error { return change(u) })
	} else if err = change(u); err == nil {
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
	if err := here(path); err != nil {
		return err
	}
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
func (std *streams) changeFrame(ctx context.Context, path string, change func(f *frame.Frame) error) error {
	p := place.Of(path)
	if std.at.IsStore(ctx, p) {
		p.Key, p.Keyed = "/", true
	}
	if p.Keyed {
		return edit(p.Name, 0, func(e *store.Editor) error { return e.ChangeFrame(ctx, p.Key, change) })
	}
	files, err := std.changeable(p)
	if err != nil {
		return err
	}
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite, FS: files,
		Commits: frame.Commits{Retry: files != nil}})
	if err != nil {
		return err
	}
	if files != nil {
		err = f.Atomically(ctx, func() error { return change(f) })
	} else {
		err = change(f)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// notLeaf returns advice for a store that failed to open as an array.
func (std *streams) notLeaf(ctx context.Context, p place.Place, err error) error {
	if std.at.IsStore(ctx, p) {
		return fmt.Errorf("%s is a store; name an array in it as %s%s/KEY: %w", p, p, place.Mark, cairn.ErrUnsupported)
	}
	return err
}
