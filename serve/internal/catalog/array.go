package catalog

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// An Array is an open array, in one state, until it is released.
type Array struct {
	ndarray.Source
	Path    string
	Version string // that no other state has; letters, digits and other characters of ETags
	Labels  ndarray.Labels
	Blosc2  *ndarray.Untyped // nil for other formats
	Zarr    *zarr.Array      // nil for other formats

	catalog  *Catalog
	kept     *kept // of the handle; nil for an array of the program
	release  func()
	once     sync.Once
	mu       sync.Mutex
	siblings []*Array
}

// Array returns the array of a path in its newest state, which requests share. Release it.
func (c *Catalog) Array(ctx context.Context, path string) (*Array, error) {
	p, err := c.find(path)
	if err != nil {
		return nil, err
	}
	if p.root.source != nil {
		return c.ofSource(ctx, p, path)
	}
	if p.isFolder() {
		return nil, ErrNoArray
	}
	h, err := c.handle(ctx, p)
	if err != nil {
		return nil, err
	}
	if h.tree != nil {
		leaf, err := c.leaf(ctx, p, h)
		c.handles.release(h)
		if err != nil {
			return nil, err
		}
		h = leaf
	} else if p.key != "" {
		c.handles.release(h)
		return nil, notFound(path)
	}
	a := c.array(path, h.src, h.version, func() { c.handles.release(h) })
	a.kept = &h.kept
	return a, nil
}

// array describes an open source.
func (c *Catalog) array(path string, src ndarray.Source, version string, release func()) *Array {
	a := &Array{Source: src, Path: path, Version: digest(version + path)[:20], catalog: c, release: release}
	switch s := src.(type) {
	case *ndarray.Untyped:
		a.Blosc2 = s
	case *zarr.Array:
		a.Zarr = s
	case zarrArray:
		a.Zarr = s.Array
	}
	if l, ok := src.(ndarray.Labelled); ok {
		a.Labels, _ = l.Labels()
	}
	return a
}

// ofSource returns an array of the program. One that can change is read in the state that it has
// now.
func (c *Catalog) ofSource(ctx context.Context, p *place, path string) (*Array, error) {
	if p.key != "" {
		return nil, notFound(path)
	}
	src, done := p.root.source, func() {}
	version := fmt.Sprintf("%x", p.root.born)
	if v, ok := src.(interface{ Version() string }); ok {
		version += v.Version()
	}
	if u := untypedOf(src); u != nil {
		s, err := u.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		src, done = s, func() { _ = s.Close() }
		version += fmt.Sprint(s.Shape(), s.Info().Seq, s.Stats())
	}
	return c.array(path, src, version, done), nil
}

// untypedOf returns the array that a source is, typed or not, or nil. The types of typed arrays
// cannot be listed, but all have the untyped one as a field.
func untypedOf(src ndarray.Source) *ndarray.Untyped {
	if u, ok := src.(*ndarray.Untyped); ok {
		return u
	}
	if v := reflect.ValueOf(src); v.Kind() == reflect.Struct {
		if f := v.FieldByName("Untyped"); f.IsValid() && f.CanInterface() {
			u, _ := f.Interface().(*ndarray.Untyped)
			return u
		}
	}
	return nil
}

// Coordinates returns the array with its dimensions and their coordinates, which are arrays beside
// it in a tree. It is for one goroutine, and valid until the array is released.
func (a *Array) Coordinates() *coords.Array { return coords.New(a.Source, a.sibling) }

// sibling opens the array with a name in the same group, or in one around it. It returns nil if
// there is none. It is released with a.
func (a *Array) sibling(ctx context.Context, name string) (ndarray.Source, error) {
	p, err := a.catalog.find(a.Path)
	if err != nil || p.key == "" || p.root.source != nil || !validName(name) {
		return nil, nil
	}
	h, err := a.catalog.handle(ctx, p)
	if err != nil {
		return nil, err
	}
	defer a.catalog.handles.release(h)
	if h.tree == nil {
		return nil, nil
	}
	for group := p.key; group != ""; {
		group = parent(group)
		near := *p
		near.key = name
		if group != "" {
			near.key = group + "/" + name
		}
		if _, ok := h.tree.own[near.key]; !ok {
			continue
		}
		leaf, err := a.catalog.leaf(ctx, &near, h)
		if err != nil {
			return nil, err
		}
		path := p.name() + "/" + near.key
		found := a.catalog.array(path, leaf.src, leaf.version, func() { a.catalog.handles.release(leaf) })
		a.mu.Lock()
		a.siblings = append(a.siblings, found)
		a.mu.Unlock()
		return found.Source, nil
	}
	return nil, nil
}

// Release ends the use of the array.
func (a *Array) Release() {
	a.once.Do(func() {
		for _, s := range a.siblings {
			s.Release()
		}
		a.release()
	})
}

// Bytes returns the bytes of all items.
func (a *Array) Bytes() int64 { return bytesOf(a.Source) }

func bytesOf(src ndarray.Source) int64 {
	n := int64(src.DType().Size())
	for _, extent := range src.Shape() {
		n *= extent
	}
	return n
}

// Scratch returns the memory that one read of the array takes besides its result: an encoded chunk
// and some decoded blocks, or a decoded chunk, for each worker.
func (a *Array) Scratch() int64 {
	chunks, blocks := a.Grid()
	size := int64(a.DType().Size())
	per := 3 * boxBytes(blocks, size)
	if a.Blosc2 != nil {
		per = boxBytes(chunks, size) + 4*boxBytes(blocks, size)
	}
	total := int64(a.catalog.workers)*per + 1<<20
	if ordered, ok := a.Source.(interface{ InOrder() bool }); ok && ordered.InOrder() {
		total += 48 << 20 // what is kept of a compressed member of an archive
	}
	return total
}

func boxBytes(shape []int64, size int64) int64 {
	if shape == nil {
		return 0
	}
	for _, n := range shape {
		size *= max(n, 1)
	}
	return size
}
