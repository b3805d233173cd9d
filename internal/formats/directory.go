package formats

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// ProbeDir looks for files that tell the format of a directory, which is not listed: it may be one
// of a web server, or have millions of files. Without any, the probe has no entries.
func ProbeDir(files storage.FS, dir string) (*Probe, error) {
	const usual = "zarr.json" // which others need not be looked for
	others := slices.DeleteFunc(append(slices.Clone(Marks), storeMark), func(mark string) bool { return mark == usual })
	if _, ok := files.(interface {
		Bucket() (context.Context, storage.Bucket)
	}); ok {
		others = append(others, bucketMark)
	}

	found := make([]bool, len(others))
	failed := make([]error, len(others))
	try := func(mark string) (bool, error) {
		info, err := files.Stat(strings.TrimSuffix(dir, "/") + "/" + mark)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return false, nil // Some servers deny permission to read what does not exist.
		}
		return err == nil && !info.Dir, err
	}

	p := &Probe{Name: dir}
	if is, err := try(usual); is || err != nil {
		p.Entries = []string{usual}
		return p, err
	}

	var all sync.WaitGroup
	for i, mark := range others {
		all.Go(func() { found[i], failed[i] = try(mark) })
	}
	all.Wait()

	for i, mark := range others {
		if found[i] {
			p.Entries = append(p.Entries, mark)
		}
	}

	if p.Entries == nil {
		return p, errors.Join(failed...)
	}
	return p, nil
}
