package command

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// followLinks adds the arrays to which links lead out of the group, and notes other links.
func followLinks(ctx context.Context, std *streams, x *operand.Tree, omitted *omission) error {
	if !x.Foreign() {
		return nil
	}
	keys, err := withLinked(ctx, std, x.Opened, nil, omitted)
	for _, name := range keys {
		x.Names[strings.TrimPrefix(leafKey(name), x.Base)] = name
	}
	return err
}

// bytesOfTree returns the bytes of the items of all arrays that can be opened.
func bytesOfTree(ctx context.Context, x *operand.Tree) (total int64) {
	for _, key := range x.Arrays() {
		src, err := x.Source(ctx, key)
		if err != nil {
			continue
		}
		total += described.Bytes(src)
		_ = operand.CloseSource(src)
	}
	return total
}

// copyGroup copies a group of a tree, or a whole one, into a group of a store, next to what is
// there. It reports false if the operands are something else.
func (f *copyFlags) copyGroup(
	ctx context.Context, std *streams, opened *operand.Opened, to target, o *ndarray.CopyOptions,
) (bool, error) {
	rounds := loss.BoundOf(o.Loss).Rule != rounding.None
	if !to.Keyed && (!opened.Place.Keyed && !f.shaping.isSet() && !rounds || !to.is(storeFormat) || opened.Store() == nil) {
		return false, nil // one array, or a whole tree that becomes one
	}

	x, err := opened.Several(ctx)
	if err != nil || x == nil {
		return false, err
	}

	in := opened.Place.String()
	base := to.Key
	if f.verify || f.sparse || f.plan {
		return true, usagef("%s holds several arrays, so -verify, -sparse and -plan do not apply", in)
	}
	if f.shaping.selection != "" && len(x.Objects) > 0 {
		return true, usagef("%s holds tables, whose columns have one length; name one array for -s", in)
	}
	if !to.Keyed {
		base = "/"
		if err := std.checkOutput(ctx, to, storeFormat, f.force, opened.Place); err != nil {
			return true, err
		}
	}

	if std.at.Clash(opened.Place.Whole(), to.Whole(), std.Out) {
		return true, usagef("%s is in the store that %s is copied to; copy it to another one", in, in)
	}
	if err := std.willWrite(to); err != nil {
		return true, err
	}

	f.std = std
	var omitted omission
	if err := followLinks(ctx, std, x, &omitted); err != nil {
		return true, err
	}
	keys := omitted.holdable(std, in, x.Arrays(), storeFormat)
	if len(keys) == 0 && omitted.count() > 0 {
		return true, noArrays(in)
	}

	total, err := f.prepareTree(ctx, x, in, keys, rounds)
	if err != nil {
		return true, err
	}

	left := func(key string, err error) error { return omitted.damaged(std, x, key, err) }
	put := func(name string) error {
		at := to // or a temporary file that becomes an object
		at.Name = name
		if !to.Keyed {
			at.Kind = place.Local
		}
		e, err := std.editOrCreate(ctx, at)
		if err != nil {
			return err
		}
		if err := f.putTree(ctx, std.newBar("copying", total), e, x, keys, to.Name, base, *o, left); err != nil {
			return errors.Join(err, e.Abort())
		}
		return e.Close()
	}

	if to.Keyed {
		err = put(to.Name)
	} else {
		err = std.onDisk(ctx, to, f.force, put)
	}
	if err != nil {
		return true, err
	}
	return true, omitted.code()
}

// putTree stores the arrays and groups of a tree below a group of a store. left leaves out what
// is damaged, and returns other errors.
func (f *copyFlags) putTree(
	ctx context.Context, bar *progress.Bar, e *store.Editor, x *operand.Tree, keys []string, name, base string, o ndarray.CopyOptions,
	left func(key string, err error) error,
) error {
	defer bar.Close()
	isStore := x.Store() != nil
	o.AutoShapes = o.AutoShapes || !isStore // as import does

	return e.PutAll(ctx, func(b *store.Bundle) error {
		for _, key := range keys {
			leaf := path.Join("/", base, key)
			if err := mayPut(e, name, leaf, f.force); err != nil {
				return err
			}

			one := o
			one.Progress = bar.Follow()
			one.AutoShapes = o.AutoShapes && !x.InTable(key)
			err := b.PutFunc(leaf, func(fsys storage.FS, path string) error {
				return formats.OfKey(key, f.saveLeaf(ctx, x, fsys, path, key, one))
			})
			if err = left(key, err); err != nil {
				return err
			}
		}
		if err := f.putVariables(ctx, e, b, x, base); err != nil {
			return err
		}
		return putGroups(ctx, x, e, b, base, left)
	})
}

