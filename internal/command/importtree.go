package command

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/command/internal/progress"
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
func importTree(ctx context.Context, std *streams, in *foreignFile, operand, out string, o *ndarray.Options) error {
	if err := std.checkOutput(out, storeFormat, o.Overwrite, operand); err != nil {
		return err
	}
	if o.Sparse || o.ChunkShape != nil || o.BlockShape != nil {
		return usagef("%s is a store: its arrays have different shapes, "+
			"so -sparse, -chunks and -blocks do not apply", out)
	}
	keys := in.under(in.key)
	if len(keys) == 0 {
		return in.choose(ctx, keys)
	}
	if err := distinct(in.in.Name, keys); err != nil {
		return err
	}
	keys, omitted, total, err := in.supported(ctx, std, keys)
	if err != nil {
		return err
	}
	err = std.onDisk(ctx, out, o.Overwrite, func(path string) error {
		return importLeaves(ctx, std, in, keys, path, total, o)
	})
	if err != nil {
		return err
	}
	return omitted.code()
}

// importLeaves stores arrays of a foreign file, which have total bytes of items, in a new store.
func importLeaves(ctx context.Context, std *streams, in *foreignFile, keys []string, out string, total int64,
	o *ndarray.Options) error {
	e, err := store.Create(out, &store.Options{Overwrite: o.Overwrite})
	if err != nil {
		return err
	}
	bar := std.newBar("importing", total)
	defer bar.Close()
	for _, key := range keys {
		if err := importLeaf(ctx, e, in, key, besides(out), *o, bar); err != nil {
			return errors.Join(err, e.Abort())
		}
	}
	if err := importGroups(ctx, e, in); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// leafKey returns the key of the leaf that an array becomes.
func leafKey(key string) string { return path.Join("/", key) }

// distinct fails if two arrays would become the same leaf.
func distinct(name string, keys []string) error {
	taken := map[string]string{}
	for _, key := range keys {
		leaf := leafKey(key)
		if other, ok := taken[leaf]; ok {
			return fmt.Errorf("%s: the arrays %q and %q would both be the leaf %s; import them one by one: %w",
				name, other, key, leaf, cairn.ErrUnsupported)
		}
		taken[leaf] = key
	}
	return nil
}

// importLeaf stores one array of an input as a leaf of the same key.
func importLeaf(
	ctx context.Context, e *store.Editor, in *foreignFile, key, tempDir string, o ndarray.Options, bar *progress.Bar,
) error {
	src, err := in.OpenKey(ctx, key)
	if err != nil {
		return &foreignError{in.in.Name, err}
	}
	defer closeSource(src)
	return e.PutFunc(ctx, leafKey(key), func(fsys storage.FS, name string) error {
		o.FS, o.Overwrite = fsys, true
		return importSource(ctx, in.in.Name+leafMark+key, src, name, tempDir, &o, bar)
	})
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
func (f *foreignFile) supported(ctx context.Context, std *streams, keys []string) (
	kept []string, omitted omission, total int64, err error,
) {
	for _, key := range keys {
		src, err := f.OpenKey(ctx, key)
		if errors.Is(err, cairn.ErrUnsupported) && len(keys) > 1 {
			omitted.note(std, f.in.Name+leafMark+strings.Trim(key, "/"), err)
			continue
		}
		if err != nil {
			return nil, 0, 0, &foreignError{f.in.Name, err}
		}
		kept, total = append(kept, key), total+bytesOf(src)
		if err := closeSource(src); err != nil {
			return nil, 0, 0, err
		}
	}
	if len(keys) > 0 && len(kept) == 0 {
		return nil, 0, 0, fmt.Errorf("%s holds no array that can be converted: %w", f.in.Name, cairn.ErrUnsupported)
	}
	return kept, omitted, total, nil
}
