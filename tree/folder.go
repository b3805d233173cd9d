package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// folder is a directory of files, as a tree.
type folder struct {
	o     *Options
	files storage.FS
	root  string

	mu   sync.Mutex
	last *kept // the file that a key led to last, or nil
}

// kept is an open file of a folder. It is open while it is used, or was the last one: a walk opens
// a file with many groups once.
type kept struct {
	ndarray.Tree
	name string
	size int64
	uses int // guarded by folder.mu
}

// hold returns the open file of a name, to be released after use; nil for a plain directory.
func (f *folder) hold(ctx context.Context, name string, info storage.Info) (*kept, error) {
	f.mu.Lock()
	if k := f.last; k != nil && k.name == name && k.size == info.Size {
		k.uses++
		f.mu.Unlock()
		return k, nil
	}
	f.mu.Unlock()

	t, err := f.openAt(ctx, name, info)
	if err != nil || t == nil {
		return nil, err
	}
	k := &kept{Tree: t, name: name, size: info.Size, uses: 1}
	return k, f.keep(k)
}

// keep makes a file the last one, or none with nil, and closes the one before unless it is used.
func (f *folder) keep(k *kept) error {
	f.mu.Lock()
	before := f.last
	f.last = k
	idle := before != nil && before.uses == 0
	f.mu.Unlock()
	if !idle {
		return nil
	}
	return before.Tree.Close()
}

// release ends a use of a file.
func (f *folder) release(k *kept) error {
	f.mu.Lock()
	k.uses--
	unused := k.uses == 0 && f.last != k
	f.mu.Unlock()
	if !unused {
		return nil
	}
	return k.Tree.Close()
}

// A found is what a key of a folder leads to: a directory, or a key in a file.
type found struct {
	key   string // up to the file, "" for the root
	name  string // of the directory
	tree  *kept  // the file, or nil
	inner string // the key in it
}

// mostElements bounds the elements of a key.
const mostElements = 1000

// find follows a key. The caller releases the file, if there is one.
func (f *folder) find(ctx context.Context, key string) (*found, error) {
	to := &found{name: f.root}
	rest := strings.Trim(key, "/")
	for count := 0; rest != ""; count++ {
		elem, behind, _ := strings.Cut(rest, "/")
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if hidden(elem) || !filepath.IsLocal(elem) || count > mostElements {
			return nil, notFound(key)
		}

		name := f.join(to.name, elem)
		info, err := f.files.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notFound(key)
		}
		if err != nil {
			return nil, err
		}
		to.key, to.name, rest = to.key+"/"+elem, name, behind
		if to.tree, err = f.hold(ctx, name, info); err != nil {
			return nil, named(name, err)
		}
		if to.tree != nil {
			to.inner = "/" + rest
			return to, nil
		}
	}
	return to, nil
}

func notFound(key string) error { return fmt.Errorf("%q: %w", key, cairn.ErrNotFound) }

// hidden reports whether a name is not shown, or is none of a file.
func hidden(name string) bool { return name == "" || name[0] == '.' }

func (f *folder) join(dir, name string) string {
	if dir == "." {
		return name // io/fs requires this form
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// openAt opens what a directory has under a name; nil for a plain directory.
func (f *folder) openAt(ctx context.Context, name string, info storage.Info) (ndarray.Tree, error) {
	if info.Dir {
		return f.o.openDir(ctx, f.files, name)
	}
	return f.o.openFile(ctx, f.files, name)
}

// Children implements [ndarray.Tree].
func (f *folder) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	to, err := f.find(ctx, group)
	if err != nil {
		return nil, err
	}
	if to.tree != nil {
		nodes, err := to.tree.Children(ctx, to.inner)
		for i := range nodes {
			// Turn a node of the file into one of the folder.
			n := &nodes[i]
			if n.To != "" {
				n.To = strings.TrimSuffix(to.key+n.To, "/")
			}
			n.Key = strings.TrimSuffix(to.key+n.Key, "/")
		}
		return nodes, errors.Join(err, f.release(to.tree))
	}

	entries, err := f.files.ReadDir(to.name)
	if err != nil {
		return nil, err
	}
	nodes := make([]ndarray.Node, len(entries))
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		nodes[i] = f.node(ctx, to, e)
	}
	return nodes, nil
}

// node returns the node of an entry of a directory.
func (f *folder) node(ctx context.Context, to *found, e storage.Info) ndarray.Node {
	n := ndarray.Node{Key: to.key + "/" + e.Name, Kind: ndarray.OtherNode}
	switch {
	case e.Other:
		n.What = "symbolic link, or no regular file"
		return n
	case hidden(e.Name):
		n.What = "hidden file"
		return n
	}

	t, err := f.openAt(ctx, f.join(to.name, e.Name), e)
	switch {
	case errors.Is(err, cairn.ErrUnsupported) || err == nil && t == nil && !e.Dir:
		n.What = "file of no known format"
		n.Err = err
		return n
	case err != nil:
		n.Kind = ndarray.DamagedNode
		n.Err = err
		return n
	case t == nil:
		n.Kind = ndarray.GroupNode
		return n
	}

	src, err := t.Open(ctx, "/")
	switch {
	case err == nil:
		n.Kind = ndarray.ArrayNode
		err = closeSource(src)
	case errors.Is(err, cairn.ErrNotFound):
		n.Kind = ndarray.GroupNode
		err = nil
	}

	if err = errors.Join(err, t.Close()); err != nil {
		n.Kind = ndarray.DamagedNode
		n.Err = err
	}
	return n
}

// closeSource closes a source that can be closed.
func closeSource(src ndarray.Source) error {
	if c, ok := src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Open implements [ndarray.Tree].
func (f *folder) Open(ctx context.Context, key string) (ndarray.Source, error) {
	to, err := f.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if to.tree == nil {
		return nil, fmt.Errorf("%q is a folder: %w", key, cairn.ErrNotFound)
	}
	src, err := to.tree.Open(ctx, to.inner)
	if err != nil {
		return nil, errors.Join(err, f.release(to.tree))
	}
	return &array{Source: src, folder: f, file: to.tree}, nil
}

// Attributes implements [ndarray.Tree].
func (f *folder) Attributes(ctx context.Context, key string) (meta.Map, error) {
	to, err := f.find(ctx, key)
	if err != nil || to.tree == nil {
		return nil, err
	}
	m, err := to.tree.Attributes(ctx, to.inner)
	return m, errors.Join(err, f.release(to.tree))
}

// Close implements [ndarray.Tree].
func (f *folder) Close() error { return f.keep(nil) }

// array is an array that keeps its file open.
type array struct {
	ndarray.Source
	folder *folder
	file   *kept
	once   sync.Once
}

// Labels implements [ndarray.Labelled].
func (a *array) Labels() (ndarray.Labels, error) {
	if l, ok := a.Source.(ndarray.Labelled); ok {
		return l.Labels()
	}
	return ndarray.Labels{}, nil
}

// WrittenBoxes tells where the source has items of its own, if it knows.
func (a *array) WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	if w, ok := a.Source.(interface {
		WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error)
	}); ok {
		return w.WrittenBoxes(ctx)
	}
	return nil, nil, false, nil
}

// Close closes the array, and its file unless that is used by others.
func (a *array) Close() (err error) {
	a.once.Do(func() { err = errors.Join(closeSource(a.Source), a.folder.release(a.file)) })
	return err
}
