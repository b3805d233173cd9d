package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// leafMark separates the path of a store from the key of a leaf.
const leafMark = place.Mark

// splitLeaf splits PATH::KEY, unless there is a file of that name.
func splitLeaf(path string) (name, key string, ok bool) {
	p := place.Of(path)
	return p.Name, p.Key, p.Keyed
}

// container is an open array or plain frame.
type container struct {
	array *ndarray.Untyped // or nil
	frame *frame.Frame     // of the array, if there is one
	store *store.Store     // that it is a leaf of, or nil
	key   string           // within the store

	inBucket bool // in the layout of buckets

	closer io.Closer // of what it is read from, or nil
	bytes  int64     // of standard input or a file on a web server
}

// openContainer opens a path, a leaf of a store, or standard input, for reading.
func (std *streams) openContainer(ctx context.Context, path string, workers int) (*container, error) {
	if path == standardIO {
		return std.openInput(ctx, workers)
	}
	if name, key, ok := splitLeaf(path); ok {
		return std.openLeaf(ctx, name, key, workers)
	}
	mark, err := std.lookInBucket(path)
	if err != nil {
		return nil, err
	}
	inBucket := mark == bucketurl.AFrame
	name, version := std.versionOf(path)
	files, mode := std.files(path), verifyMode(path)
	u, err := ndarray.Open(name, &ndarray.OpenOptions{Workers: workers, FS: files, Verify: mode, Version: version})
	if err == nil {
		return &container{array: u, frame: u.Frame(), inBucket: inBucket, bytes: std.sizeFar(path, u.Frame())}, nil
	}
	if better := notLeaf(path, files, err); better != err || !errors.Is(err, cairn.ErrNotFound) {
		return nil, better
	}
	f, err := frame.Open(name, &frame.OpenOptions{Workers: workers, FS: files, Verify: mode, Version: version})
	if err != nil {
		return nil, err
	}
	return &container{frame: f, inBucket: inBucket, bytes: std.sizeFar(path, f)}, nil
}

func (std *streams) openLeaf(ctx context.Context, name, key string, workers int) (*container, error) {
	s, err := std.openStore(name, workers)
	if err != nil {
		return nil, err
	}
	c := &container{store: s, key: key}
	u, err := s.Array(ctx, key)
	switch {
	case err == nil:
		c.array, c.frame = u, u.Frame()
	case errors.Is(err, cairn.ErrNotFound):
		c.frame, err = s.Frame(key)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return c, nil
}

func (c *container) close() {
	if c.array != nil {
		c.array.Close()
	} else if c.frame != nil {
		c.frame.Close()
	}
	if c.store != nil {
		c.store.Close()
	}
	if c.closer != nil {
		c.closer.Close()
	}
}

// size returns the bytes that a container takes.
func (c *container) size(path string) int64 {
	switch {
	case path == standardIO || c.store == nil && isFar(path):
		return c.bytes
	case c.store == nil:
		return sizeOnDisk(path)
	}
	if l, err := c.store.Leaf(c.key); err == nil {
		return l.Size
	}
	return 0
}

// openStore opens a store for reading, which standard input cannot be.
func (std *streams) openStore(path string, workers int) (*store.Store, error) {
	if path == standardIO {
		return nil, fmt.Errorf("standard input cannot be a store: %w", cairn.ErrUnsupported)
	}
	mark, err := std.lookInBucket(path)
	if err != nil {
		return nil, err
	}
	// The folder of a frame is not listed.
	if mark != bucketurl.AnObject && mark != bucketurl.AStore {
		return nil, fmt.Errorf("%s is no store: %w", path, cairn.ErrNotFound)
	}
	return store.Open(path, &store.OpenOptions{Workers: workers, FS: std.files(path)})
}

// looksLikeStore reports whether a path is a tree of arrays rather than one.
func (std *streams) looksLikeStore(path string) bool {
	return isStore(path, std.files(path))
}

// isStore is looksLikeStore for a path in a file system; nil is that of the operating system.
func isStore(path string, files storage.FS) bool {
	if path == standardIO {
		return false
	}
	if b, ok := files.(*bucketurl.FS); ok {
		// Opening a store lists its folder, and that of a frame may have millions of objects.
		mark, err := b.Look(path)
		if err != nil || mark != bucketurl.AnObject && mark != bucketurl.AStore {
			return false
		}
	}
	s, err := store.Open(path, &store.OpenOptions{Workers: 1, FS: files})
	if err != nil {
		return false
	}
	s.Close()
	return true
}

// mostFiles bounds what a pattern may stand for.
const mostFiles = 100_000

// expand replaces patterns of operands, such as 'day*.b2nd' and 'model.b2z::/run*/t', by what they
// stand for, in the order of the names. An operand that exists is no pattern.
func (std *streams) expand(ctx context.Context, operands []string) ([]string, error) {
	var all []string
	for _, operand := range operands {
		found := []string{operand}
		name, pattern, leaf := splitLeaf(operand)
		_, err := os.Lstat(name)
		var bad error
		switch {
		case leaf && (err == nil || isFar(name)) && strings.ContainsAny(pattern, "*?["):
			found, bad = std.expandKeys(ctx, name, pattern)
		case leaf && err != nil && !isFar(name) && strings.ContainsAny(name, "*?["):
			found, bad = std.expandLeaves(ctx, name, pattern)
		case err != nil && !isFar(operand) && strings.ContainsAny(operand, "*?["):
			found, bad = filepath.Glob(operand)
		}
		switch {
		case errors.Is(bad, pathpkg.ErrBadPattern), errors.Is(bad, filepath.ErrBadPattern):
			return nil, usagef("%s: a pattern with an open bracket", operand)
		case bad != nil:
			return nil, bad
		case len(found) == 0:
			return nil, fmt.Errorf("%s stands for no file or array: %w", operand, fs.ErrNotExist)
		}
		if all = append(all, found...); len(all) > mostFiles {
			return nil, fmt.Errorf("%s stands for more than %d files: %w", operand, mostFiles, cairn.ErrLimit)
		}
	}
	return all, nil
}

// expandLeaves returns the arrays of the files that a pattern stands for: 'day*.nc::t'.
func (std *streams) expandLeaves(ctx context.Context, files, key string) (found []string, err error) {
	names, err := filepath.Glob(files)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.ContainsAny(key, "*?[") {
			found = append(found, name+leafMark+key)
			continue
		}
		keys, err := std.expandKeys(ctx, name, key)
		if err != nil {
			return nil, err
		}
		found = append(found, keys...)
	}
	return found, nil
}

// expandKeys returns the arrays of a tree whose keys match a pattern.
func (std *streams) expandKeys(ctx context.Context, name, pattern string) (found []string, err error) {
	f, err := std.openForest(ctx, name, 1)
	if err != nil || f == nil {
		return nil, err
	}
	defer f.close()
	if literal := pathpkg.Join("/", pattern); f.has(literal) {
		return []string{name + leafMark + literal}, nil
	}
	for _, key := range f.arrays() {
		ok, err := pathpkg.Match(pathpkg.Join("/", pattern), key)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, name+leafMark+key)
		}
	}
	return found, nil
}
