package ndarray

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// FromIter creates an array at path, or in memory if path is "", of the values of a sequence in C order. It takes as many as shape holds and asks for no more; fewer
// are an error matching [io.ErrUnexpectedEOF], which leaves no array. A row of chunks is in memory, or as
// much of it as [Options.Memory] if that is less.
func FromIter[T Element](ctx context.Context, path string, shape Shape, values iter.Seq[T], o *Options) (Array[T], error) {
	a, err := createAt[T](path, shape, o)
	if err != nil {
		return a, err
	}
	if err := orAbort(a, func() error { return a.load(ctx, values) }); err != nil {
		return Array[T]{}, fmt.Errorf("from iter: %w", err)
	}
	return a, nil
}

// load writes the array's items in C order.
func (a Array[T]) load(ctx context.Context, values iter.Seq[T]) error {
	w := newStreamWriter(ctx, a.own(), a.own().hostSwap())
	defer w.stop()
	raw, more := w.begin()
	if !more {
		return ctx.Err()
	}
	dst, i := itemsOf[T](raw), 0
	for v := range values {
		dst[i] = v
		if i++; i < len(dst) {
			continue
		}
		if err := w.end(); err != nil {
			return err
		}
		if raw, more = w.begin(); !more {
			return nil
		}
		dst, i = itemsOf[T](raw), 0
	}
	return io.ErrUnexpectedEOF
}

// FromReader creates an array at path, or in memory if path is "", of the bytes of a stream: items as dtype has them, in C order. It reads as many as shape holds and
// no more; fewer are an error matching [io.ErrUnexpectedEOF], which leaves no array. A row of
// chunks is in memory, or as much of it as [Options.Memory] if that is less.
func FromReader(ctx context.Context, path, dtype string, shape Shape, r io.Reader, o *Options) (*Untyped, error) {
	var u *Untyped
	var err error
	if path == "" {
		u, err = NewUntyped(dtype, shape, o)
	} else {
		u, err = CreateUntyped(path, dtype, shape, o)
	}
	if err != nil {
		return nil, err
	}
	if err := orAbort(u, func() error { return u.load(ctx, r) }); err != nil {
		return nil, fmt.Errorf("from reader: %w", err)
	}
	return u, nil
}

// load writes the array's items in C order.
func (u *Untyped) load(ctx context.Context, r io.Reader) error {
	w := newStreamWriter(ctx, u, 0)
	defer w.stop()
	for {
		raw, more := w.begin()
		if !more {
			return ctx.Err()
		}
		if _, err := io.ReadFull(r, raw); errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
		if err := w.end(); err != nil {
			return err
		}
	}
}

// A streamWriter writes an array box by box, each the next items in C order.
type streamWriter struct {
	u    *Untyped
	part *grid.Partition
	swap int
	next func() (slab.Box, bool)
	stop func()
	box  slab.Box
	buf  []byte

	progress *progress // in bytes
	quiet    context.Context
}

func newStreamWriter(ctx context.Context, u *Untyped, swap int) *streamWriter {
	part := u.geometry()
	start, shape, chunks := make([]int64, part.Dims), part.Shape[:part.Dims], part.Chunk[:part.Dims]
	edge := slab.Rows(shape, chunks, part.ItemSize, 0)
	if n, ok := grid.Product(append([]int64{part.ItemSize}, edge...)); !ok || n > u.memory {
		edge = slab.Runs(start, shape, chunks, part.Block[:part.Dims], part.ItemSize, u.memory)
	}
	w := &streamWriter{u: u, part: part, swap: swap, progress: follow(ctx, part.ItemCount*part.ItemSize), quiet: WithProgress(ctx, nil)}
	w.next, w.stop = iter.Pull(slab.Walk(start, shape, edge))
	return w
}

// begin returns memory for the items of the next box, or false at the end.
func (w *streamWriter) begin() ([]byte, bool) {
	var more bool
	if w.box, more = w.next(); !more {
		return nil, false
	}
	w.buf = resize(w.buf, int(w.box.Items()*w.part.ItemSize))
	return w.buf, true
}

// end writes the box whose items are in that memory now.
func (w *streamWriter) end() error {
	err := w.u.writeBox(w.quiet, w.part, w.buf, w.box.Start, w.box.Stop, w.swap)
	if err == nil {
		w.progress.add(int64(len(w.buf)))
	}
	return err
}
