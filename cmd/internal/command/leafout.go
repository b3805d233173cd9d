package command

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/place"
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
	case out.name == place.Stream:
		std.job.leaveOut(out.keep)
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

// writeStream runs write with the path of a temporary frame, and copies the frame to standard
// output.
func (std *streams) writeStream(ctx context.Context, write func(path string) error) error {
	if f, ok := std.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return usagef("OUT is -, but standard output is a terminal and a frame is binary")
	}
	dir, err := os.MkdirTemp("", "cairn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "out.b2nd")
	if err := write(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Not with the fast paths of *os.File, which ignore the context.
	_, err = io.Copy(std.Output(ctx), struct{ io.Reader }{f})
	return err
}
