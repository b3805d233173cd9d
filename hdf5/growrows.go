package hdf5

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A rowWriter appends items to a dataset.
type rowWriter struct {
	*growth
	src   ndarray.UntypedView
	axis  int
	swap  bool
	shape []int64 // that the dataset will have
	part  *grid.Partition
}

// A rowWorker is the state of a goroutine that encodes chunks.
type rowWorker struct {
	encoder *filter.Encoder
	decoder *filter.Decoder
	scratch grid.Scratch
	chunk   []byte // its items
	old     []byte // the chunk that is replaced
	read    []byte
	encoded []byte
	items   []byte // of the chunk: those that are given, kept or in chunk
	stored  []byte
	mask    uint32
	at      grid.Vec
	place   format.Place // of the old chunk
	mine    bool         // which is not committed
	kept    *keptChunk   // nil if the old chunk was not kept
}

// write writes the chunks that have new items, box by box of whole ones.
func (w *rowWriter) write(ctx context.Context) error {
	chunk := w.d.layout.Chunk
	var err error
	if w.part, err = grid.New(w.shape, chunk, chunk, w.item); err != nil {
		return err
	}
	workers, err := w.workers(ctx)
	if err != nil {
		return err
	}

	start := make([]int64, len(w.shape))
	start[w.axis] = w.growth.shape[w.axis]
	edge := slab.Chunked(w.shape, chunk, w.item, max(1, w.a.o.Memory/(boxesAhead+2)))
	var buffers [1 + boxesAhead][]byte
	read := func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*w.item)
		return buffers[slot], w.read(ctx, buffers[slot], b, start[w.axis])
	}

	const small = 1 << 20 // what is read before a goroutine is started for it
	total, _ := grid.Product(append([]int64{w.item}, w.src.Shape()...))
	ahead := boxesAhead
	if total <= small {
		ahead = 0
	}
	done := int64(0)
	return readahead.Boxes(ctx, ahead, slab.Walk(start, w.shape, edge), read, func(b slab.Box, items []byte) error {
		var box grid.Box
		if err := box.Set(w.part, b.Start, b.Stop); err != nil {
			return err
		}
		err := parallel.Ordered(ctx, len(workers), box.NumPieces(),
			func(k, i int) error { return w.encode(ctx, &workers[k], &box, i, items) },
			func(k, _ int) error { return w.store(&workers[k]) })
		if done += int64(len(items)); err == nil && w.a.o.Progress != nil {
			w.a.o.Progress(done, total)
		}
		return err
	})
}

// workers returns the workers of a call, with what they had in the last one.
func (w *rowWriter) workers(ctx context.Context) ([]rowWorker, error) {
	count := parallel.Within(w.a.o.Memory, 3*w.part.ChunkSize, parallel.WorkersIn(ctx, w.a.o.Workers))
	for len(w.growth.workers) < count {
		var k rowWorker
		var err error
		if k.encoder, err = filter.NewEncoder(w.d.filters); err != nil {
			return nil, err
		}
		if k.decoder, err = filter.NewDecoder(w.d.filters); err != nil {
			return nil, err
		}
		w.growth.workers = append(w.growth.workers, k)
	}
	return w.growth.workers[:count], nil
}

// read reads items of the source as the file has them.
func (w *rowWriter) read(ctx context.Context, items []byte, b slab.Box, first int64) error {
	from := slices.Clone(b.Start)
	to := slices.Clone(b.Stop)
	from[w.axis] -= first
	to[w.axis] -= first
	if err := w.src.ReadBytes(ctx, items, from, to); err != nil {
		return err
	}
	if w.swap {
		for item := items; len(item) > 0; item = item[w.item:] {
			slices.Reverse(item[:w.item])
		}
	}
	return nil
}

// encode encodes a chunk, with the items that it has already.
func (w *rowWriter) encode(ctx context.Context, k *rowWorker, box *grid.Box, i int, items []byte) (err error) {
	piece := box.Take(i, &k.scratch)
	defer k.scratch.Reset()
	k.at = w.part.ChunkAt(piece.Chunk)
	r := w.a.file.format.In(ctx)
	if err := w.find(r, k); err != nil {
		return err
	}

	k.items = piece.Direct(items, 0)
	switch {
	case k.items != nil:
		k.kept = nil
	case k.kept != nil:
		k.items = k.kept.items
		piece.Gather(k.items, 0, items)
	default:
		k.chunk = slab.Resize(k.chunk, w.part.ChunkSize)
		k.items = k.chunk
		if !piece.Covers(0) {
			fillWith(k.items, w.d.fill)
			if err := w.keep(r, k, k.items); err != nil {
				return err
			}
		}
		piece.Gather(k.items, 0, items)
	}

	k.stored = k.items
	k.mask = 0
	if len(w.d.filters) > 0 {
		k.encoded, k.mask, err = k.encoder.Append(k.encoded[:0], k.items)
		k.stored = k.encoded
	}
	return err
}

