package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// CreateOptions are the options for writing files. Nil and the zero value mean the defaults.
type CreateOptions struct {
	FS        storage.FS // file system of the path; nil means the operating system's
	Overwrite bool       // replace an existing file instead of failing
	Workers   int        // goroutines that encode chunks; 0 means one per CPU
	Memory    int64      // bytes of items to hold at a time, but at least a chunk; 0 means 64 MiB
	// Checked decodes each chunk that has been encoded, and compares its bytes with those that were
	// to be encoded, before it is written. A difference is an error that matches
	// [cairn.ErrCorrupt], and takes a bug of an encoder or a decoder, or defective memory.
	Checked bool
	// Progress is called with the bytes of items of a dataset that are written, and their total.
	Progress func(done, total int64)
}

// defaultMemory is the value of CreateOptions.Memory that 0 stands for.
const defaultMemory = 64 << 20

// A Writer makes a file, which appears at its path when the writer is closed. Its methods may be
// called concurrently, and wait for one another. Groups around what is written are made when they
// are needed.
type Writer struct {
	mu     sync.Mutex
	file   newFile
	o      CreateOptions
	heap   *newHeap
	end    int64 // of what is in the file
	root   *newObject
	nodes  map[string]*newObject
	empty  map[string]*newDataset // that have no items yet
	refer  []*newReferences
	failed error // why items are missing, or nil
	base   base  // nil if all of the file is new
}

// A newFile is what a writer writes to.
type newFile interface {
	io.WriterAt
	Truncate(size int64) error
	Commit() error
	Abort() error
}

// A base is a file that has objects already.
type base interface {
	// object returns what has a key, or nil if nothing has it.
	object(key string) (*newObject, error)
	// address returns the address of the object of a key.
	address(key string) (int64, bool)
}

// node returns what has a key, or nil.
func (w *Writer) node(key string) (*newObject, error) {
	if o := w.nodes[key]; o != nil || w.base == nil {
		return o, nil
	}
	o, err := w.base.object(key)
	if o != nil && err == nil {
		w.nodes[key] = o
	}
	return o, err
}

// address returns the address of the object of a key.
func (w *Writer) address(key string) (int64, bool) {
	if o := w.nodes[key]; o != nil && !o.isLink() {
		return o.at, true
	}
	if w.base == nil {
		return 0, false
	}
	return w.base.address(key)
}

// Create begins a file. o may be nil. The caller must call [Writer.Close] or [Writer.Abort].
//
// The file is one of HDF5 1.8, which everything that reads HDF5 knows: a superblock of version 2,
// headers with checksums, and chunks in B-trees of version 1.
func Create(path string, o *CreateOptions) (*Writer, error) {
	w := &Writer{end: format.SuperblockSize, root: &newObject{key: "/"}}
	w.nodes = map[string]*newObject{"/": w.root}
	w.empty = map[string]*newDataset{}
	w.heap = &newHeap{w: w}
	if o != nil {
		w.o = *o
	}
	if w.o.Memory < 0 || w.o.Workers < 0 {
		return nil, fmt.Errorf("hdf5 create options: Memory is %d and Workers %d, must not be negative: %w", w.o.Memory,
			w.o.Workers, cairn.ErrBounds)
	}
	if w.o.Memory == 0 {
		w.o.Memory = defaultMemory
	}

	file, err := placing.Make(w.o.FS, path, w.o.Overwrite)
	w.file = file
	return w, err
}

// allocate returns the address of n bytes of the file that nothing else has. What is large is
// aligned, which for what is small would waste space.
func (w *Writer) allocate(n int64) int64 {
	const large = 4096
	at := w.end
	if n >= large {
		at = (at + 7) &^ 7
	}
	w.end = at + n
	return at
}

// add adds an object under a key, and the groups around it.
func (w *Writer) add(key string, o *newObject) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if had, err := w.node(key); err != nil {
		return err
	} else if had != nil {
		return fmt.Errorf("%q exists already: %w", key, cairn.ErrBounds)
	}

	above := path.Dir(key)
	group, err := w.node(above)
	if err != nil {
		return err
	}
	if group == nil {
		group = &newObject{}
		if err := w.add(above, group); err != nil {
			return err
		}
	}
	if !group.isGroup() {
		return fmt.Errorf("%q is no group: %w", above, cairn.ErrBounds)
	}

	o.key = key
	w.nodes[key] = o
	group.children = append(group.children, o)
	return nil
}

