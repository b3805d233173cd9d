package catalog

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/memo"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/zarr"
)

// ErrNoArray is matched by errors about paths of which nothing is an array.
var ErrNoArray = fmt.Errorf("this is no array: %w", cairn.ErrUnsupported)

// engine bounds what opening a file may cost.
var engine = chunk.Engine{Limits: cairn.Limits{MaxHeader: 1 << 20, MaxTrailer: 32 << 20, MaxIndex: 64 << 20,
	MaxMeta: 16 << 20, MaxAlloc: 256 << 20}}

// digest returns a short text for a long one.
func digest(text string) string {
	h := fnv.New128a()
	_, _ = io.WriteString(h, text)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A handle is an open file, tree or array, in one state, which several requests share.
type handle = memo.Entry[*opened]

// opened is what a handle has.
type opened struct {
	derived derived
	version string
	format  string         // of the file, "" for Blosc2
	src     ndarray.Source // of an array
	tree    *tree          // of a tree
	closer  io.Closer      // or nil
	parent  *handle        // that must stay open, or nil
}

const (
	idle        = 2 * time.Minute  // how long something stays open that nobody uses
	openTimeout = 30 * time.Second // for opening something
)

// newHandles returns a table of at most some handles. Those in use stay open even if there are too
// many.
func newHandles(most int) *memo.Cache[*opened] {
	return memo.New(memo.Options[*opened]{Most: int64(most), Idle: idle, Close: (*opened).Close})
}

// Close closes what nobody uses and nobody can get, and releases what it depends on.
func (o *opened) Close() (err error) {
	if o.closer != nil {
		err = o.closer.Close()
	}
	if o.parent != nil {
		o.parent.Release()
	}
	return err
}

// handle returns the open file or tree of a place: an array without keys, or a tree.
func (c *Catalog) handle(ctx context.Context, p *place) (*handle, error) {
	version := p.version()
	if len(c.links) > 0 && p.mayLink() {
		version += period(chunkAge)
	}

	return c.handles.Get(ctx, p.name(), version, func() {}, func(ctx context.Context) (*opened, error) {
		ctx, cancel := context.WithTimeout(ctx, openTimeout)
		defer cancel()
		o, err := c.open(ctx, p)
		if err != nil {
			return nil, err
		}
		o.version = version
		return o, nil
	})
}

// open opens what a place has: a single array, or a tree.
func (c *Catalog) open(ctx context.Context, p *place) (*opened, error) {
	in := &formats.Input{Name: p.name(), Path: p.at(), Files: storage.NoLinks(p.root.dir), Workers: c.workers,
		Limits: engine.Limits, Compare: frame.VerifyWhole}
	if p.isDir {
		h, is, err := formats.Hold(ctx, in, &formats.Probe{Name: p.name(), Entries: p.marks})
		return c.treeOf(ctx, h, &is, err)
	}

	f, err := p.open()
	if err != nil {
		return nil, err
	}

	in.File = f
	in.Size = p.info.Size()
	in.Links = c.links
	in.Closer = f
	probe, err := formats.ProbeFile(p.name(), f, in.Size)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	h, is, err := formats.Hold(ctx, in, probe)
	return c.treeOf(ctx, h, &is, err)
}

// treeOf returns what an opened file of a format holds: an array, if that is all.
func (c *Catalog) treeOf(ctx context.Context, h *formats.Holding, is *formats.Format, err error) (*opened, error) {
	if errors.Is(err, formats.ErrNoFormat) || errors.Is(err, cairn.ErrNotFound) {
		err = ErrNoArray
	}
	if err != nil {
		return nil, err
	}

	t := newTree(h)
	o := &opened{tree: t, closer: t}
	if !is.Native {
		o.format = is.Name
	}
	if !t.isArray() {
		return o, nil
	}

	src, err := h.Open(context.WithoutCancel(ctx), t.keyOf[""])
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}

	o.tree = nil
	o.src = src
	o.closer = closers{closerOf(src), t}
	return o, nil
}

// leaf returns the open array of a tree that is open in h. The caller releases both.
func (c *Catalog) leaf(ctx context.Context, p *place, h *handle) (*handle, error) {
	t := h.Value.tree
	stored, ok := t.keyOf[p.key]
	if !ok {
		if _, group := t.groups[p.key]; group {
			return nil, ErrNoArray
		}
		return nil, notFound(p.name() + "/" + p.key)
	}

	open := func(ctx context.Context) (ndarray.Source, error) { return t.holding.Open(ctx, stored) }
	version := h.Value.version
	switch {
	case p.isZarr():
		// The version of an array of a Zarr store in a directory: of its metadata, and of
		// the directories of its chunks, as far as these are few.
		text := ""
		for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
			text += p.stampOf(p.key+"/"+name) + "-"
		}

		dirs := []string{filepath.Join(p.at(), filepath.FromSlash(p.key))}
		for i := 0; i < len(dirs) && i < mostDirs; i++ {
			info, err := os.Lstat(dirs[i])
			if err != nil || !info.IsDir() {
				continue
			}
			text += fmt.Sprintf("%x", info.ModTime().UnixNano())
			if len(dirs) < mostDirs {
				dirs = append(dirs, subfolders(dirs[i], mostDirs-len(dirs))...)
			}
		}
		version = digest(text) + period(chunkAge)

		open = func(ctx context.Context) (ndarray.Source, error) { return c.openZarr(ctx, p) }
	case p.isDir && t.store != nil:
		if l, err := t.store.Leaf(stored); err == nil && l.File != "" {
			version = p.stampOf(l.File)
		}
	}

	h.Hold()
	return c.handles.Get(ctx, p.name()+"/"+p.key, version, h.Release, func(ctx context.Context) (*opened, error) {
		ctx, cancel := context.WithTimeout(ctx, openTimeout)
		defer cancel()

		src, err := open(ctx)
		if errors.Is(err, cairn.ErrNotFound) {
			err = fmt.Errorf("%s/%s: %w", p.name(), p.key, ErrNoArray)
		}
		if err != nil {
			return nil, err
		}

		h.Hold()
		return &opened{version: version, src: src, closer: closerOf(src), parent: h}, nil
	})
}

// openZarr opens an array of a Zarr store in a directory by itself, with its newest metadata.
func (c *Catalog) openZarr(ctx context.Context, p *place) (ndarray.Source, error) {
	name := filepath.Join(p.at(), filepath.FromSlash(p.key))
	s, err := zarr.Open(name, &zarr.OpenOptions{FS: storage.NoLinks(p.root.dir), Workers: c.workers, Limits: engine.Limits})
	if err != nil {
		return nil, err
	}

	a, err := s.Array(ctx, "/")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return zarrArray{a, s}, nil
}

// A zarrArray is an array with the store that it is the only one of.
type zarrArray struct {
	*zarr.Array
	io.Closer
}

// closers closes several things, some of which may be nil.
type closers []io.Closer

func (c closers) Close() (err error) {
	for _, each := range c {
		if each != nil {
			err = errors.Join(err, each.Close())
		}
	}
	return err
}

// closerOf returns a source that can be closed, or nil.
func closerOf(src ndarray.Source) io.Closer {
	c, _ := src.(io.Closer)
	return c
}
