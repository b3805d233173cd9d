package npy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// maxTemps is how many names of temporary files are tried. Crashed processes may have left files.
const maxTemps = 10_000

// replaceFile makes a file at path that write writes: durably, and completely or not at all.
func replaceFile(path string, o *SaveOptions, write func(w io.Writer) error) error {
	fsys := o.FS
	if fsys == nil {
		fsys = storage.OS()
	}
	placing.Restore(fsys, path)
	name, err := freePlace(fsys, path, o.Overwrite)
	if err != nil {
		return err
	}

	temp, file, err := createTemp(fsys, name)
	if err != nil {
		return err
	}

	complete := func() error {
		if err := fill(file, write); err != nil {
			return err
		}
		if o.Overwrite {
			if err := placing.Inherit(fsys, temp, name); err != nil {
				return err
			}
		}
		return file.Sync()
	}

	place := func() error {
		if err := errors.Join(complete(), file.Close()); err != nil {
			return err
		}

		// The place may have changed meanwhile.
		if _, err := freePlace(fsys, path, o.Overwrite); err != nil {
			return err
		}
		return placing.Replace(fsys, temp, name, true)
	}

	err = place()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cairn.ErrCommitted):
		return fmt.Errorf("save %s: %w", path, err)
	}
	return errors.Join(fmt.Errorf("save %s: %w", path, err), fsys.Remove(temp))
}

// fill writes the content of a file.
func fill(file storage.File, write func(w io.Writer) error) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(file, 0), 1<<18)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// freePlace returns the name of the file to replace: what path refers to if that is a link. It
// fails for a file that must not be replaced, and for a directory.
func freePlace(fsys storage.FS, path string, overwrite bool) (string, error) {
	info, err := fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	case !overwrite:
		return "", &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	case info.Dir:
		return "", &fs.PathError{Op: "create", Path: path, Err: errors.New("is a directory")}
	}
	if r, ok := fsys.(storage.Replacer); ok {
		return r.Resolve(path)
	}
	return path, nil
}

// createTemp creates a file beside path that will be renamed to it.
func createTemp(fsys storage.FS, path string) (string, storage.File, error) {
	for n := range maxTemps {
		temp := fmt.Sprintf("%s.tmp-%d", path, n)
		file, err := placing.CreateFor(fsys, temp, path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = &fs.PathError{Op: "create", Path: path, Err: failed.Err}
		}
		return temp, file, err
	}
	return "", nil, fmt.Errorf("%s.tmp-0 to %d: %w", path, maxTemps-1, fs.ErrExist)
}
