package frame

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// sweepAround removes bytes behind the frame and temporary files beside it that killed writers
// left.
func (w *contiguousWriter) sweepAround(v *state) error {
	if err := w.claim(v); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	err := truncateTo(w.file, v.head.FrameLen)
	if err != nil {
		err = fmt.Errorf("sweep: %w", err)
	}
	return errors.Join(sweepTemps(w.fs, w.path), err, w.unclaim())
}

// sweepTemps removes the temporary files and directories of a frame.
func sweepTemps(fsys storage.FS, path string) error {
	dir := parentDir(path)
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}

	entries = slices.DeleteFunc(entries, func(e storage.Info) bool { return !isTemp(e.Name, filepath.Base(path)) })
	if len(entries) == 0 {
		return nil
	}

	// One of them may be the frame that was replaced, by a rename that is not durable yet.
	if err := fsys.SyncDir(dir); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	for _, e := range entries {
		if !e.Dir && beingMade(fsys, dir+"/"+e.Name) {
			continue
		}
		if failed := fsys.RemoveAll(dir + "/" + e.Name); failed != nil {
			err = errors.Join(err, fmt.Errorf("sweep: %w", failed))
		}
	}

	return err
}

// isTemp reports whether a name is that of a temporary file or directory of a frame. The one that
// ends in "old" is a frame that was replaced (storage.Replace).
func isTemp(name, frame string) bool {
	number, ok := strings.CutPrefix(name, frame+tempMark)
	return ok && number != "" && (number == "old" || strings.Trim(number, "0123456789") == "")
}

// beingMade reports whether a temporary file is claimed.
func beingMade(fsys storage.FS, name string) bool {
	file, err := fsys.OpenRW(name)
	if err != nil {
		return false
	}
	var c claim
	err = c.take(file, name)
	_ = errors.Join(c.release(), file.Close()) // nothing was written
	return errors.Is(err, cairn.ErrConflict)
}

// truncateTo truncates a file behind its frame.
func truncateTo(file storage.File, frameLen int64) error {
	size, err := file.Size()
	if err == nil && size > frameLen {
		err = file.Truncate(frameLen)
	}
	return err
}

// sweepChunks removes the chunk files of a sparse frame that are not in used.
func sweepChunks(src *sparse, used map[int64]struct{}) error {
	files, err := src.files()
	if failed := src.fs.Remove(src.dir + "/" + sparseIndex + ".tmp"); !errors.Is(failed, fs.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	for _, f := range files {
		if _, ok := used[f.id]; !ok {
			err = errors.Join(err, src.fs.Remove(src.path(f.id)))
		}
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}

// createTemp creates a temporary file beside path that will be renamed to path.
func createTemp(fsys storage.FS, path string) (name string, file storage.File, err error) {
	model := modelOf(fsys, path)
	name, err = firstFree(path, func(name string) (err error) {
		file, err = placing.CreateFor(fsys, name, model)
		return err
	})
	return name, file, err
}

// tempMark separates the path of a frame from the number in the names of its temporary files.
const tempMark = ".tmp-"

// maxTemps is how many names of temporary files are tried. Crashed processes may have left files.
const maxTemps = 10_000

// modelOf returns the file whose permissions new files of a frame at path get.
func modelOf(fsys storage.FS, path string) string {
	if info, err := fsys.Stat(path); err == nil && info.Dir {
		return path + "/" + sparseIndex
	}
	return path
}

// firstFree calls make with the names of temporary files of path until one is free.
func firstFree(path string, make func(name string) error) (string, error) {
	for n := range maxTemps {
		name := fmt.Sprintf("%s%s%d", path, tempMark, n)
		err := make(name)
		if !errors.Is(err, fs.ErrExist) {
			return name, aboutTarget(err, name, path)
		}
	}
	return "", fmt.Errorf("%s.tmp-0 to %d: %w", path, maxTemps-1, fs.ErrExist)
}

// aboutTarget replaces the name of a temporary file in an error by path, which the caller knows.
func aboutTarget(err error, name, path string) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) && failed.Path == name {
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	return err
}
