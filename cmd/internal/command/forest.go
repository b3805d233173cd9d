package command

import (
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// A forest is several arrays of any format: a store, a foreign file with several, or a group of
// either. Keys are below the group, and begin with a slash.
type forest struct {
	*formats.Holding
	name    string // of the file, for messages
	base    string // the group, without a slash at the end
	names   map[string]string
	objects map[string]store.Kind // of a store: tables and the like
	foreign *foreignFile          // nil for a store
	closer  io.Closer
	wrap    func(error) error
}

// openForest opens an operand that names several arrays. It returns nil if it names one, as a pipe
// does.
func (std *streams) openForest(ctx context.Context, operand string, workers int) (*forest, error) {
	name, key, _ := splitLeaf(operand)
	if name == standardIO {
		return nil, nil
	}
	if std.looksLikeStore(name) {
		s, err := std.openStore(name, workers)
		if err != nil {
			return nil, err
		}
		if base := path.Join("/", key); base == "/" || formats.IsGroup(ctx, s, base) {
			f := &forest{Holding: formats.OfStore(ctx, s), name: name, closer: s,
				wrap: func(err error) error { return err }}
			f.index(base)
			if f.objects, err = s.Objects(); err != nil {
				f.close()
				return nil, err
			}
			return f, nil
		}
		return nil, s.Close()
	}
	in, err := std.openForeign(ctx, operand, reading{anyOrder: true})
	var failed *foreignError
	switch {
	case errors.As(err, &failed):
		return nil, err
	case err != nil:
		return nil, nil // whoever opens it as an array says what is wrong
	}
	keys := in.under(in.key)
	base := path.Join("/", in.key)
	if !in.format.Trees || len(keys) == 0 || len(keys) == 1 && leafKey(keys[0]) == base {
		return nil, in.Close()
	}
	f := &forest{Holding: in.Holding, name: in.in.Name, foreign: in, closer: in,
		wrap: func(err error) error { return &foreignError{in.in.Name, err} }}
	f.index(base)
	return f, nil
}

// index notes the keys of the arrays below a group.
func (f *forest) index(base string) {
	f.base, f.names = strings.TrimSuffix(base, "/"), map[string]string{}
	for _, name := range f.Keys() {
		if key, ok := strings.CutPrefix(leafKey(name), f.base+"/"); ok {
			f.names["/"+key] = name
		}
	}
}

// follow adds the arrays to which links lead out of the group, and tells of other links.
func (f *forest) follow(ctx context.Context, std *streams, omitted *omission) error {
	if f.foreign == nil {
		return nil
	}
	keys, err := f.foreign.withLinked(ctx, std, nil, omitted)
	for _, name := range keys {
		f.names[strings.TrimPrefix(leafKey(name), f.base)] = name
	}
	return err
}

// arrays returns the keys of all arrays, in order.
func (f *forest) arrays() []string { return slices.Sorted(maps.Keys(f.names)) }

// lookup returns a function that finds the coordinates of an array of the tree, and one that closes
// what it has found.
func (f *forest) lookup(key string) (near coords.Lookup, done func()) {
	return coordinatesNear(key, f.near)
}

// near opens an array by its key below the group, or fails with ErrNotFound.
func (f *forest) near(ctx context.Context, key string) (ndarray.Source, error) {
	if !f.has(key) {
		return nil, cairn.ErrNotFound
	}
	return f.source(ctx, key)
}

func (f *forest) has(key string) bool {
	_, ok := f.names[key]
	return ok
}

// groupKeys returns the keys of all groups, in order; the first is "/".
func (f *forest) groupKeys() []string {
	keys := []string{"/"}
	for _, group := range f.Groups() {
		if key, ok := strings.CutPrefix(path.Join("/", group), f.base+"/"); ok && key != "" {
			keys = append(keys, "/"+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// attributes returns the attributes of a group.
func (f *forest) attributes(ctx context.Context, key string) (meta.Map, error) {
	attributes, err := f.Attributes(ctx, path.Join("/", f.base, key))
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	return attributes, err
}

// stored returns the attributes of a group as a store keeps them.
func (f *forest) stored(ctx context.Context, key string) (meta.Map, error) {
	attributes, err := f.attributes(ctx, key)
	return labels.Fold(attributes), err
}

// size returns the bytes of the items of all arrays that can be opened.
func (f *forest) size(ctx context.Context) (total int64) {
	for _, name := range f.names {
		if src, err := f.Open(ctx, name); err == nil {
			total += bytesOf(src)
			_ = closeSource(src)
		}
	}
	return total
}

func (f *forest) close() {
	if f != nil {
		_ = f.closer.Close()
	}
}

// copyGroup copies a group of a tree, or a whole one, into a group of a store, next to what is
// there. It reports false if the operands are something else.
func (f *copyFlags) copyGroup(
	ctx context.Context, std *streams, operands []string, o *ndarray.CopyOptions,
) (bool, error) {
	in, out := operands[0], operands[1]
	name, base, ok := splitLeaf(out)
	from, _, group := splitLeaf(in)
	if !ok && (!group && !f.shaping.asks() || !isStoreName(out) || !std.looksLikeStore(from)) {
		return false, nil // one array, or a whole tree that becomes one
	}
	x, err := std.openForest(ctx, in, f.workers)
	if err != nil || x == nil {
		return false, err
	}
	defer x.close()
	if f.verify || f.sparse || f.plan {
		return true, usagef("%s holds several arrays, so -verify, -sparse and -plan do not apply", in)
	}
	if f.shaping.selection != "" && len(x.objects) > 0 {
		return true, usagef("%s holds tables, whose columns have one length; name one array for -s", in)
	}
	if !ok {
		name, base = out, "/"
		if err := std.checkOutput(out, storeFormat, f.force, in); err != nil {
			return true, err
		}
	}
	if std.clash(from, name) {
		return true, usagef("%s is in the store that %s is copied to; copy it to another one", in, in)
	}
	if err := std.willWrite(out); err != nil {
		return true, err
	}
	var omitted omission
	if err := x.follow(ctx, std, &omitted); err != nil {
		return true, err
	}
	keys := omitted.holdable(std, in, x.arrays(), new(formats.Store()))
	if len(keys) == 0 && omitted.count() > 0 {
		return true, noArrays(in)
	}
	total := x.size(ctx)
	if f.shaping.asks() {
		if total, err = f.shaping.check(ctx, std, in, keys, x.near); err != nil {
			return true, err
		}
	}
	left := func(key string, err error) error { return omitted.damaged(std, x, key, err) }
	put := func(name string) error {
		e, err := editOrCreate(name)
		if err != nil {
			return err
		}
		if err := f.putForest(ctx, std.newBar("copying", total), e, x, keys, name, base, *o, left); err != nil {
			return errors.Join(err, e.Abort())
		}
		return e.Close()
	}
	if ok {
		err = put(name)
	} else {
		err = std.onDisk(ctx, name, f.force, put)
	}
	if err != nil {
		return true, err
	}
	return true, omitted.code()
}

// putForest stores the arrays and groups of a tree below a group of a store. left leaves out what
// is damaged, and returns other errors.
func (f *copyFlags) putForest(
	ctx context.Context, bar *progress.Bar, e *store.Editor, x *forest, keys []string, name, base string, o ndarray.CopyOptions,
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
			one.Progress, one.AutoShapes = follow(bar), o.AutoShapes && !x.inTable(key)
			err := b.PutFunc(leaf, func(fsys storage.FS, path string) error {
				return formats.OfKey(key, x.save(ctx, fsys, path, key, one, &f.shaping))
			})
			if err = left(key, err); err != nil {
				return err
			}
		}
		return x.putGroups(ctx, e, b, base, left)
	})
}

// inTable reports whether an array is part of a table, whose parts keep their chunks.
func (f *forest) inTable(key string) bool {
	_, ok := objectAround(f.objects, path.Join("/", f.base, key))
	return ok
}

// save writes an array, or a plain frame, of a tree.
func (f *forest) save(ctx context.Context, fsys storage.FS, path, key string, o ndarray.CopyOptions, as *shaping) error {
	o.FS, o.Overwrite, o.Sparse = fsys, true, new(false)
	src, err := f.source(ctx, key)
	if s := f.Store(); s != nil && errors.Is(err, cairn.ErrNotFound) {
		plain, err := s.Frame(f.names[key])
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
	defer closeSource(src)
	near, done := f.lookup(key)
	defer done()
	part, _, err := as.part(ctx, src, near)
	if err != nil {
		return withPath(key, err)
	}
	if !f.inTable(key) {
		o.ChunkShape, o.BlockShape = as.shapes(len(part.Shape()))
	}
	return ndarray.Save(ctx, path, part, &o)
}
