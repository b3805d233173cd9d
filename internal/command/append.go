package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

func appendVerb(set *flag.FlagSet) action {
	axis := set.String("axis", "0", "append along `AXIS`: "+axisUsage)
	workers := set.Int("workers", 0, workersUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) < 2 {
			return wantOperands(operands, "FILE", "IN…")
		}
		in, err := std.expand(ctx, operands[1:])
		if err == nil {
			err = std.willWrite(operands[0])
		}
		if err != nil {
			return err
		}
		a := appending{std: std, to: operands[0], in: in, axis: *axis, workers: *workers}
		return a.run(ctx)
	}
}

// An appending appends arrays to one.
type appending struct {
	std     *streams
	to      string
	in      []string
	axis    string
	workers int
}

// run appends the items, and in a store the coordinates of the dimension.
func (a *appending) run(ctx context.Context) error {
	items := func(u *ndarray.Untyped) error {
		for _, path := range a.in {
			if err := appendFile(ctx, a.std, u, path, a.axis, a.workers, besides(a.to)); err != nil {
				return err
			}
		}
		return nil
	}
	name, key, ok := splitLeaf(a.to)
	if !ok {
		return a.std.changeShape(ctx, a.to, a.workers, items)
	}
	if err := errors.Join(checkWorkers(a.workers), notInTable(a.to)); err != nil {
		return err
	}
	return edit(name, a.workers, func(e *store.Editor) error {
		d, err := a.grownDimension(ctx, e, key)
		if err != nil {
			return err
		}
		if err := e.Change(ctx, key, items); err != nil || d == nil {
			return err
		}
		return e.Change(ctx, d.key, func(u *ndarray.Untyped) error {
			return a.coordinates(ctx, d, func(_ string, part ndarray.Source) error {
				n := u.Shape()[0]
				if err := u.Resize(ctx, ndarray.Shape{n + part.Shape()[0]}, nil); err != nil {
					return err
				}
				l := loading{name: d.key, workers: a.workers, tempDir: besides(a.to)}
				return l.load(ctx, u, []int64{n}, part)
			})
		})
	})
}

// appendFile appends the array that in names, and holds a bounded number of its items at a time.
func appendFile(ctx context.Context, std *streams, u *ndarray.Untyped, in, axis string, workers int,
	tempDir string) error {
	opened, err := std.open(ctx, in, workers, reading{all: true})
	if err != nil {
		return err
	}
	defer opened.close()
	if opened.src == nil {
		return fmt.Errorf("%s is a plain frame: append needs an array", in)
	}
	name, src := in, opened.src
	if opened.foreign != nil {
		name = opened.foreign.in.Name
	}
	shape, more := u.Shape(), src.Shape()
	at, err := axisOf(axis, u)
	if err != nil {
		return err
	}
	if dtype := src.DType().String(); dtype != u.DType().String() {
		return fmt.Errorf("%s has dtype %s, and the array has %s", name, dtype, u.DType().String())
	}
	across := slices.Clone(more)
	if len(more) == len(shape) {
		across[at] = shape[at]
	}
	if !slices.Equal(across, shape) {
		return fmt.Errorf("%s has shape %v, which does not fit an array of %v along axis %d", name, more, shape, at)
	}
	origin := make([]int64, len(shape))
	origin[at] = shape[at]
	shape[at] += more[at]
	if err := u.Resize(ctx, shape, nil); err != nil {
		if strings.HasPrefix(err.Error(), "resize: ") { // the user asked for an append
			err = errors.Unwrap(err)
		}
		return fmt.Errorf("append %s: %w", name, err)
	}
	bar := std.newBar("appending", bytesOf(src))
	defer bar.Close()
	l := loading{name: name, workers: workers, tempDir: tempDir, bar: bar}
	return l.load(ctx, u, origin, src)
}

// A grownDimension is the dimension along which an array of a store grows, and the array with its
// coordinates.
type grownDimension struct {
	name, key string
	axis      int
	len       int64 // before
}

