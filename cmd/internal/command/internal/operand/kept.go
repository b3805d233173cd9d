package operand

import (
	"context"
	"errors"
	"sync"

	"github.com/cairn-go/cairn/internal/place"
)

// Kept opens arrays of many files, several of each, and keeps the first files open meanwhile. Those
// that come later are opened for each array: where all files are gone through again and again,
// there is nothing better to keep.
type Kept struct {
	finder *Finder

	mu     sync.Mutex
	files  map[place.Place]*Opened
	arrays int
}

// Bounds of what is kept open: files, and the arrays in them, whose names are in memory.
const (
	mostKept       = 256
	mostArraysKept = 1 << 14
)

// Keep returns what keeps files open until it is closed.
func (f *Finder) Keep() *Kept { return &Kept{finder: f, files: map[place.Place]*Opened{}} }

// Open opens what a place names, as [Finder.Open] does. It must be closed before k.
func (k *Kept) Open(ctx context.Context, p place.Place, how How) (*Opened, error) {
	if p.Kind == place.Standard || IsChoice(p.Key) {
		return k.finder.Open(ctx, p, how)
	}
	file := place.Place{Name: p.Name, Kind: p.Kind}

	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files[file] == nil && len(k.files) < mostKept && k.arrays < mostArraysKept {
		o, err := k.finder.Open(ctx, file, how)
		switch {
		case err != nil: // as it is without a key
		case o.Format.Trees:
			k.files[file] = o
			k.arrays += len(o.Keys())
		default:
			if err := o.Close(); err != nil {
				return nil, err
			}
		}
	}

	if o := k.files[file]; o != nil && o.how == how {
		part := &Opened{Holding: o.Holding, Format: o.Format, Place: p, Name: o.Name, Key: p.Key, in: o.in, how: how, part: true}
		return part, part.resolve(ctx)
	}
	return k.finder.Open(ctx, p, how)
}

// Close closes all files.
func (k *Kept) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, o := range k.files {
		errs = append(errs, o.Close())
	}
	clear(k.files)
	return errors.Join(errs...)
}
