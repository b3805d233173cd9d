package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/storage"
)

// sparseIn returns the file system for a sparse output in a bucket, nil for any other.
func (std *streams) sparseIn(out target, sparse bool) storage.FS {
	if sparse && !out.Keyed && out.Kind == place.Bucket {
		return std.at.FS(out.Place)
	}
	return nil
}

// writeInBucket runs write, which makes a frame in the layout of buckets, unless something else has
// the name.
func (std *streams) writeInBucket(out target, write func(path string) error) error {
	mark, err := std.at.Mark(out.Place)
	switch {
	case err == nil && mark != bucketurl.AFrame:
		err := fmt.Errorf("%s is something else in the bucket; choose another name: %w", out, fs.ErrExist)
		return errkind.Mark(err, errkind.ErrKept)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	defer std.at.Buckets.Forget(out.Name)
	return write(out.Name)
}

// onDisk runs write with the path of an output on this machine. What becomes an object of a bucket,
// or several, is written to a temporary directory first.
func (std *streams) onDisk(ctx context.Context, out target, force bool, write func(path string) error) error {
	switch out.Kind {
	case place.Web:
		return usagef("%s: cannot write to a web server", out)
	case place.Bucket:
	default:
		return write(out.Name)
	}

	mark, err := std.at.Mark(out.Place)
	switch {
	case err == nil && !force:
		return &fs.PathError{Op: "create", Path: out.Name, Err: fs.ErrExist}
	case err == nil && mark != bucketurl.AnObject:
		err := fmt.Errorf("%s has several objects in the bucket, which are not replaced; choose another name: %w", out,
			fs.ErrExist)
		return errkind.Mark(err, errkind.ErrKept)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}

	dir, err := os.MkdirTemp("", "cairn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, path.Base(out.Name))
	if err := write(path); err != nil {
		return err
	}
	return std.at.Buckets.Upload(ctx, path, out.Name, force)
}
