package command

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/internal/place"
)

// usualRatio is by how much a compressed output is smaller than its items before it is worth a word
// that it may not fit.
const usualRatio = 4

// checkSpace fails if an output of as many bytes, which are not compressed, cannot fit where it
// goes.
func (std *streams) checkSpace(out place.Place, bytes int64) error {
	s, ok := spaceFor(out)
	if !ok || bytes <= s.Free || s.Compresses {
		return nil
	}
	return fmt.Errorf("%s would take %s, and %s are free there; choose a part with -s, another place, or a "+
		"compressed format: %w", out, progress.Size(bytes), progress.Size(s.Free), syscall.ENOSPC)
}

// noteSpace says so if an output will probably not fit where it goes: one that is compressed,
// unless the level says otherwise.
func (std *streams) noteSpace(out place.Place, bytes int64, level int) {
	ratio := int64(usualRatio)
	how := "before compression"
	if level == chunk.Stored {
		ratio = 1
		how = "and not compressed"
	}
	s, ok := spaceFor(out)
	if !ok || bytes/ratio <= s.Free || ratio == 1 && s.Compresses {
		return
	}
	std.Complain(fmt.Sprintf("note: the items of %s are %s %s, and %s are free there", out, progress.Size(bytes), how,
		progress.Size(s.Free)))
}

// spaceFor returns the space where an output is written, or false if that is unknown or something
// else than a file system. What becomes an object of a bucket is a temporary file before.
func spaceFor(out place.Place) (osfile.Space, bool) {
	name := out.Name
	switch out.Kind {
	case place.Standard:
		return osfile.Space{}, false
	case place.Bucket:
		return osfile.SpaceAt(os.TempDir())
	}

	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return osfile.SpaceAt(name)
	case err == nil && !info.Mode().IsRegular():
		return osfile.Space{}, false // such as a pipe
	}

	if at, err := filepath.EvalSymlinks(name); err == nil {
		name = at
	}
	return osfile.SpaceAt(filepath.Dir(name))
}
