package npy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Save writes a source to a file. o may be nil. The path is created when the file is complete;
// after an error or the end of ctx no file is left, and an old one is unchanged. Without Overwrite,
// Save fails with [io/fs.ErrExist] if the path exists.
//
// The file is, byte for byte, the one that numpy.save writes of the same array. A sub-array that is
// the dtype of the items becomes dimensions, and a structure whose fields overlap or are out of
// order becomes void ("|V8"), since .npy files cannot describe them.
func Save(ctx context.Context, path string, src ndarray.Source, o *SaveOptions) error {
	o, err := o.orDefault()
	if err != nil {
		return err
	}
	return replaceFile(path, o, func(w io.Writer) error { return write(ctx, w, src, o) })
}

// Write writes a source as [Save] does, to w. Overwrite and FS do not apply.
func Write(ctx context.Context, w io.Writer, src ndarray.Source, o *SaveOptions) error {
	o, err := o.orDefault()
	if err != nil {
		return err
	}
	return write(ctx, w, src, o)
}

func write(ctx context.Context, w io.Writer, src ndarray.Source, o *SaveOptions) error {
	v := ndarray.ViewOf(src)
	if err := v.Err(); err != nil {
		return err
	}

	h, err := headerFor(src, o)
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}

	if !o.Raw {
		if _, err := w.Write(h.Append(nil)); err != nil {
			return err
		}
	}
	return writeItems(ctx, w, v, o)
}

// writeItems writes the items of a source box by box, in the order of the file.
func writeItems(ctx context.Context, w io.Writer, src ndarray.UntypedView, o *SaveOptions) error {
	shape := src.Shape()
	fortran := o.Fortran && ordered(shape)
	start, edge, ahead := boxesAhead(src, fortran, cmp.Or(o.Memory, defaultMemory))
	buffers := make([][]byte, 1+ahead)
	stop := slices.Clone(start)
	size := int64(src.DType().Size())
	total := size
	for d, n := range shape {
		stop[d] += n
		total *= n
	}

	// Boxes are in the order of the file, whose dimensions are reversed if it is in Fortran order.
	order := func(coordinates []int64) []int64 {
		coordinates = slices.Clone(coordinates)
		if fortran {
			slices.Reverse(coordinates)
		}
		return coordinates
	}

	var turned []byte
	done := int64(0)
	read := func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*size)
		from := order(b.Start)
		to := order(b.Stop)
		for d := range from {
			from[d] -= start[d]
			to[d] -= start[d]
		}
		return buffers[slot], src.ReadBytes(ctx, buffers[slot], from, to)
	}

	return readahead.Boxes(ctx, ahead, slab.Walk(order(start), order(stop), order(edge)), read,
		func(b slab.Box, out []byte) error {
			n := int64(len(out))
			if fortran {
				turned = slab.Resize(turned, n)
				turn(turned, out, order(b.Start), order(b.Stop), int(size))
				out = turned
			}
			if _, err := w.Write(out); err != nil {
				return err
			}
			if done += n; o.Progress != nil {
				o.Progress(done, total)
			}
			return nil
		})
}

// boxesAhead is boxesOf, and returns how many boxes to read ahead, if as many fit into the memory
// and consist of whole chunks: several of an array that is read by requests, and one of an array
// that another processor can decode while a box is written.
func boxesAhead(src ndarray.UntypedView, fortran bool, memory int64) (start, edge []int64, ahead int) {
	in := src.Inside()
	if in.Requests() > 0 {
		ahead = 3
	} else if _, _, ok := in.Box(); ok && parallel.Workers(0) > 1 {
		ahead = 1
	}

	chunks, _ := src.Grid()
	for ; ahead > 0; ahead-- {
		start, edge = boxesOf(src, fortran, memory/int64(1+ahead))
		if slab.Whole(src.Shape(), chunks, edge) {
			return start, edge, ahead
		}
	}

	start, edge = boxesOf(src, fortran, memory)
	return start, edge, 0
}

// boxesOf returns the edges of the boxes to read, and the coordinates of the first item in the grid
// of these boxes. That is the grid of the chunks of an array, so that each chunk is decoded once.
func boxesOf(src ndarray.UntypedView, fortran bool, memory int64) (start, edge []int64) {
	shape := src.Shape()
	start = make([]int64, len(shape))
	if at, _, ok := src.Inside().Box(); ok && len(at) == len(shape) {
		start = slices.Clone(at)
	}

	stop := slices.Clone(start)
	for d, n := range shape {
		stop[d] += n
	}

	chunks, blocks := src.Grid()
	if fortran {
		from := slices.Clone(start)
		for _, s := range [][]int64{from, stop, chunks, blocks} {
			slices.Reverse(s)
		}
		edge = slab.Runs(from, stop, chunks, blocks, int64(src.DType().Size()), memory)
		slices.Reverse(edge)
		return start, edge
	}
	return start, slab.Runs(start, stop, chunks, blocks, int64(src.DType().Size()), memory)
}

// turn writes the items of a box, which are in C order in src, to dst in Fortran order.
func turn(dst, src []byte, start, stop []int64, itemSize int) {
	n := len(start)
	t := transposition{dst: dst, src: src, itemSize: itemSize,
		extent: make([]int, n), srcStep: make([]int, n), dstStep: make([]int, n)}

	step := 1
	for d := range n {
		t.extent[d] = int(stop[d] - start[d])
		t.dstStep[d] = step
		step *= t.extent[d]
	}

	step = 1
	for d := n - 1; d >= 0; d-- {
		t.srcStep[d] = step
		step *= t.extent[d]
	}
	t.run()
}
