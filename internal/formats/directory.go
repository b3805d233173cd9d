package formats

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// ProbeDir looks for a file that tells the format of a directory, which is not listed: it may be
// one of a web server, or have millions of files. Without any, the probe has no entries.
func ProbeDir(files storage.FS, dir string) (*Probe, error) {
	marks := slices.Concat([]string{storeMark}, Marks)
	if _, ok := files.(interface {
		Bucket() (context.Context, storage.Bucket)
	}); ok {
		marks = append(marks, bucketMark)
	}

	p := &Probe{Name: dir}
	for _, mark := range marks {
		info, err := files.Stat(strings.TrimSuffix(dir, "/") + "/" + mark)
		switch {
		case err == nil && !info.Dir:
			p.Entries = []string{mark}
			return p, nil
		case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			// Some servers deny permission to read what does not exist.
		default:
			return nil, err
		}
	}
	return p, nil
}
