package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/command/internal/names"
	"github.com/cairn-go/cairn/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// isStoreName reports whether an output is a whole store by its name.
func isStoreName(out string) bool {
	return !single(out) && storeName(out) == nil
}

// openTree opens an operand of a foreign format that holds several arrays, or could. It returns nil
// if the operand is a single array by nature, or of Blosc2.
func (std *streams) openTree(ctx context.Context, operand string) (*foreignFile, error) {
	in, err := std.openForeign(ctx, operand, reading{all: true})
	if errors.Is(err, errNotForeign) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if keys := in.Keys(); !in.format.Trees || len(keys) == 1 && keys[0] == "" {
		return nil, in.Close()
	}
	return in, nil
}

// importTree stores the arrays of a foreign file as the leaves of a new store. operand is its name.
func importTree(ctx context.Context, std *streams, in *foreignFile, operand, out string, as *shaping,
	o *ndarray.Options) error {
	if err := std.checkOutput(out, storeFormat, o.Overwrite, operand); err != nil {
		return err
	}
	if o.Sparse {
		return usagef("%s is a store, in which each array is a single file: -sparse does not apply", out)
	}
	var omitted omission
	keys, err := in.withLinked(ctx, std, in.under(in.key), &omitted)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return in.choose(ctx, keys)
	}
	if keys = omitted.holdable(std, in.in.Name, keys, store.CheckKey, true); len(keys) == 0 {
		return noArrays(in.in.Name)
	}
	keys, total, err := in.supported(ctx, std, keys, &omitted)
	if err != nil {
		return err
	}
	if as.asks() {
		if total, err = as.check(ctx, std, in.in.Name, keys, in.near); err != nil {
			return err
		}
	}
	err = std.onDisk(ctx, out, o.Overwrite, func(path string) error {
		return importLeaves(ctx, std, in, keys, path, total, as, o, &omitted)
	})
	if err != nil {
		return err
	}
	return omitted.code()
}

// importLeaves stores arrays of a foreign file, which have total bytes of items, in a new store.
func importLeaves(ctx context.Context, std *streams, in *foreignFile, keys []string, out string, total int64,
	as *shaping, o *ndarray.Options, omitted *omission) error {
	e, err := store.Create(out, &store.Options{Overwrite: o.Overwrite})
	if err != nil {
		return err
	}
	bar := std.newBar("importing", total)
	defer bar.Close()
	for _, key := range keys {
		if err := importLeaf(ctx, e, in, key, besides(out), as, *o, bar); err != nil {
			return errors.Join(err, e.Abort())
		}
	}
	if err := importGroups(ctx, std, e, in, omitted); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// leafKey returns the key of the leaf that an array becomes.
func leafKey(key string) string { return path.Join("/", key) }

// importLeaf stores one array of an input as a leaf of the same key.
func importLeaf(
	ctx context.Context, e *store.Editor, in *foreignFile, key, tempDir string, as *shaping, o ndarray.Options, bar *progress.Bar,
) error {
	src, err := in.OpenKey(ctx, key)
	if err != nil {
		return &foreignError{in.in.Name, err}
	}
	defer closeSource(src)
	near, done := coordinatesNear(key, in.near)
	defer done()
	part, _, err := as.part(ctx, src, near)
	if err != nil {
		return withPath(key, err)
	}
	o.ChunkShape, o.BlockShape = as.shapes(len(part.Shape()))
	return e.PutFunc(ctx, leafKey(key), func(fsys storage.FS, name string) error {
		o.FS, o.Overwrite = fsys, true
		return importSource(ctx, in.in.Name+leafMark+key, part, name, tempDir, &o, bar)
	})
}

// holdable returns those of the arrays of a file that an output can hold by their names. The others
// are left out before anything is written.
func (n *omission) holdable(std *streams, from string, keys []string, check func(key string) error, tree bool) []string {
	kept, left := names.Held(keys, check, tree)
	for _, l := range left {
		n.note(std, from+leafMark+l.Key, l.Why)
	}
	return kept
}

// noArrays returns the error for a file of which nothing can be converted.
func noArrays(name string) error {
	return fmt.Errorf("%s holds no array that can be converted: %w", name, cairn.ErrUnsupported)
}

// An omission counts arrays that a conversion of a whole store leaves out, each with a note.
type omission int

// note says on standard error that an array is left out, and why.
func (n *omission) note(std *streams, name string, why error) {
	std.complain(oneLine(withPath(name, why).Error()) + "; left out")
	*n++
}

// code returns the error for the exit code: nil if nothing was left out.
func (n omission) code() error {
	if n > 0 {
		return exitError(exitLost)
	}
	return nil
}

// supported returns those of the arrays that can be read, and the number of bytes of their items.
// The others are left out, unless there are no others.
func (f *foreignFile) supported(ctx context.Context, std *streams, keys []string, omitted *omission) (
	kept []string, total int64, err error,
) {
	for _, key := range keys {
		src, err := f.OpenKey(ctx, key)
		if errors.Is(err, cairn.ErrUnsupported) && len(keys)+int(*omitted) > 1 {
			omitted.note(std, f.in.Name+leafMark+strings.Trim(key, "/"), errors.New(err.Error()+linkRemedy(f.in.Name, err)))
			continue
		}
		if err != nil {
			return nil, 0, &foreignError{f.in.Name, err}
		}
		kept, total = append(kept, key), total+bytesOf(src)
		if err := closeSource(src); err != nil {
			return nil, 0, err
		}
	}
	if len(keys) > 0 && len(kept) == 0 {
		return nil, 0, noArrays(f.in.Name)
	}
	return kept, total, nil
}

// mostNotes is how many links of a file are told one by one.
const mostNotes = 20

// withLinked returns the arrays of a selection with those to which links lead out of it. Links to
// what is selected are told: an output has each array once. What links do not lead to is left out.
func (f *foreignFile) withLinked(ctx context.Context, std *streams, keys []string, omitted *omission) ([]string, error) {
	h, ok := f.Holding.(formats.Linked)
	if !ok {
		return keys, nil
	}
	links, err := h.Links(ctx)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(names.Key(f.key), "/")
	below := func(key string) bool { return strings.HasPrefix(key, base+"/") }
	notes := 0
	for i := range links {
		l := &links[i]
		name := f.in.Name + leafMark + l.Key
		missing := errors.Is(l.Err, fs.ErrNotExist) || errors.Is(l.Err, cairn.ErrNotFound)
		switch {
		case !below(l.Key):
		case l.Err != nil && missing && l.File == "":
			notes++
			if notes <= mostNotes {
				std.complain(name + " is a " + l.Says() + ", where nothing is")
			}
		case l.Err != nil:
			omitted.note(std, name, errors.New(names.Plain(l.Err).Error()+linkRemedy(f.in.Name, l.Err)))
		case below(l.To+"/") || l.To == "/" && base == "":
			if notes++; notes <= mostNotes {
				std.complain(fmt.Sprintf("%s is a %s; what is there is stored once, as %s", name, l.Says(), l.To))
			}
		case h.IsGroup(ctx, l.To):
			keys = append(keys, l.Throughout(f.Keys())...)
		default:
			keys = append(keys, strings.Trim(l.Key, "/"))
		}
	}
	if notes > mostNotes {
		std.complain(fmt.Sprintf("%s has %d more such links; cairn info lists them", f.in.Name, notes-mostNotes))
	}
	return keys, nil
}
