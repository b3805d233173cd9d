package hdf5

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// An object is a group, a dataset or a committed datatype.
type object struct {
	header *format.Header
	links  []format.Link  // of a group
	named  map[string]int // the numbers of links
}

// Bounds of what is kept and followed.
const (
	mostObjects       = 1 << 14 // in memory
	mostLinks         = 1 << 20 // of these
	mostFollowedLinks = 32      // soft and external links that lead to an object
)

// object returns the object whose header is at an address.
func (f *File) object(ctx context.Context, at int64) (*object, error) {
	f.mu.Lock()
	o := f.objects[at]
	if staged := f.staged[at]; staged != nil {
		o = staged
	}
	f.mu.Unlock()
	if o != nil {
		return o, ctx.Err()
	}

	r := f.format.In(ctx)
	h, err := r.Header(at)
	if err != nil {
		return nil, err
	}

	o = &object{header: h}
	if h.IsGroup() {
		if o.links, err = r.Links(h); err != nil {
			return nil, err
		}
		o.named = make(map[string]int, len(o.links))
		for i, l := range o.links {
			o.named[l.Name] = i
		}
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.objects) >= mostObjects || f.links+len(o.links) > mostLinks {
		f.objects = map[int64]*object{}
		f.links = 0
	}
	f.objects[at] = o
	f.links += len(o.links)
	return o, nil
}

// A place is where the header of an object is.
type place struct {
	file *File
	at   int64
}

// root returns the place of the root group.
func (f *File) root() place { return place{f, f.format.Root} }

// find returns the object of a key, the file that it is in, and the key in its usual form: "/" or
// "/a/b".
func (f *File) find(ctx context.Context, key string) (string, *File, *object, error) {
	clean := "/" + strings.Join(parts(key), "/")
	budget := mostFollowedLinks

	at, err := f.root().follow(ctx, key, &budget)
	var o *object
	if err != nil {
		return "", nil, nil, fmt.Errorf("%q: %w", clean, err)
	}

	o, err = at.file.object(ctx, at.at)
	if err != nil {
		return "", nil, nil, fmt.Errorf("%q: %w", clean, err)
	}
	return clean, at.file, o, nil
}

// parts returns the names of a path. Slashes may be repeated, and "." is the group itself.
func parts(path string) []string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// follow returns the place of the object at a path from a group. budget is how many soft and
// external links may be followed.
func (p place) follow(ctx context.Context, path string, budget *int) (place, error) {
	for _, name := range parts(path) {
		o, err := p.file.object(ctx, p.at)
		if err != nil {
			return place{}, err
		}

		i, ok := o.named[name]
		if !ok {
			return place{}, fmt.Errorf("no %q in the group: %w", name, cairn.ErrNotFound)
		}
		if p, err = p.step(ctx, &o.links[i], budget); err != nil {
			return place{}, err
		}
	}
	return p, nil
}

// step returns the place to which a link of a group leads.
func (p place) step(ctx context.Context, l *format.Link, budget *int) (place, error) {
	if l.Kind == format.Hard {
		return place{p.file, l.Address}, nil
	}
	if *budget--; *budget < 0 {
		return place{}, fmt.Errorf("more than %d links to follow, the last to %q: %w", mostFollowedLinks, l.Target,
			cairn.ErrLimit)
	}

	switch l.Kind {
	case format.Soft:
		if strings.HasPrefix(l.Target, "/") {
			p = p.file.root()
		}
		at, err := p.follow(ctx, l.Target, budget)
		if err != nil {
			return place{}, fmt.Errorf("soft link to %q: %w", l.Target, err)
		}
		return at, nil
	case format.External:
		other, err := p.file.other(l.File, l.Target, false)
		if err != nil {
			return place{}, err
		}
		at, err := other.root().follow(ctx, l.Target, budget)
		if err != nil {
			return place{}, fmt.Errorf("external link to %q in the file %q: %w", l.Target, l.File, err)
		}
		return at, nil
	}
	return place{}, fmt.Errorf("link of an unknown kind: %w", cairn.ErrUnsupported)
}
