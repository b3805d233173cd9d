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
	to     target
	force  bool
	sparse bool
	keep   []keptCoordinate
}

// writeOut runs write with the path of the frame to make. That is the name of the output, or a
// temporary file that goes to standard output or to a bucket, or becomes a leaf; a missing store is
// created. The coordinates to keep go beside a leaf.
func (std *streams) writeOut(ctx context.Context, out output, write func(path string) error) error {
	to := out.to
	if !to.Keyed {
		std.job.leaveOut(out.keep)
	}
	switch {
	case to.stream():
		return std.writeStream(ctx, write)
	case !to.Keyed && out.sparse && to.Kind == place.Bucket:
		return std.writeInBucket(to, write)
	case !to.Keyed:
		return std.onDisk(ctx, to, out.force, write)
	}

	e, err := std.editOrCreate(ctx, to)
	if err != nil {
		return err
	}
	if err := mayPut(e, to.Name, to.Key, out.force); err != nil {
		return errors.Join(err, e.Abort())
	}
	leaf := func(_ storage.FS, path string) error { return write(path) }
	if err := e.PutFunc(ctx, to.Key, leaf); err != nil {
		return errors.Join(err, e.Abort())
	}
	if err := putCoordinates(ctx, e, to.Name, to.Key, out.keep, out.force); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// editOrCreate opens the store of a leaf for changes, a new one if there is none.
func (std *streams) editOrCreate(ctx context.Context, to target) (*store.Editor, error) {
	if err := checkLocal(to.Place); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(to.Name); !errors.Is(err, fs.ErrNotExist) {
		e, err := store.Edit(to.Name, nil)
		return e, std.onlyRead(ctx, to.Place, err, func(string) string {
			return "an array can be put into a store, such as out.b2z" + place.Mark + to.Key
		})
	}
	if err := to.checkStore(); err != nil {
		return nil, err
	}
	return store.Create(to.Name, nil)
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
