package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Options say how a store is created. Nil and the zero value mean: a tree store, and nothing is replaced.
type Options struct {
	Dict      bool // a dict store, which has no attributes; an embed store is none of both
	Overwrite bool // replace a store or file that has the name, instead of failing with fs.ErrExist; a directory of anything else is never replaced
}

// A Writer makes a store. Its leaves are ordinary arrays and frames, each a file of its own. Any number of goroutines may use it, for different keys.
type Writer struct {
	path    string   // of the store
	dir     string   // where the leaves are written
	beside  *staging // whose directory that is
	archive bool
	kind    Kind
	replace bool

	mu         sync.Mutex
	keys       map[string]bool
	groups     map[string]string   // a leaf in each
	made       int                 // files, by PutFile
	attributes map[string]meta.Map // per group
	remote     meta.Map            // entries of the embed store that are no leaves but addresses
	registry   []byte              // what the embed store says of objects, or nil
}

// Create begins a store at path: an archive if that ends in .b2z, an embed store if it ends in .b2e, else a directory, which should end in .b2d. o may be nil.
// Nothing is at path before Close; until then the leaves are in a directory beside it, which Abort removes.
func Create(path string, o *Options) (*Writer, error) {
	if o == nil {
		o = &Options{}
	}
	if path == "" {
		return nil, fmt.Errorf("create store: the path is empty: %w", fs.ErrInvalid)
	}
	storage.Restore(storage.OS(), path)
	if err := replaceable(path, o.Overwrite); err != nil {
		return nil, fmt.Errorf("create store %s: %w", path, err)
	}
	beside, err := stage(storage.OS(), path)
	if err != nil {
		return nil, fmt.Errorf("create store: %w", err)
	}
	w := &Writer{path: path, dir: beside.dir, beside: beside, archive: filepath.Ext(path) == ".b2z", kind: TreeStore,
		replace: o.Overwrite, keys: map[string]bool{}, groups: map[string]string{}, attributes: map[string]meta.Map{}}
	switch {
	case filepath.Ext(path) == ".b2e":
		w.kind = EmbedStore
	case o.Dict:
		w.kind = DictStore
	}
	return w, nil
}

// claim takes a key for a leaf and returns the path of its file.
func (w *Writer) claim(key, ext string) (string, error) {
	clean, err := Clean(key)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.path, err)
	}
	if clean == "/" || hidden(clean) {
		return "", fmt.Errorf("%s: key %q is not for leaves: %w", w.path, clean, cairn.ErrBounds)
	}
	return w.reserve(clean, ext)
}

// reserve is claim for a key that may be one.
func (w *Writer) reserve(key, ext string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	other, taken := key, w.keys[key]
	if w.kind == TreeStore && !taken {
		if other, taken = w.groups[key]; !taken {
			other, taken = w.leafAbove(key)
		}
	}
	if taken {
		return "", fmt.Errorf("%s: leaf %q, and there is %q: %w", w.path, key, other, fs.ErrExist)
	}
	w.keys[key] = true
	for group := path.Dir(key); w.groups[group] == ""; group = path.Dir(group) {
		w.groups[group] = key
	}
	return w.file(key, ext)
}

// leafAbove returns the leaf that a key is below, if there is one.
func (w *Writer) leafAbove(key string) (string, bool) {
	for group := path.Dir(key); group != "/"; group = path.Dir(group) {
		if w.keys[group] {
			return group, true
		}
	}
	return "", false
}

// file returns the path of a leaf's file, whose folders it makes.
func (w *Writer) file(key, ext string) (string, error) {
	name := filepath.Join(w.dir, filepath.FromSlash(strings.TrimPrefix(key, "/"))+ext)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", fmt.Errorf("%s: %w", w.path, err)
	}
	return name, nil
}

// CreateArray creates an array as a leaf; see [ndarray.CreateUntyped] for what it takes. o may be nil; FS and Sparse must not be set in it. The caller closes the array
// before the writer.
func (w *Writer) CreateArray(key, dtype string, shape ndarray.Shape, o *ndarray.Options) (*ndarray.Untyped, error) {
	if o != nil && (o.FS != nil || o.Sparse) {
		return nil, fmt.Errorf("%s: a leaf is a file of the operating system: %w", w.path, cairn.ErrUnsupported)
	}
	name, err := w.claim(key, ".b2nd")
	if err != nil {
		return nil, err
	}
	return ndarray.CreateUntyped(name, dtype, shape, o)
}

