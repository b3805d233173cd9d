package catalog

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/limits"
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
	derived  *derived // of the handle; nil for an array of the program
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

	if h.Value.tree != nil {
		leaf, err := c.leaf(ctx, p, h)
		h.Release()
		if err != nil {
			return nil, err
		}
		h = leaf
	} else if p.key != "" {
		h.Release()
		return nil, notFound(path)
	}

	a := c.array(path, h.Value.src, h.Value.version, h.Release)
	a.derived = &h.Value.derived
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

	src := p.root.source
	done := func() {}
	version := fmt.Sprintf("%x", p.root.added)
	if v, ok := src.(interface{ Version() string }); ok {
		version += v.Version()
	}

	if u := untypedOf(src); u != nil {
		s, err := u.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		src = s
		done = func() { _ = s.Close() }
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

// Meaning returns what the items stand for.
func (a *Array) Meaning() *cf.Meaning { return cf.Of(a.DType(), a.Labels.Attributes) }

// Values returns the values that the items stand for.
func (a *Array) Values() ndarray.Source { return values.With(a.Source, a.Meaning()) }

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
	defer h.Release()

	if h.Value.tree == nil {
		return nil, nil
	}

	return coords.Near(p.key, func(ctx context.Context, key string) (ndarray.Source, error) {
		near := *p
		near.key = strings.TrimPrefix(key, "/")
		if _, ok := h.Value.tree.keyOf[near.key]; !ok {
			return nil, cairn.ErrNotFound
		}

		leaf, err := a.catalog.leaf(ctx, &near, h)
		if err != nil {
			return nil, err
		}

		path := p.name() + "/" + near.key
		found := a.catalog.array(path, leaf.Value.src, leaf.Value.version, leaf.Release)
		a.mu.Lock()
		a.siblings = append(a.siblings, found)
		a.mu.Unlock()

		return found.Source, nil
	})(ctx, name)
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
func (a *Array) Bytes() int64 { return described.Bytes(a.Source) }

// Take waits for the memory that one read of the array takes, and for extra bytes. The read must
// have the context that it returns: it uses fewer workers than usual, at least one, if they would
// take more than half of the quota.
func (a *Array) Take(ctx context.Context, memory *limits.Quota, extra int64) (
	with context.Context, release func(), err error,
) {
	each, fixed := a.scratch()
	workers := parallel.Within(memory.Size()/2-fixed-extra, each, a.catalog.workers)
	release, err = memory.Take(ctx, int64(workers)*each+fixed+extra)
	if errors.Is(err, limits.ErrTooLarge) {
		chunks, _ := a.Grid()
		err = fmt.Errorf("this takes %d bytes of memory, %d of them for reading chunks of %d bytes, and the server has %d "+
			"for all requests; give it more (-memory), or store the array in smaller chunks: %w", each+fixed+extra, each,
			boxBytes(chunks, int64(a.DType().Size())), memory.Size(), limits.ErrTooLarge)
	}
	return parallel.AtMost(ctx, workers), release, err
}

// scratch returns the memory that a read takes besides its result: an encoded chunk and some
// decoded blocks, or a decoded chunk, for each worker, and what does not depend on workers.
func (a *Array) scratch() (each, fixed int64) {
	chunks, blocks := a.Grid()
	size := int64(a.DType().Size())
	each = 3 * boxBytes(blocks, size)
	fixed = 1 << 20
	if a.Blosc2 != nil {
		each = boxBytes(chunks, size) + 4*boxBytes(blocks, size)
	}
	if ordered, ok := a.Source.(interface{ InOrder() bool }); ok && ordered.InOrder() {
		fixed += 48 << 20 // what is kept of a compressed member of an archive
	}
	return each, fixed
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