// checkKey returns an error for a key that nothing can have.
func checkKey(key string) error {
	for name := range strings.SplitSeq(key[1:], "/") {
		if name == "" || name == "." || strings.Contains(name, "\x00") || len(name) > format.MaxMessage/2 {
			return unsupported("nothing in an HDF5 file can be called %.80q", name)
		}
	}
	return nil
}

// keyOf returns a key with a slash before each element.
func keyOf(key string) string { return "/" + strings.Trim(key, "/") }

// Group makes a group, or gives an existing one attributes. "/" is the root.
func (w *Writer) Group(key string, attributes []Attribute) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	key = keyOf(key)
	list, err := planAttributes(attributes)
	if err != nil {
		return fmt.Errorf("group %q: %w", key, err)
	}

	g := w.nodes[key]
	if g == nil {
		g = &newObject{}
		if err := w.add(key, g); err != nil {
			return err
		}
	}
	if !g.isGroup() {
		return fmt.Errorf("%q is no group: %w", key, cairn.ErrBounds)
	}
	g.attributes = append(g.attributes, list...)
	return nil
}

// Arrange says in which order programs are to find what is in a group: that of names, and behind
// them what has been made under others. Without it, the order is that in which all was made.
func (w *Writer) Arrange(group string, names []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	group = keyOf(group)
	g := w.nodes[group]
	if g == nil || !g.isGroup() {
		return fmt.Errorf("group %q: %w", group, cairn.ErrNotFound)
	}

	rank := make(map[string]int, len(names))
	for i, name := range names {
		rank[name] = i
	}
	place := func(o *newObject) int {
		if i, ok := rank[path.Base(o.key)]; ok {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(g.children, func(a, b *newObject) int { return place(a) - place(b) })
	return nil
}

// Commit makes a datatype an object with a name.
func (w *Writer) Commit(key string, t *Type) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := t.datatype()
	if err != nil {
		return fmt.Errorf("datatype %q: %w", key, err)
	}
	return w.add(keyOf(key), &newObject{datatype: d})
}

// Link makes a soft link, which leads to a path in the file.
func (w *Writer) Link(key, target string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if target == "" || len(target) > format.MaxMessage/2 || strings.Contains(target, "\x00") {
		return unsupported("a link to %.80q", target)
	}
	return w.add(keyOf(key), &newObject{target: target})
}

// HardLink gives a group or a dataset, which may be made later, another name.
func (w *Writer) HardLink(key, target string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(keyOf(key), &newObject{same: keyOf(target)})
}

// ExternalLink makes a link to a path in another file.
func (w *Writer) ExternalLink(key, file, target string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if file == "" || target == "" || len(file)+len(target) > format.MaxMessage/2 || strings.Contains(file+target, "\x00") {
		return unsupported("a link to %.80q in the file %.80q", target, file)
	}
	return w.add(keyOf(key), &newObject{target: target, file: file})
}

// Dataset makes a dataset of o.Type, all of whose items are the fill value, until [Writer.Put]
// writes them under the same key. So the order of what is in a group need not be that in which
// items are at hand.
func (w *Writer) Dataset(key string, shape ndarray.Shape, o *DatasetOptions) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o == nil || o.Type == nil {
		return fmt.Errorf("dataset %q without a type: %w", key, cairn.ErrType)
	}

	t, err := o.Type.datatype()
	if err == nil {
		err = w.define(keyOf(key), &newDataset{w: w, shape: slices.Clone(shape), newObject: newObject{datatype: t}}, o)
	}
	if err != nil {
		return fmt.Errorf("dataset %q: %w", key, err)
	}
	return nil
}

// Put writes a source as a dataset: a new one, for which o may be nil, or with o nil all items of
// one that [Writer.Dataset] has made. What cannot be written is refused with an error that matches
// [cairn.ErrUnsupported], before anything is. After an error about reading or writing items the
// file can only be aborted, and Close fails with the same error.
func (w *Writer) Put(ctx context.Context, key string, src ndarray.Source, o *DatasetOptions) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	key = keyOf(key)
	d, err := w.target(key, src, o)
	if err != nil {
		return fmt.Errorf("dataset %q: %w", key, err)
	}

	if err = d.write(ctx); err != nil {
		err = fmt.Errorf("dataset %q: %w", key, err)
		w.failed = errors.Join(w.failed, err)
	}
	return err
}

// Close completes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.failed
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		return errors.Join(err, w.file.Abort())
	}
	return w.file.Commit()
}

// Abort removes what has been written.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Abort()
}
