package bucketurl

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/storage"
)

// Upload puts a file at a URL. It fails if there is one and force is not set. A directory becomes a
// folder of objects; those that mark its format come last, so that it is complete once it is
// recognised.
func (f *FS) Upload(ctx context.Context, from, to string, force bool) error {
	to = strings.TrimRight(to, "/")
	defer f.Forget(to)
	var late []string
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case filepath.Dir(name) == from && slices.Contains(f.marks, d.Name()):
			late = append(late, name)
			return nil
		}
		return f.put(ctx, from, name, to, force)
	})
	if err != nil {
		return err
	}

	for _, name := range late {
		if err := f.put(ctx, from, name, to, force); err != nil {
			return err
		}
	}
	return nil
}

// put puts a file that is from, or is in that directory.
func (f *FS) put(ctx context.Context, from, file, to string, force bool) error {
	rel, err := filepath.Rel(from, file)
	if err != nil {
		return err
	}
	if rel != "." {
		to += "/" + filepath.ToSlash(rel)
	}

	data, done, err := contentOf(file)
	if err != nil {
		return fmt.Errorf("upload to %s: %w", to, err)
	}
	defer done()
	_, err = f.all.Put(ctx, to, data, storage.When{Absent: !force})
	return err
}

// contentOf returns the bytes of a temporary file, which nobody changes, mapped into memory if
// possible, and a function that releases them.
func contentOf(name string) (data []byte, done func(), err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}

	if data, err = osfile.Map(file, info.Size()); err == nil {
		return data, func() { _ = osfile.Unmap(data) }, nil
	}
	data, err = os.ReadFile(name)
	return data, func() {}, err
}
