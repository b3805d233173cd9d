package npy

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/strided"
)

const (
	// scratchBytes is the size of the pieces of a box that are read at a time before they are
	// transposed. Those that come in order span all dimensions but the slowest, so that it takes
	// more of them to have several items beside each other in the result.
	scratchBytes, inOrderBytes = 1 << 20, 16 << 20
	// A piece has at least this many bytes in a row of the file, if the box has them, and in a row
	// of the result: enough for a read, and for a few cache lines.
	fileRow, resultRow = 16 << 10, 256
)

// A box is a part of an array, in the order of the file: the last dimension runs fastest.
type box struct {
	a           *Array
	size        int64 // of an item
	start, stop []int64
}

// read reads the items into dst, in C order of the array.
func (b *box) read(ctx context.Context, dst []byte) error {
	from := b.a.items
	release := func() {}
	if f, ok := from.(fileItems); ok {
		if lent, done := f.lend(strided.Packed(b.a.shape, b.size).Span(b.start, b.stop)); lent != nil {
			from = lent
			release = done
		}
	}
	defer release()

	if !b.a.head.Fortran {
		return b.readRuns(ctx, from, dst)
	}
	if lent, ok := from.(*lentItems); ok {
		first := (strided.Packed(b.a.shape, b.size).Offset(b.start) - lent.off) / b.size
		b.transpose(dst, lent.data, first, steps(b.a.shape), b.start, b.stop)
		return ctx.Err()
	}
	return b.readPieces(ctx, from, dst)
}

// readPieces reads pieces of bounded size and transposes them.
func (b *box) readPieces(ctx context.Context, from items, dst []byte) error {
	extent := b.extent()
	least := slices.Repeat([]int64{1}, len(extent))

	var edge []int64
	if b.a.inOrder {
		edge = slab.Runs(b.start, b.stop, least, least, b.size, inOrderBytes)
	} else {
		last := len(extent) - 1
		least[0] = max(1, resultRow/b.size)
		least[last] = max(1, fileRow/b.size)
		edge = slab.Chunked(extent, least, b.size, scratchBytes)
	}

	var scratch []byte
	for p := range slab.Walk(b.start, b.stop, edge) {
		scratch = slab.Resize(scratch, p.Items()*b.size)
		piece := box{b.a, b.size, p.Start, p.Stop}
		if err := piece.readRuns(ctx, from, scratch); err != nil {
			return err
		}
		b.transpose(dst, scratch, 0, steps(piece.extent()), p.Start, p.Stop)
	}
	return nil
}

// transpose copies the items from start to stop of the file, which begin at item first of src and
// are srcStep apart there, to their places in dst.
func (b *box) transpose(dst, src []byte, first int64, srcStep, start, stop []int64) {
	extent := b.extent()
	n := len(extent)
	t := transposition{dst: dst, src: src, itemSize: int(b.size), srcAt: int(first),
		extent: make([]int, n), srcStep: make([]int, n), dstStep: make([]int, n)}

	step := 1
	for d := range n { // the first dimension of the file runs fastest in dst
		t.extent[d] = int(stop[d] - start[d])
		t.srcStep[d] = int(srcStep[d])
		t.dstStep[d] = step
		t.dstAt += int(start[d]-b.start[d]) * step
		step *= int(extent[d])
	}

	t.run()
}

// readRuns reads the items into dst, in the order of the file.
func (b *box) readRuns(ctx context.Context, from items, dst []byte) error {
	return from.readBox(ctx, dst, strided.Packed(b.a.shape, b.size), b.start, b.stop)
}

func (b *box) extent() []int64 {
	extent := slices.Clone(b.stop)
	for d := range extent {
		extent[d] -= b.start[d]
	}
	return extent
}

// steps returns the distance in items between neighbours along each dimension, the last of which
// runs fastest.
func steps(shape []int64) []int64 {
	steps := make([]int64, len(shape))
	step := int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		steps[d] = step
		step *= shape[d]
	}
	return steps
}
