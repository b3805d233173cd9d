package placing

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/storage"
)

// Free returns an error that matches [fs.ErrExist] unless something new may take a path: because
// nothing is there or, if overwrite is set, a file, an empty directory, or a directory of a kind,
// such as "frame", that has an entry of one of the names. So no folder of other files is lost.
func Free(fsys storage.FS, path string, overwrite bool, kind string, names ...string) error {
	info, err := fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !overwrite:
		return fs.ErrExist
	case !info.Dir:
		return nil
	}

	entries, err := fsys.ReadDir(path)
	if err != nil || len(entries) == 0 {
		return err
	}
	for _, e := range entries {
		if slices.Contains(names, e.Name) {
			return nil
		}
	}
	return errkind.Mark(fmt.Errorf("a directory that is no %s is not replaced: %w", kind, fs.ErrExist), errkind.ErrKept)
}