// find finds the chunk that a worker replaces.
func (w *rowWriter) find(r *format.Reader, k *rowWorker) (err error) {
	w.mu.Lock()
	k.kept = w.growth.kept.take(k.at)
	w.mu.Unlock()
	if k.kept != nil {
		k.place = k.kept.place
		return nil
	}

	if k.place, k.mine, err = w.stored(r, k.at); err != nil {
		return err
	}
	if w.d.layout.Index == format.ImplicitIndex && r.Outside(k.place.Address, k.place.Size) {
		return outside(k.place, r)
	}
	return nil
}

// keep copies the items that a chunk has already.
func (w *rowWriter) keep(r *format.Reader, k *rowWorker, full []byte) error {
	if k.place.Address == format.None {
		return nil
	}
	corner := make([]int64, len(w.shape))
	for i, n := range w.d.layout.Chunk {
		corner[i] = min(n, w.growth.shape[i]-k.at[i]*n)
		if corner[i] <= 0 {
			return nil
		}
	}

	if !k.mine && r.Outside(k.place.Address, k.place.Size) || k.place.Size > 2*w.part.ChunkSize+1<<16 {
		return outside(k.place, r)
	}
	k.read = slab.Resize(k.read, k.place.Size)
	if n, err := w.a.disk.ReadAt(k.read, k.place.Address); n < len(k.read) {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading chunk %v: %w", k.at[:len(w.shape)], err)
	}
	k.old = slab.Resize(k.old, w.part.ChunkSize)
	if err := k.decoder.Decode(k.old, k.read, k.place.Mask); err != nil {
		return fmt.Errorf("chunk %v: %w", k.at[:len(w.shape)], err)
	}
	copyCorner(full, k.old, w.d.layout.Chunk, corner, w.item)
	return nil
}

func outside(p format.Place, r *format.Reader) error {
	return cairn.Corruptf("chunk", -1, "%d bytes at address %d of a file of %d", p.Size, p.Address, r.Size())
}

// store writes what a worker has encoded: a chunk without filters where it is, since what readers
// see of it does not change, and others to a new place.
func (w *rowWriter) store(k *rowWorker) error {
	n := int64(len(k.stored))
	if n > largestChunk {
		return unsupported("a chunk that takes 4 GiB or more when it is encoded")
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pending[k.at]
	switch {
	case p != nil && (n <= p.room || p.room == 0):
	case len(w.d.filters) == 0 && k.place.Address != format.None && k.place.Size == n:
		p = &pendingChunk{place: k.place}
	default:
		p = &pendingChunk{place: format.Place{Address: w.a.allocate(n)}, room: n}
	}
	p.place.Size = n
	p.place.Mask = k.mask
	w.pending[k.at] = p

	from, to := w.changed(k, p)
	if _, err := w.a.disk.WriteAt(k.stored[from:to], p.place.Address+from); err != nil {
		return err
	}
	w.keepFor(k, p.place)
	return nil
}

// changed returns which bytes of a chunk are written: those from the first new row on, if the file
// has the ones before, and up to the last new row if it has those behind.
func (w *rowWriter) changed(k *rowWorker, p *pendingChunk) (from, to int64) {
	n := int64(len(k.stored))
	kept := k.kept != nil && k.kept.place.Address == p.place.Address && len(w.d.filters) == 0
	if w.axis != 0 || p.room != 0 && !kept {
		return 0, n
	}

	rows := w.d.layout.Chunk[0]
	before := k.at[0] * rows
	from = max(0, min(rows, w.growth.shape[0]-before)) * (n / rows)
	if to = n; kept {
		to = max(0, min(rows, w.shape[0]-before)) * (n / rows)
	}
	return from, to
}

// keepFor keeps a chunk for the rows that follow, if it has room for some.
func (w *rowWriter) keepFor(k *rowWorker, place format.Place) {
	size := w.d.layout.Chunk[w.axis]
	if (k.at[w.axis]+1)*size <= w.shape[w.axis] {
		return
	}
	c := k.kept
	if c == nil {
		c = &keptChunk{items: k.items}
	}
	c.place = place
	if w.growth.kept.keep(k.at, c) && k.kept == nil {
		k.chunk = nil // which it has now
	}
}
