package catalog

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/store"
)

// An entryCache keeps what entries of files are, by name and version, since telling that opens
// them.
type entryCache struct {
	mu     sync.Mutex
	byName map[string]described.Entry
}

const maxEntries = 10_000

func (c *entryCache) get(name string) (described.Entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byName[name]
	return e, ok
}

func (c *entryCache) put(name string, e described.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byName == nil || len(c.byName) >= maxEntries {
		c.byName = map[string]described.Entry{}
	}
	c.byName[name] = e
}

// Stat says what a path is. "" is the folder of all roots.
func (c *Catalog) Stat(ctx context.Context, path string) (described.Entry, error) {
	if path == "" {
		return described.Entry{Kind: described.FolderKind}, nil
	}
	p, err := c.find(path)
	if err != nil {
		return described.Entry{}, err
	}
	return c.stat(ctx, p, path)
}

func (c *Catalog) stat(ctx context.Context, p *place, path string) (described.Entry, error) {
	e := described.Entry{Name: path[strings.LastIndexByte(path, '/')+1:], Path: path, Kind: described.FolderKind}

	if p.root.source != nil {
		if p.key != "" {
			return e, notFound(path)
		}
		e.SetArray(p.root.source)
		return e, nil
	}

	e.Changed = p.info.ModTime()
	if p.isFolder() {
		return e, nil
	}
	if p.key == "" {
		return c.statFile(ctx, p, e)
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return e, err
	}
	defer h.Release()

	if h.Value.tree == nil {
		return e, notFound(path)
	}
	return c.statKey(ctx, h.Value, p.key, e)
}

// statFile says what a file is, by opening it unless that is known.
func (c *Catalog) statFile(ctx context.Context, p *place, e described.Entry) (described.Entry, error) {
	if !p.isDir {
		e.FileBytes = p.info.Size()
	}

	memo := p.name() + "\x00" + p.version()
	if known, ok := c.entries.get(memo); ok {
		return known, nil
	}

	o, err := c.open(ctx, p)
	if err == nil {
		defer func() { _ = o.closer.Close() }()
	}

	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case errors.Is(err, ErrNoArray):
		e.Kind = described.FileKind
	case err != nil:
		c.setUnreadable(&e, err)
	case o.tree != nil:
		e.Kind = described.TreeKind
		e.Format = o.format
		if err := o.tree.holding.Truncated(); err != nil {
			e.Fault = c.Hide(err.Error())
		}
	default:
		e.SetArray(o.src)
		e.Format = o.format
	}

	c.entries.put(memo, e)
	return e, nil
}

// setUnreadable notes why an entry cannot be read.
func (c *Catalog) setUnreadable(e *described.Entry, err error) {
	e.Kind = described.Unreadable
	e.Fault = c.Hide(naming.Reason(err).Error())
}

// statKey says what a key of a tree is.
func (c *Catalog) statKey(ctx context.Context, o *opened, key string, e described.Entry) (described.Entry, error) {
	t := o.tree
	e.Key = "/" + key
	e.Format = o.format

	stored, ok := t.keyOf[key]
	if !ok {
		kind, group := t.groups[key]
		switch {
		case !group:
			return e, notFound(e.Path)
		case kind == store.Table:
			e.Kind = described.TableKind
		default:
			e.Kind = described.GroupKind
		}
		return e, nil
	}

	if t.store != nil {
		if l, err := t.store.Leaf(stored); err == nil {
			e.FileBytes = l.Size
		}
	}

	src, err := t.holding.Open(ctx, stored)
	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case errors.Is(err, cairn.ErrNotFound):
		e.Kind = described.FileKind // objects, lists and the like
		return e, nil
	case err != nil:
		c.setUnreadable(&e, err)
		return e, nil
	}

	e.SetArray(src)
	if closer := closerOf(src); closer != nil {
		return e, closer.Close()
	}
	return e, nil
}

// List returns up to limit entries of a folder, tree or group, in the order of their names, behind
// the name after, and whether there are more. Hidden files, links, devices and the like are left
// out.
func (c *Catalog) List(ctx context.Context, path, after string, limit int) (entries []described.Entry, more bool, err error) {
	for {
		names, stat, done, err := c.names(ctx, path, after, limit+1)
		if err != nil {
			return nil, false, err
		}

		for _, name := range names {
			if len(entries) == limit {
				done()
				return entries, true, nil
			}

			after = name

			e, err := stat(name)
			switch {
			case ctx.Err() != nil:
				err = ctx.Err()
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
				continue // it is not served, or has gone
			}

			if err != nil {
				done()
				return nil, false, err
			}

			entries = append(entries, e)
		}

		done()
		if len(names) <= limit {
			return entries, false, nil
		}
	}
}

