package catalog

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/described"
)

// File opens a file as it is. Directories that are frames or trees have the files that they are
// made of below their path. What is in archives is not a file.
func (c *Catalog) File(_ context.Context, name string) (io.ReadSeekCloser, described.Entry, error) {
	p, err := c.find(name)
	if err != nil && strings.Contains(name, "/.z") {
		p, err = c.findMetadata(name)
	}

	switch {
	case err != nil:
		return nil, described.Entry{}, err
	case p.root.source != nil, p.isFolder():
		return nil, described.Entry{}, notFound(name)
	case p.isDir:
		if p.key == "" {
			return nil, described.Entry{}, notFound(name)
		}
		p.file = append(slices.Clone(p.file), strings.Split(p.key, "/")...)
	case p.key != "":
		return nil, described.Entry{}, notFound(name)
	}

	f, err := p.open()
	if err != nil {
		return nil, described.Entry{}, publicError(name, err)
	}

	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, described.Entry{}, publicError(name, err)
	}

	return f, described.Entry{Name: path.Base(name), Path: name, Kind: described.FileKind, FileBytes: info.Size(), Changed: info.ModTime(),
		Version: digest(stamp(info) + name)[:20]}, nil
}

// zarrMetadata are the names of hidden files that are served: those of stores of Zarr 2.
var zarrMetadata = []string{".zarray", ".zattrs", ".zgroup", ".zmetadata"}

// findMetadata finds a metadata file of a Zarr store in a directory.
func (c *Catalog) findMetadata(name string) (*place, error) {
	dir, base := path.Split(name)
	if !slices.Contains(zarrMetadata, base) {
		return nil, notFound(name)
	}

	p, err := c.find(strings.TrimSuffix(dir, "/"))
	if err != nil || !p.isZarr() {
		return nil, notFound(name)
	}

	p.key = strings.TrimPrefix(p.key+"/"+base, "/")
	return p, nil
}
