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
	mostObjects = 1 << 14 // in memory
	mostLinks   = 1 << 20 // of these
	mostSoft    = 32      // soft links that lead to an object
)

// object returns the object whose header is at an address.
func (f *File) object(ctx context.Context, at int64) (*object, error) {
	f.mu.Lock()
	o := f.objects[at]
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
		f.objects, f.links = map[int64]*object{}, 0
	}
	f.objects[at] = o
	f.links += len(o.links)
	return o, nil
}

// find returns the object of a key, and the key in its usual form: "/" or "/a/b".
func (f *File) find(ctx context.Context, key string) (string, *object, error) {
	clean := "/" + strings.Join(parts(key), "/")
	soft := mostSoft
	o, err := f.follow(ctx, f.format.Root, key, &soft)
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", clean, err)
	}
	return clean, o, nil
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

// follow returns the object at a path from a group. soft is how many soft links may be followed.
func (f *File) follow(ctx context.Context, from int64, path string, soft *int) (*object, error) {
	at, err := f.addressOf(ctx, from, path, soft)
	if err != nil {
		return nil, err
	}
	return f.object(ctx, at)
}

// addressOf returns the address of the object at a path from a group.
func (f *File) addressOf(ctx context.Context, from int64, path string, soft *int) (int64, error) {
	at := from
	for _, name := range parts(path) {
		o, err := f.object(ctx, at)
		if err != nil {
			return 0, err
		}
		i, ok := o.named[name]
		if !ok {
			return 0, fmt.Errorf("no %q in the group: %w", name, cairn.ErrNotFound)
		}
		l := o.links[i]
		switch l.Kind {
		case format.Hard:
			at = l.Address
			continue
		case format.Soft:
			if *soft--; *soft < 0 {
				return 0, fmt.Errorf("more than %d soft links to follow, the last to %q: %w", mostSoft, l.Target, cairn.ErrLimit)
			}
			if strings.HasPrefix(l.Target, "/") {
				at = f.format.Root
			}
			if at, err = f.addressOf(ctx, at, l.Target, soft); err != nil {
				return 0, fmt.Errorf("soft link to %q: %w", l.Target, err)
			}
		case format.External:
			return 0, fmt.Errorf("external link to %q in the file %q, open that file instead: %w", l.Target, l.File, cairn.ErrUnsupported)
		default:
			return 0, fmt.Errorf("link of an unknown kind: %w", cairn.ErrUnsupported)
		}
	}
	return at, nil
}