// Put writes a copy of an array as a leaf, with its metalayers. o says what is to be different in the copy, and may be nil; FS and Layout must not be set in it.
func (w *Writer) Put(ctx context.Context, key string, a *ndarray.Untyped, o *ndarray.CopyOptions) error {
	var c ndarray.CopyOptions
	if o != nil {
		c = *o
	}
	if c.FS != nil {
		return fmt.Errorf("%s: a leaf is a file of the operating system: %w", w.path, cairn.ErrUnsupported)
	}
	c.Layout = frame.LayoutContiguous
	name, err := w.claim(key, ".b2nd")
	if err != nil {
		return err
	}
	return a.Save(ctx, name, &c)
}

// PutFrame writes a copy of a frame as a leaf. What the frame is, decides how its file is called.
func (w *Writer) PutFrame(ctx context.Context, key string, v *frame.View) error {
	kind, err := KindOf(v)
	if err != nil {
		return err
	}
	name, err := w.claim(key, extensionOf(kind))
	if err != nil {
		return err
	}
	return frame.Copy(ctx, v, name, &frame.CopyOptions{Layout: frame.LayoutContiguous})
}

// PutFile has write make a contiguous frame, a file of the name that it is given, and makes that a leaf. If write fails there is no leaf.
func (w *Writer) PutFile(key string, write func(name string) error) error {
	clean, err := Clean(key)
	if err == nil && hidden(clean) {
		err = fmt.Errorf("key %q is not for leaves: %w", clean, cairn.ErrBounds)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	return w.take(clean, write)
}

// take makes a leaf of a frame that write makes, attributes of groups included.
func (w *Writer) take(key string, write func(name string) error) error {
	w.mu.Lock()
	w.made++
	name := filepath.Join(w.dir, fmt.Sprintf(".new-%d", w.made)) // which no leaf is called
	w.mu.Unlock()
	written := false
	defer func() {
		if !written { // it panicked
			_ = os.Remove(name)
		}
	}()
	kind, err := Frame, write(name)
	written = true
	if err == nil {
		kind, err = kindOfFile(name)
	}
	var leaf string
	if err == nil {
		leaf, err = w.reserve(key, extensionOf(kind))
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(name)))
	}
	return os.Rename(name, leaf)
}

func kindOfFile(name string) (Kind, error) {
	f, err := frame.Open(name, nil)
	if err != nil {
		return Frame, err
	}
	kind, err := KindOf(f)
	return kind, errors.Join(err, f.Close())
}

// extensionOf returns how python-blosc2 calls files of a kind.
func extensionOf(k Kind) string {
	switch k {
	case Array, Lazy, Reference, Proxy:
		return ".b2nd"
	case Batch, List:
		return ".b2b"
	}
	return ".b2f"
}

// SetAttribute notes something about a group, "/" for the whole tree. value is anything that [meta.Pack] takes.
func (w *Writer) SetAttribute(group, name string, value any) error {
	clean, err := Clean(group)
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if w.kind != TreeStore {
		return fmt.Errorf("%s: a %s has no attributes: %w", w.path, w.kind, cairn.ErrUnsupported)
	}
	if _, err := meta.Pack(value); err != nil {
		return fmt.Errorf("%s: attribute %q: %w", w.path, name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.attributes[clean]
	for i := range m {
		if m[i].Key == name {
			m[i].Value = value
			return nil
		}
	}
	w.attributes[clean] = append(m, meta.Pair{Key: name, Value: value})
	return nil
}

// Close finishes the store and puts it in its place; the leaves must be closed. After an error there is nothing new at the path.
func (w *Writer) Close() error {
	if w.dir == "" {
		return fmt.Errorf("%s: %w", w.path, cairn.ErrClosed)
	}
	err := w.finish()
	if err != nil {
		err = fmt.Errorf("%s: %w", w.path, err)
	}
	return errors.Join(err, w.Abort())
}

func (w *Writer) finish() error {
	for group, m := range w.attributes {
		if err := w.writeAttributes(group, m); err != nil {
			return err
		}
	}
	if w.kind == EmbedStore {
		return w.pack()
	}
	if err := w.writeEmbed(); err != nil {
		return err
	}
	if w.archive {
		return w.pack()
	}
	return w.move()
}

// writeAttributes writes the frame that holds the attributes of a group.
func (w *Writer) writeAttributes(group string, m meta.Map) error {
	name, err := w.file(path.Join(group, AttributesName), ".b2f")
	if err != nil {
		return err
	}
	f, err := frame.Create(name, &frame.Options{TypeSize: 1})
	if err != nil {
		return err
	}
	for _, p := range m {
		value, err := meta.Pack(p.Value)
		if err == nil {
			err = f.SetVL(p.Key.(string), value)
		}
		if err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	return f.Close()
}

// Abort drops the store. After Close it does nothing.
func (w *Writer) Abort() error {
	if w.dir == "" {
		return w.beside.unmark() // the directory is the store, or the old one until the new is durable
	}
	w.dir = ""
	return w.beside.remove()
}
