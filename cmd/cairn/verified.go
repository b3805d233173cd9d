package main

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

// write makes a copy, and with -verify gives it its name only once compare, which gets the path
// that it has until then, has found nothing.
func (f *copyFlags) write(ctx context.Context, std *streams, out string, write, compare func(path string) error) error {
	checked := func(path string) error {
		err := write(path)
		if err == nil && f.verify {
			err = compare(path)
		}
		return err
	}
	return std.writeOut(ctx, out, f.force, func(path string) error {
		if !f.verify || single(out) { // which have another path until they are complete anyway
			return checked(path)
		}
		return beside(path, f.force, checked)
	})
}

// beside runs write with a path beside out and, if that fails not, gives what it made the name out:
// with force in the place of what has the name, whose permissions it gets.
func beside(out string, force bool, write func(path string) error) (err error) {
	disk := storage.OS()
	if resolved, err := filepath.EvalSymlinks(out); err == nil { // a link stays
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

// takeOver gives a frame, a file or a directory of files, what belongs to the place of another one,
// durably. Until the frame gets that place nobody else can reach it.
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
		f, err := disk.OpenRW(name) // now, since it may become one that is not to be written
		if err != nil {
			return err
		}
		if err = placing.Inherit(disk, name, model); err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	})
}
