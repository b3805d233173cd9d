package command

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// write makes a copy. With -verify, the copy gets its name only after compare, which is called with
// its temporary path, has succeeded.
func (f *copyFlags) write(ctx context.Context, std *streams, out string, write, compare func(path string) error) error {
	checked := func(path string) error {
		err := write(path)
		if err == nil && f.verify {
			err = compare(path)
		}
		return err
	}
	return std.writeOut(ctx, output{out, f.force, f.sparse, f.keep}, func(path string) error {
		if !f.verify || single(out) || isFar(out) { // single files have a temporary path anyway
			return checked(path)
		}
		return beside(path, f.force, checked)
	})
}

// beside runs write with a path beside out and then renames the result to out. With force it
// replaces what has the name, and inherits its permissions.
func beside(out string, force bool, write func(path string) error) (err error) {
	disk := storage.OS()
	if resolved, err := filepath.EvalSymlinks(out); err == nil { // replace its target, not the link
		if out = resolved; !force {
			return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
		}
	}
	parent, base := filepath.Split(out)
	dir := filepath.Join(parent, "."+base+"."+rand.Text()[:8]+".tmp")
	if err := placing.MkdirFor(disk, dir, out); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, base)
	if err := write(path); err != nil {
		return err
	}
	if err := takeOver(disk, path, out); err != nil {
		return err
	}
	if _, err := os.Lstat(out); err == nil && !force {
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	_, err = placing.Replace(disk, path, out, true)
	return err
}

// takeOver gives a frame, which is a file or a directory of files, the permissions of the one that
// it will replace, durably. Until then nobody else can reach it.
func takeOver(disk storage.FS, frame, place string) error {
	model := place
	if info, err := os.Stat(place); err == nil && info.IsDir() {
		model = filepath.Join(place, "chunks.b2frame")
	}
	return filepath.WalkDir(frame, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return errors.Join(placing.Inherit(disk, name, place), disk.SyncDir(name))
		}
		f, err := disk.OpenRW(name) // now, because it may become read-only
		if err != nil {
			return err
		}
		if err = placing.Inherit(disk, name, model); err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	})
}
