package main

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// forLeaf adapts options to an output that is a single file.
func (f *copyFlags) forLeaf(out string, o *ndarray.CopyOptions) error {
	if err := notSparse(out, f.sparse); err != nil {
		return err
	}
	if single(out) {
		o.Sparse = new(false)
	}
	return nil
}

// copyTree copies the arrays of a foreign file to a new store, as import does.
func (f *copyFlags) copyTree(ctx context.Context, std *streams, in *foreignFile, operands []string,
	o *ndarray.CopyOptions) error {
	if f.verify || f.plan {
		return usagef("%s becomes a store: -verify and -plan do not apply", operands[0])
	}
	return importTree(ctx, std, in, operands[0], operands[1], &ndarray.Options{
		ChunkShape: o.ChunkShape, BlockShape: o.BlockShape, Sparse: f.sparse,
		ZarrBlocks: f.zarrBlocks != nil && *f.zarrBlocks, Codec: o.Codec, Level: o.Level, Filters: o.Filters,
		Overwrite: f.force, Workers: f.workers})
}

// copyStore copies a whole store.
func (f *copyFlags) copyStore(ctx context.Context, std *streams, in, out string, o *ndarray.CopyOptions) error {
	if isLeaf(out) {
		return usagef("%s is a store and cannot be copied into one, as %s", in, out)
	}
	if f.verify || f.sparse || f.plan || o.ChunkShape != nil || o.BlockShape != nil {
		return usagef("%s is a store: its arrays have different shapes, so -verify, -sparse, -plan, "+
			"and -chunks and -blocks other than auto do not apply", in)
	}
	if err := storeName(out); err != nil {
		return err
	}
	s, err := store.Open(in, &store.OpenOptions{Workers: f.workers})
	if err != nil {
		return err
	}
	defer s.Close()
	var total int64
	for l := range s.Leaves() {
		total += l.Size
	}
	bar := std.newBar("copying", total)
	defer bar.Close()
	o.Progress = follow(bar)
	return s.Copy(ctx, out, o)
}
