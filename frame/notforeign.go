package frame

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// notForeign replaces err, the error of a file without a frame at an offset, by one that names the
// format if the file is of another known one.
func notForeign(file storage.File, at int64, err error) error {
	if !errors.Is(err, cairn.ErrCorrupt) {
		return err
	}
	size, sizeErr := file.Size()
	if sizeErr != nil {
		return err
	}

	if size == 0 {
		return errkind.Mark(cairn.Corruptf(format.LayerHeader, 0, "it is empty: 0 bytes are too few for a frame"), errkind.ErrEmpty)
	}
	head, readErr := wire.ReadFull(file, nil, at, max(0, min(size-at, foreign.Enough)))
	if readErr != nil {
		return err
	}

	if name := foreign.Name(head, size-at); name != "" {
		return &foreign.Error{Is: name}
	}
	if behind := len(format.Magic) + 1; len(head) >= behind && string(head[1:behind]) != format.Magic {
		return errkind.Mark(err, errkind.ErrNoFrame)
	}
	return err
}

// notForeignDir does the same for a directory without the index of a sparse frame.
func notForeignDir(fsys storage.FS, dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, listErr := fsys.ReadDir(dir)
	if listErr != nil {
		return err
	}

	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	if name := foreign.DirectoryName(names); name != "" {
		return &foreign.Error{Is: name}
	}

	if len(names) == 0 {
		return fmt.Errorf("this directory is empty: %w: no array and no store", cairn.ErrNotFound)
	}
	return fmt.Errorf("this directory is no sparse frame and no store: %w: it has neither %s nor embed.b2e",
		cairn.ErrNotFound, sparseIndex)
}