// grownDimension returns the dimension if its coordinates must grow too, otherwise nil. They do not
// if they have grown with another array already.
func (a *appending) grownDimension(ctx context.Context, e *store.Editor, key string) (*grownDimension, error) {
	u, err := e.Array(key)
	if err != nil {
		return nil, nil // changing it says what is wrong
	}
	defer u.Close()
	d := &grownDimension{}
	if d.axis, err = axisOf(a.axis, u); err != nil {
		return nil, err
	}
	d.name, d.len = coords.New(u, nil).Axes[d.axis].Name, u.Shape()[d.axis]
	there, err := d.find(e, path.Join("/", key))
	if there == nil || err != nil {
		return nil, err
	}
	defer there.Close()
	missing, stop := "", there.Shape()[0] == d.len
	at, differs := d.len, false
	err = a.coordinates(ctx, d, func(in string, part ndarray.Source) error {
		if part == nil || !sameScale(there, part) {
			missing = cmp.Or(missing, in)
			return nil
		}
		n := part.Shape()[0]
		if at += n; !stop && at <= there.Shape()[0] {
			same, err := sameCoordinates(ctx, ndarray.ViewOf(there).Slice(ndarray.Range(at-n, at)), part)
			differs = differs || !same
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case missing != "" && stop:
		a.std.complain(fmt.Sprintf("%s has no coordinates of %s that continue those of %s, which stay as they are",
			missing, d.name, a.to))
		return nil, nil
	case missing == "" && at == there.Shape()[0] && differs:
		return nil, fmt.Errorf("the coordinates of %s in %s go on with other values than those of what is appended",
			d.name, a.to)
	case missing != "" || !stop:
		return nil, nil
	}
	return d, nil
}

// find opens the coordinates of the dimension, in the group of the array or one around it. It
// returns nil if there are none.
func (d *grownDimension) find(e *store.Editor, array string) (*ndarray.Untyped, error) {
	for group := array; group != "/" && d.name != "" && !strings.Contains(d.name, "/"); {
		group = path.Dir(group)
		d.key = path.Join(group, d.name)
		u, err := e.Array(d.key)
		switch {
		case errors.Is(err, cairn.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		case d.key == array || len(u.Shape()) != 1 || u.Shape()[0] < d.len:
			return nil, u.Close()
		}
		return u, nil
	}
	return nil, nil
}

// coordinates calls do with the coordinates that each input has of the dimension, or nil.
func (a *appending) coordinates(ctx context.Context, d *grownDimension,
	do func(in string, part ndarray.Source) error) error {
	one := func(in string) error {
		if in == standardIO {
			return do(in, nil) // a stream has only the array
		}
		opened, err := a.std.openSource(ctx, in, "append", a.workers)
		if err != nil {
			return err
		}
		defer opened.close()
		axes := coords.New(opened.src, opened.sibling).Axes
		if d.axis < len(axes) && axes[d.axis].Name == d.name {
			if view, ok := axes[d.axis].Coordinates(ctx); ok {
				return do(in, view)
			}
		}
		return do(in, nil)
	}
	for _, in := range a.in {
		if err := one(in); err != nil {
			return err
		}
	}
	return nil
}

func resizeVerb(set *flag.FlagSet) action {
	fill := set.String("fill", "zeros",
		"`VALUE` of new items: zeros, nan, a number, true, false, or the bytes of an item as 0x…")
	workers := set.Int("workers", 0, workersUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "FILE", "SHAPE"); err != nil {
			return err
		}
		value, err := parseFill(*fill)
		if err != nil {
			return err
		}
		shape, err := parseExtents("SHAPE", operands[1])
		if err != nil {
			return err
		}
		if err := std.willWrite(operands[0]); err != nil {
			return err
		}
		return std.changeShape(ctx, operands[0], *workers, func(u *ndarray.Untyped) error {
			return u.Resize(ctx, shape, &ndarray.ResizeOptions{Fill: value})
		})
	}
}

// parseExtents reads the extents of a shape, separated by commas. Extents may be 0. what names the
// argument.
func parseExtents(what, text string) (ndarray.Shape, error) {
	var shape ndarray.Shape
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || n < 0 {
			return nil, usagef("%s: %q is not a number of items", what, part)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
