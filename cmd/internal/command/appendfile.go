package command

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// intoFile appends to a file of another format: to the array of a key, with the coordinates of the
// dimension, or without a key to all arrays that may grow. It reports false for formats to which
// nothing is appended.
func (a *appender) intoFile(ctx context.Context) (done bool, err error) {
	p := a.to.Place
	if p.Far() || p.Kind == place.Standard {
		return false, nil
	}
	f, other := a.std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true})
	if other != nil {
		return false, nil // what opens it says what is wrong
	}
	defer f.Close()
	if f.Format.Append == nil {
		return false, nil
	}

	if err := checkWorkers(a.workers); err != nil {
		return true, err
	}
	keys, err := a.growing(ctx, f)
	if err != nil {
		return true, err
	}

	to, err := f.Format.Append(a.to.Name, a.workers)
	if err != nil {
		return true, err
	}
	for _, key := range keys {
		if err := a.toArray(ctx, to, key, len(keys) > 1); err != nil {
			return true, errors.Join(err, to.Abort())
		}
	}
	return true, to.Close()
}

// growing returns the keys of what is appended to.
func (a *appender) growing(ctx context.Context, f *operand.Opened) ([]string, error) {
	if a.to.Keyed {
		return []string{a.to.Key}, nil
	}

	var keys []string
	for _, key := range f.Keys() {
		src, err := f.Near(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		l, err := ndarray.LabelsOf(src)
		if err = errors.Join(err, operand.CloseSource(src)); err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		if l.MaxShape != nil {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no unlimited dimension; cairn concat joins to a new file: %w", a.to, cairn.ErrUnsupported)
	}
	return keys, nil
}

// toArray appends the inputs to an array: those of its key, if several are appended to, and
// otherwise with the coordinates of the dimension.
func (a *appender) toArray(ctx context.Context, to formats.Appender, key string, several bool) error {
	p := a.to.Place
	p.Key = key
	p.Keyed = true
	target, err := a.std.openSource(ctx, p, "append", inAnyOrder(a.workers))
	if err != nil {
		return err
	}
	defer target.Close()

	one := *a
	if several {
		one.in = slices.Clone(a.in)
		for i := range one.in {
			if !one.in[i].Keyed {
				one.in[i].Key = key
				one.in[i].Keyed = true
			}
		}
	}
	more, err := one.prepare(ctx, target.src, target.Sibling)
	if err != nil {
		return err
	}
	defer more.close()

	for i, src := range more.Parts {
		if more.Same[i] {
			src = more.raw[i]
		}
		if err := to.Append(ctx, key, more.axis, src); err != nil {
			return err
		}
	}
	if several || len(more.Coordinates) == 0 {
		return nil
	}
	return a.toCoordinates(ctx, to, target, key, &more.Coordinates[0])
}

// toCoordinates appends to the coordinates of the dimension of an array.
func (a *appender) toCoordinates(ctx context.Context, to formats.Appender, target *openedSource, key string,
	c *joins.Coordinate) error {
	var at string
	_, err := coords.Near("/"+path.Clean(key), func(ctx context.Context, near string) (ndarray.Source, error) {
		src, err := target.Near(ctx, near)
		if err == nil && src != nil && len(src.Shape()) == 1 {
			at = near
		}
		return src, err
	})(ctx, c.Name)
	if err != nil || at == "" || path.Clean("/"+at) == path.Clean("/"+key) {
		return err
	}
	return to.Append(ctx, at, 0, c.Source)
}