// names returns the first names, at most most, behind the name after in a folder, tree or group,
// sorted, a function that says what an entry is, and one to call at the end.
func (c *Catalog) names(ctx context.Context, path, after string, most int) (
	names []string, stat func(name string) (described.Entry, error), done func(), err error,
) {
	page := func(sorted []string) []string {
		from, found := slices.BinarySearch(sorted, after)
		if found {
			from++
		}
		return sorted[from:min(len(sorted), from+most)]
	}

	done = func() {}
	join := func(name string) string { return strings.TrimPrefix(path+"/"+name, "/") }
	stat = func(name string) (described.Entry, error) { return c.Stat(ctx, join(name)) }

	if path == "" {
		for _, r := range c.roots {
			names = append(names, r.name)
		}
		slices.Sort(names)
		return page(names), stat, done, nil
	}

	p, err := c.find(path)
	if err != nil {
		return nil, nil, nil, err
	}

	if p.root.source == nil && p.isFolder() {
		d, err := p.folder()
		if err != nil {
			return nil, nil, nil, publicError(path, err)
		}
		defer d.Close()
		names, err = namesIn(ctx, d, after, most)
		return names, stat, done, publicError(path, err)
	}

	if p.root.source != nil {
		return nil, nil, nil, notFound(path)
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return nil, nil, nil, err
	}

	done = h.Release

	if h.Value.tree != nil {
		if _, ok := h.Value.tree.groups[p.key]; ok {
			stat = func(name string) (described.Entry, error) {
				key := strings.TrimPrefix(p.key+"/"+name, "/")
				return c.statKey(ctx, h.Value, key, described.Entry{Name: name, Path: join(name), Changed: p.info.ModTime()})
			}
			return page(h.Value.tree.children(p.key)), stat, done, nil
		}
	}

	done()
	return nil, nil, nil, notFound(path)
}

// namesIn returns the first names, at most most, of what is served of a folder, behind the name
// after, sorted. It holds twice as many, however many there are.
func namesIn(ctx context.Context, d *osfile.Dir, after string, most int) (names []string, err error) {
	last := "" // of those that count, once there are enough
	cut := func() {
		slices.Sort(names)
		if len(names) >= most {
			names = names[:most]
			last = names[most-1]
		}
	}

	err = d.Each(func(e fs.DirEntry) error {
		name := e.Name()
		if name <= after || last != "" && name > last || !validName(name) || isLeftover(name) || !e.IsDir() && !e.Type().IsRegular() {
			return nil
		}
		if names = append(names, name); len(names) >= 2*most {
			cut()
		}
		return ctx.Err()
	})

	cut()
	return names, err
}

// mostLeftOut bounds the names that LeftOut returns.
const mostLeftOut = 10

// LeftOut returns the names in a folder or in all of a tree that no path can have, at most ten, and
// how many there are: those with backslashes, with characters that cannot be seen, that are not
// UTF-8, or that begin with a dot in a tree.
func (c *Catalog) LeftOut(ctx context.Context, path string) (names []string, count int64, err error) {
	p, err := c.find(path)
	if path == "" || err != nil || p.root.source != nil {
		return nil, 0, err
	}
	if !p.isFolder() {
		return c.leftOutOfTree(ctx, p)
	}

	d, err := p.folder()
	if err != nil {
		return nil, 0, publicError(path, err)
	}
	defer d.Close()

	err = d.Each(func(e fs.DirEntry) error {
		if name := e.Name(); name[0] != '.' && !validName(name) {
			if count++; len(names) < mostLeftOut {
				names = append(names, quoted(name))
			}
		}
		return ctx.Err()
	})

	slices.Sort(names)
	return names, count, publicError(path, err)
}

// leftOutOfTree is LeftOut for the place of a tree; groups leave nothing out.
func (c *Catalog) leftOutOfTree(ctx context.Context, p *place) (names []string, count int64, err error) {
	if p.key != "" {
		return nil, 0, nil
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	defer h.Release()

	if h.Value.tree == nil {
		return nil, 0, nil
	}
	return h.Value.tree.omitted, h.Value.tree.omissions, nil
}

// quoted returns a name that cannot be part of a path as a text that can be shown.
func quoted(name string) string { return strings.Trim(strconv.Quote(name), `"`) }

// isLeftover reports whether a name is that of a file that is being written, or was never finished.
func isLeftover(name string) bool {
	i := strings.LastIndex(name, ".tmp-")
	return i > 0 && len(name) > i+5 && strings.Trim(name[i+5:], "0123456789") == ""
}

// Attributes returns the attributes of a tree or a group, or nil.
func (c *Catalog) Attributes(ctx context.Context, path string) (meta.Map, error) {
	p, err := c.find(path)
	if err != nil || p.root.source != nil || p.isFolder() {
		return nil, err
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return nil, err
	}
	defer h.Release()

	if h.Value.tree == nil {
		return nil, nil
	}
	if _, isGroup := h.Value.tree.groups[p.key]; !isGroup {
		return nil, nil
	}

	attributes, err := h.Value.tree.holding.Attributes(ctx, "/"+p.key)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	return attributes, err
}
