package hdf5

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
)

// A Changer changes a file in place: attributes of its objects, and which objects it has. Changes
// are collected, and a commit makes them. Its methods may be called concurrently, and wait for one
// another.
//
// What is new is written behind the end of the file, and made durable. Then headers of objects that
// change are led there, by a write within a sector. If these are at most sixteen, one write changes
// all: whenever a crash happens, the HDF5 library opens the file and finds it as it was, or as it
// was to be. Of more headers some may have changed, and the next Change or Append completes that.
// The space of what was replaced or deleted is not used again: a copy of the file reclaims it.
type Changer struct {
	mu      sync.Mutex
	a       *Appender
	w       *Writer // of new objects
	tops    []*newObject
	at      map[int64]*newObject // of tops
	changed map[int64]*changed
	order   []*changed
	counts  map[int64]int64 // the hard links that lead to objects of which some are deleted
	gone    map[int64]bool  // the objects to which none is left
}

// A changed is an object of the file that is to change.
type changed struct {
	key    string
	header *format.ChangingHeader
	sets   []newAttribute
	late   bool // a scale that gets users
}

// Change opens a file to change it. o may be nil. The caller must call [Changer.Close] or
// [Changer.Abort]. While the file is open, others can read it, and only read it.
//
// Files and changes are refused with an error that matches [cairn.ErrUnsupported], here or when it
// comes to an object, if their structures do not let a crash leave them whole.
func Change(path string, o *AppendOptions) (*Changer, error) {
	a, err := openAppender("change", path, o)
	if err != nil {
		return nil, err
	}
	c := &Changer{a: a}
	c.begin()
	return c, nil
}

// begin begins to collect changes.
func (c *Changer) begin() {
	a := c.a
	c.tops = nil
	c.at = map[int64]*newObject{}
	c.changed = map[int64]*changed{}
	c.order = nil
	c.counts = map[int64]int64{}
	c.gone = map[int64]bool{}
	a.file.staged = map[int64]*object{}

	c.w = &Writer{file: adding{a}, end: a.end, nodes: map[string]*newObject{}, empty: map[string]*newDataset{}, base: c}
	c.w.o = CreateOptions{Workers: a.o.Workers, Memory: a.o.Memory, Checked: a.o.Checked, Progress: a.o.Progress}
	c.w.heap = &newHeap{w: c.w}
}

// adding is what the writer of new objects writes to.
type adding struct{ a *Appender }

func (f adding) WriteAt(b []byte, at int64) (int, error) { return f.a.disk.WriteAt(b, at) }
func (f adding) Truncate(int64) error                    { return nil }
func (f adding) Commit() error                           { return nil }
func (f adding) Abort() error                            { return nil }

// File returns the file as the last commit has left it, for its groups and attributes, until the
// next commit.
func (c *Changer) File() *File { return c.a.file }

// change calls do, unless there may be no more changes.
func (c *Changer) change(what, key string, do func(key string) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.a.failed != nil {
		return c.a.failed
	}
	key = keyOf(key)
	if err := do(key); err != nil {
		return fmt.Errorf("%s%q: %w", what, key, err)
	}
	return nil
}

// find returns the address of an object and the object, which must be in this file.
func (c *Changer) find(ctx context.Context, key string) (*object, error) {
	_, in, o, err := c.a.file.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if in != c.a.file {
		return nil, unsupported("%q is in another file", key)
	}
	return o, nil
}

// changing returns an object that is to change.
func (c *Changer) changing(ctx context.Context, key string, at int64) (*changed, error) {
	if known := c.changed[at]; known != nil {
		return known, nil
	}
	h, err := c.a.file.format.In(ctx).ChangingHeader(at)
	if err != nil {
		return nil, err
	}
	made := &changed{key: key, header: h}
	c.changed[at] = made
	c.order = append(c.order, made)
	return made, nil
}

// reservedNames are those of attributes that say how scales are attached, in which others trust.
var reservedNames = []string{attrScales, attrUsers}

// SetAttribute sets an attribute of a group, a dataset or a committed datatype. One that it has
// already keeps its place.
func (c *Changer) SetAttribute(ctx context.Context, key string, at Attribute) error {
	return c.change("", key, func(key string) error {
		made, err := planAttributes([]Attribute{at})
		if err == nil {
			err = at.Check()
		}
		if err != nil {
			return err
		}
		if o := c.w.nodes[key]; o != nil && !o.existing {
			o.attributes = slices.DeleteFunc(o.attributes, func(a newAttribute) bool { return a.Name == at.Name })
			o.attributes = append(o.attributes, made...)
			return nil
		}

		target, err := c.withAttribute(ctx, key, at.Name)
		if err == nil {
			target.drop(at.Name)
			target.sets = append(target.sets, made...)
		}
		return err
	})
}

// withAttribute returns an object of which an attribute may change.
func (c *Changer) withAttribute(ctx context.Context, key, name string) (*changed, error) {
	o, err := c.find(ctx, key)
	if err != nil {
		return nil, err
	}
	isScale, err := c.isScale(ctx, o)
	if err != nil {
		return nil, err
	}
	if slices.Contains(reservedNames, name) || isScale && (name == attrClass || name == attrName) {
		return nil, unsupported("the attribute %q says how dimension scales are attached; cairn copy makes a file with other "+
			"dimensions", name)
	}
	return c.changing(ctx, key, o.header.Address)
}

