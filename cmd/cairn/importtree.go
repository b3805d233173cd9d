package main

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// isStoreName reports whether an output is a whole store by its name.
func isStoreName(out string) bool {
	return !single(out) && storeName(out) == nil
}

// importTree stores the arrays of the first operand as the leaves of a new store. It reports false
// if the operand is a single array by nature.
func importTree(ctx context.Context, std *streams, operands []string, o *ndarray.Options) (bool, error) {
	in, err := std.openForeign(ctx, operands[0], reading{all: true})
	if err != nil {
		return false, err
	}
	defer in.Close()
	if keys := in.keys(); !in.format.trees || len(keys) == 1 && keys[0] == "" {
		return false, nil
	}
	out := operands[1]
	if err := std.checkOutput(out, storeFormat, o.Overwrite, operands[0]); err != nil {
		return false, err
	}
	if o.Sparse || o.ChunkShape != nil || o.BlockShape != nil {
		return false, usagef("%s is a store: its arrays have different shapes, "+
			"so -sparse, -chunks and -blocks do not apply", out)
	}
	keys := in.under(in.key)
	if len(keys) == 0 {
		return false, in.choose(ctx, keys)
	}
	if err := distinct(in.in.name, keys); err != nil {
		return false, err
	}
	total, err := in.bytes(ctx, keys)
	if err != nil {
		return false, err
	}
	e, err := store.Create(out, &store.Options{Overwrite: o.Overwrite})
	if err != nil {
		return false, err
	}
	bar := std.newBar("importing", total)
	defer bar.Close()
	for _, key := range keys {
		if err := importLeaf(ctx, e, in, key, besides(out), *o, bar); err != nil {
			return false, errors.Join(err, e.Abort())
		}
	}
	if err := importGroups(ctx, e, in); err != nil {
		return false, errors.Join(err, e.Abort())
	}
	return true, e.Close()
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
	src, err := in.open(ctx, key)
	if err != nil {
		return &foreignError{in.in.name, err}
	}
	defer closeSource(src)
	return e.PutFunc(ctx, leafKey(key), func(fsys storage.FS, name string) error {
		o.FS, o.Overwrite = fsys, true
		return importSource(ctx, in.in.name+leafMark+key, src, name, tempDir, &o, bar)
	})
}

// bytes returns the number of bytes of the items of arrays.
func (f *foreignFile) bytes(ctx context.Context, keys []string) (total int64, err error) {
	for _, key := range keys {
		src, err := f.open(ctx, key)
		if err != nil {
			return 0, &foreignError{f.in.name, err}
		}
		total += bytesOf(src)
		if err := closeSource(src); err != nil {
			return 0, err
		}
	}
	return total, nil
}