// saveLeaf writes an array, or a plain frame, of a tree.
func (f *copyFlags) saveLeaf(
	ctx context.Context, x *operand.Tree, fsys storage.FS, path, key string, o ndarray.CopyOptions,
) error {
	o.FS = fsys
	o.Overwrite = true
	o.Sparse = new(false)
	src, err := x.Source(ctx, key)
	if s := x.Store(); s != nil && errors.Is(err, cairn.ErrNotFound) {
		plain, err := s.Frame(x.Names[key])
		if err != nil {
			return err
		}
		defer plain.Close()
		return frame.Copy(ctx, path, plain.Snapshot(), &frame.CopyOptions{FS: fsys, Overwrite: true, Codec: o.Codec,
			Level: o.Level, Filters: o.Filters, Recode: o.Recode, Workers: parallel.Workers(o.Workers)})
	}
	if err != nil {
		return err
	}
	defer operand.CloseSource(src)

	near, done := coordinatesNear(key, x.Source)
	defer done()
	part, _, err := f.shaping.part(ctx, key, src, near)
	if err != nil {
		return naming.In(key, err)
	}
	if !x.InTable(key) {
		o.ChunkShape, o.BlockShape = f.shaping.shapes(part)
	}

	var largest ndarray.LossErrors
	o.Loss.Largest = &largest
	if !f.rounded[key] {
		o.Loss = ndarray.Loss{}
	} else if why := loss.Misfit(src, loss.BoundOf(o.Loss)); why != nil {
		f.std.noteExact(key, why)
		o.Loss = ndarray.Loss{}
	} else if !x.InTable(key) {
		o.Loss.Variable = f.variables.Beside(key, src.DType(), loss.BoundOf(o.Loss))
	}
	if err := ndarray.Save(ctx, path, part, &o); err != nil {
		return err
	}
	f.std.noteLoss(key, largest)
	return nil
}

// putVariables stores those that tell how arrays of a tree have been rounded, unless they are
// there.
func (f *copyFlags) putVariables(ctx context.Context, e *store.Editor, b *store.Bundle, x *operand.Tree, base string) error {
	for _, key := range f.variables.Keys() {
		leaf := path.Join("/", base, key)
		_, err := e.Leaf(leaf)
		if _, copied := x.Names[key]; copied || err == nil {
			continue
		}
		u, err := f.variables.Open(key)
		if err != nil {
			return err
		}
		err = b.PutFunc(leaf, func(fsys storage.FS, path string) error {
			return ndarray.Save(ctx, path, u, &ndarray.CopyOptions{FS: fsys, Overwrite: true})
		})
		if err = errors.Join(err, u.Close()); err != nil {
			return err
		}
	}
	return nil
}

// prepareTree returns the bytes of the items to copy, and chooses the arrays to round.
func (f *copyFlags) prepareTree(ctx context.Context, x *operand.Tree, in string, keys []string, rounds bool) (int64, error) {
	if rounds {
		f.variables.Version = buildOf().Version
		if err := f.chooseRounded(ctx, x); err != nil {
			return 0, err
		}
	}
	if f.shaping.isSet() {
		return f.shaping.check(ctx, f.std, in, keys, x.Source)
	}
	return bytesOfTree(ctx, x), nil
}

// chooseRounded notes which arrays of a tree are data, which flags for errors are for.
func (f *copyFlags) chooseRounded(ctx context.Context, x *operand.Tree) error {
	keys := x.Arrays()
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = x.Names[key]
	}
	chosen, err := data.Surely(ctx, x.Tree, names)
	f.rounded = map[string]bool{}
	for i, key := range keys {
		f.rounded[key] = slices.Contains(chosen, names[i])
	}
	return err
}

// putGroups adds the attributes of all groups to a bundle, below a group, and empty groups. left
// leaves out what the store has no place for.
func putGroups(ctx context.Context, f *operand.Tree, e *store.Editor, b *store.Bundle, base string,
	left func(key string, err error) error,
) error {
	if f.Groups() == nil {
		return nil
	}

	groups := f.GroupKeys()
	empty := formats.EmptyGroups(groups, f.Arrays())
	for _, key := range groups {
		if storeFormat.CheckGroup(key) != nil {
			continue
		}

		attributes, err := f.GroupAttributes(ctx, key)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[key] {
			continue
		}

		if err := formats.KeepsGroups(e); err != nil {
			if err := left(key, &groupError{err}); err != nil {
				return err
			}
			continue
		}

		group := path.Join("/", base, key)
		if err := b.MakeGroup(group); err != nil {
			return err
		}
		for _, p := range attributes {
			if err := b.SetAttribute(group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