// drop drops a value that was to be set, and reports whether there was one.
func (t *changed) drop(name string) bool {
	n := len(t.sets)
	t.sets = slices.DeleteFunc(t.sets, func(a newAttribute) bool { return a.Name == name })
	return len(t.sets) < n
}

// DeleteAttribute deletes an attribute of a group, a dataset or a committed datatype.
func (c *Changer) DeleteAttribute(ctx context.Context, key, name string) error {
	return c.change("", key, func(key string) error {
		if o := c.w.nodes[key]; o != nil && !o.existing {
			return unsupported("changing what has been made since the last commit")
		}
		target, err := c.withAttribute(ctx, key, name)
		if err != nil {
			return err
		}
		had, err := target.header.RemoveAttribute(name)
		if pending := target.drop(name); err == nil && !had && !pending {
			err = fmt.Errorf("no attribute %q: %w", name, cairn.ErrNotFound)
		}
		return err
	})
}

// Put writes a source as a new dataset, as [Writer.Put] does. Groups around it are made if they are
// missing. One that was there must have been deleted; both is one change.
func (c *Changer) Put(ctx context.Context, key string, src ndarray.Source, o *DatasetOptions) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.a.failed != nil {
		return c.a.failed
	}
	if o == nil {
		o = &DatasetOptions{}
	}

	for _, scale := range o.Scales {
		if scale == "" {
			continue
		}
		if _, err := c.w.node(keyOf(scale)); err != nil {
			return fmt.Errorf("dataset %q: %w", keyOf(key), err)
		}
	}

	d, err := c.w.target(keyOf(key), src, o)
	if err == nil && d.layout.Class == format.Chunked {
		err = c.a.grow.Ordinary()
	}
	if err != nil {
		return fmt.Errorf("dataset %q: %w", keyOf(key), err)
	}

	err = c.clear()
	if err == nil {
		err = d.write(ctx)
	}
	if err != nil {
		err = fmt.Errorf("dataset %q: %w", keyOf(key), err)
		c.a.failed = naming.Call("change", c.a.name, err)
		return err
	}

	return nil
}

// clear removes what is behind the end of the file: chunks leave out zeros.
func (c *Changer) clear() error {
	size, err := c.a.disk.Size()
	if err != nil || size <= c.a.end || c.w.end > c.a.end {
		return err
	}
	return c.a.disk.Truncate(c.a.end)
}

// Group makes a group. One that is there is given attributes.
func (c *Changer) Group(ctx context.Context, key string, attributes []Attribute) error {
	if had, err := c.object(keyOf(key)); err == nil && had != nil && had.existing && had.isGroup() {
		for _, at := range attributes {
			if err := c.SetAttribute(ctx, key, at); err != nil {
				return err
			}
		}
		return nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.a.failed != nil {
		return c.a.failed
	}
	return c.w.Group(key, attributes)
}

// object implements [base].
func (c *Changer) object(key string) (*newObject, error) {
	ctx := context.Background()
	o, err := c.find(ctx, key)
	if errors.Is(err, cairn.ErrNotFound) {
		return c.dangling(ctx, key)
	}
	if err != nil {
		return nil, err
	}
	at := o.header.Address
	if known := c.at[at]; known != nil {
		return known, nil
	}

	n := &newObject{key: key, existing: true, at: at}
	if !o.header.IsGroup() {
		n.datatype = &format.Datatype{}
		if n.isScale, err = c.isScale(ctx, o); err != nil {
			return nil, err
		}
	}
	c.at[at] = n
	c.tops = append(c.tops, n)
	return n, nil
}

// dangling returns the link of a key that leads nowhere, or nil if there is none.
func (c *Changer) dangling(ctx context.Context, key string) (*newObject, error) {
	group, err := c.find(ctx, path.Dir(key))
	if err != nil || !group.header.IsGroup() {
		return nil, nil
	}
	if i, ok := group.named[path.Base(key)]; ok {
		return &newObject{key: key, existing: true, target: group.links[i].Target + " "}, nil
	}
	return nil, nil
}

// address implements [base].
func (c *Changer) address(key string) (int64, bool) {
	o, err := c.find(context.Background(), key)
	if err != nil {
		return 0, false
	}
	return o.header.Address, true
}

// Commit makes the changes, and returns when they are durable. After an error there are no more
// commits.
func (c *Changer) Commit(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commit(ctx)
}

func (c *Changer) commit(ctx context.Context) error {
	if c.a.failed != nil {
		return c.a.failed
	}
	err := c.write(ctx)
	if err == nil {
		err = errors.Join(c.a.file.Close(), c.a.open())
	}
	if err != nil {
		c.a.failed = naming.Call("change", c.a.name, err)
		return c.a.failed
	}
	c.begin()
	return nil
}

// Close makes the changes and closes the file.
func (c *Changer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.commit(context.Background())
	return errors.Join(err, c.a.close())
}

// Abort closes the file without the changes since the last commit.
func (c *Changer) Abort() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.a.close()
}

// has reports whether something has been made at or below a key since the last commit.
func (c *Changer) has(key string) bool {
	for name := range maps.Keys(c.w.nodes) {
		if !c.w.nodes[name].existing && (name == key || strings.HasPrefix(name, key+"/")) {
			return true
		}
	}
	return false
}
