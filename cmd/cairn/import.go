package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/cmd/cairn/internal/npy"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	// minBudget and maxBudget bound the bytes of items that a transfer holds at a time, unless a
	// single chunk has more.
	minBudget = 64 << 20
	maxBudget = 1 << 30
	// streamBudget is the largest row of chunks that is read from a stream at once. Arrays with
	// larger ones go through a temporary file.
	streamBudget = 512 << 20
)

// transferBudget returns how many bytes of an array's items to hold at a time: enough to keep all
// workers busy.
func transferBudget(u *ndarray.Untyped, workers int) int64 {
	chunks, _ := u.Grid()
	chunk := slab.Box{Start: make([]int64, len(chunks)), Stop: chunks}
	busy := 2 * int64(parallel.Workers(workers))
	if size := chunk.Items() * int64(u.TypeSize()); size < maxBudget/busy {
		return max(minBudget, size*busy)
	}
	return maxBudget
}

func importVerb(set *flag.FlagSet) action {
	var f storeFlags
	f.declare(set)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN.npy", "OUT.b2nd"); err != nil {
			return err
		}
		o, err := f.options()
		if err != nil {
			return err
		}
		if err := notSparse(operands[1], o.Sparse); err != nil {
			return err
		}
		if err := std.checkOutput(operands[1], frameFormat, o.Overwrite, operands[0]); err != nil {
			return err
		}
		dir := besides(operands[1])
		return std.writeOut(ctx, operands[1], o.Overwrite, func(path string) error { return importFile(ctx, std, operands[0], path, dir, o) })
	}
}

// importFile stores the .npy file in as the array out, which appears only when it is complete.
// Large rows of chunks of a stream go through a file in tempDir.
func importFile(ctx context.Context, std *streams, in, out, tempDir string, o *ndarray.Options) error {
	src, err := openNPY(ctx, in, std.in)
	if err != nil {
		return err
	}
	defer src.close()
	u, err := ndarray.CreateUntyped(out, src.header.DType.String(), src.header.Shape, o)
	if err != nil {
		return err
	}
	bar := std.newBar("importing", src.header.DataSize())
	err = load(ctx, u, make([]int64, len(u.Shape())), src, o.Workers, tempDir, bar)
	bar.Close()
	if err == nil {
		err = u.Commit(ctx)
	}
	if err != nil {
		u.Abort()
		return err
	}
	return u.Close()
}

// load writes the items of the file into the array, box by box from the coordinates origin on.
// Large rows of chunks of a stream are first written to a file in tempDir.
func load(ctx context.Context, u *ndarray.Untyped, origin []int64, in *inFile, workers int, tempDir string, bar *progress.Bar) error {
	shape, itemSize := slices.Clone(in.header.Shape), int64(u.TypeSize())
	chunks, _ := u.Grid()
	if in.header.Fortran {
		// Such a file holds the array with its dimensions reversed.
		slices.Reverse(shape)
		slices.Reverse(chunks)
	}
	if in.source.Sequential() && len(shape) > 0 {
		row := slab.Box{Start: make([]int64, len(shape)), Stop: slab.Rows(shape, chunks, itemSize, 0)}
		if in.header.DataSize() > 0 && row.Items() > streamBudget/itemSize {
			if err := in.spool(tempDir); err != nil {
				return err
			}
		}
	}
	budget := transferBudget(u, workers)
	edge := slab.Chunked(shape, chunks, itemSize, budget)
	if in.source.Sequential() {
		edge = slab.Rows(shape, chunks, itemSize, budget)
	}
	var buf []byte
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := box.Items() * itemSize
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if in.header.Fortran {
			slices.Reverse(box.Start)
			slices.Reverse(box.Stop)
		}
		if err := loadBox(ctx, u, origin, in.source, buf, box); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		if in.header.Fortran {
			slices.Reverse(box.Start)
			slices.Reverse(box.Stop)
		}
		bar.Add(size)
	}
	return nil
}

func loadBox(ctx context.Context, u *ndarray.Untyped, origin []int64, src npy.Source, buf []byte, box slab.Box) error {
	if err := src.ReadBox(buf, box.Start, box.Stop); err != nil {
		return err
	}
	start, stop := slices.Clone(origin), slices.Clone(origin)
	for i := range origin {
		start[i] += box.Start[i]
		stop[i] += box.Stop[i]
	}
	return u.WriteBox(ctx, buf, start, stop)
}
