package formats

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// storeParts returns the keys of what of a store is to be verified: a leaf, or those of a group.
func storeParts(h *Holding, group string) []string {
	s := h.Store()
	if _, err := s.Leaf(group); err == nil {
		return []string{group}
	}

	// Leaves, and behind them the attributes of groups, which are frames of their own.
	group = strings.TrimSuffix(path.Join("/", group), "/") + "/"
	var keys []string
	for l := range s.Leaves() {
		if l.URL == "" && strings.HasPrefix(l.Key, group) {
			keys = append(keys, l.Key)
		}
	}

	for _, key := range h.groups {
		key = path.Join(key, store.AttributesName)
		if _, err := s.Leaf(key); err == nil && strings.HasPrefix(key, group) {
			keys = append(keys, key)
		}
	}
	return keys
}

// verifyStore verifies a leaf, or for "/" what holds the leaves together.
func verifyStore(ctx context.Context, _ *Input, h *Holding, key string) (ndarray.Report, error) {
	return h.Store().Verify(ctx, key)
}

// verifyFrame verifies a frame: of an array, or a plain one. It need not have been opened.
func verifyFrame(ctx context.Context, in *Input, _ *Holding, _ string) (ndarray.Report, error) {
	o := &ndarray.OpenOptions{Workers: in.Workers, FS: in.Files, Version: in.Version}
	if in.Path == "" {
		o.FS = inputFS{storage.OS(), in.File, in.Size}
		return ndarray.Verify(ctx, "-", o)
	}
	return ndarray.Verify(ctx, in.Path, o)
}

// inputFS is a file system with one file, whatever its name.
type inputFS struct {
	storage.FS
	r    io.ReaderAt
	size int64
}

// Open opens the file.
func (f inputFS) Open(string) (storage.File, error) { return storage.ReaderFile(f.r, f.size), nil }

// Stat describes the file.
func (f inputFS) Stat(name string) (storage.Info, error) {
	return storage.Info{Name: name, Size: f.size}, nil
}
