package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/storage"
)

// A reading is one call of ReadBytes.
type reading struct {
	*Array
	box     *grid.Box
	dst     []byte
	workers []*readWorker
}

// A readWorker is the state of one goroutine.
type readWorker struct {
	*worker
	scratch grid.Scratch
	raw     []byte // an encoded chunk
	key     []byte
	blocks  blockReader
}

// release keeps the workers for the next call.
func (r *reading) release() {
	for _, w := range r.workers {
		w.scratch.Reset()
		w.blocks.scratch.Reset()
		w.blocks.of, w.blocks.dst = nil, nil
		r.idle.Put(w)
	}
}

// newWorker returns a worker, one of an earlier call if there is one.
func (r *reading) newWorker() (*readWorker, error) {
	if w, ok := r.idle.Get().(*readWorker); ok {
		return w, nil
	}
	w, err := r.chain.worker()
	if err != nil {
		return nil, err
	}
	made := &readWorker{worker: w}
	if b, ok := w.blosc(); ok {
		made.blocks.decoder = b.d
	}
	return made, nil
}

// each calls do for 0 to n-1 on the workers.
func (r *reading) each(ctx context.Context, n int, do func(w *readWorker, i int) error) error {
	count := min(n, parallel.WorkersIn(ctx, r.Array.workers))
	for len(r.workers) < count {
		w, err := r.newWorker()
		if err != nil {
			return err
		}
		r.workers = append(r.workers, w)
	}
	return parallel.For(ctx, count, n, func(k, i int) error { return do(r.workers[k], i) })
}

// keyOf returns the key of the chunk at coordinates of the grid.
func (r *reading) keyOf(w *readWorker, at []int64) string {
	w.key = w.key[:0]
	if r.key != "" {
		w.key = append(append(w.key, r.key...), '/')
	}
	w.key = r.appendKey(w.key, at)
	return string(w.key)
}

// chunks reads chunks with a key each.
func (r *reading) chunks(ctx context.Context) error {
	return r.each(ctx, r.box.Pieces, func(w *readWorker, i int) error {
		piece := r.box.Take(i, &w.scratch)
		var at grid.Vec
		rest := piece.Chunk
		for d := r.part.Dims - 1; d >= 0; d-- {
			at[d] = rest % r.part.ChunkGrid[d]
			rest /= r.part.ChunkGrid[d]
		}
		key := r.keyOf(w, at[:r.part.Dims])
		o, err := r.keys.open(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			piece.Fill(r.dst, r.fill)
			return nil
		}
		if err == nil {
			most := max(r.chain.maxEncoded(), minEncoded)
			if n := o.size(); n > most {
				err = fmt.Errorf("%d bytes, the most is %d: %w", n, most, cairn.ErrLimit)
			} else {
				err = r.load(ctx, w, piece, o, 0, n)
			}
			err = errors.Join(err, o.close())
		}
		if err != nil {
			return fmt.Errorf("chunk %s: %w", key, err)
		}
		return nil
	})
}

// minEncoded is how many bytes a chunk of a few items may have, whatever its codecs add.
const minEncoded = 1 << 16

// load reads the encoded chunk of size bytes at an offset of an object, or what is needed of it,
// and puts its items into their places.
func (r *reading) load(ctx context.Context, w *readWorker, piece grid.ChunkPiece, o object, off, size int64) error {
	have := 0
	if _, far := o.(bucketObject); !far && !piece.Whole && w.blocks.decoder != nil && size > 4*headSize {
		have = headSize
		head := w.blocks.head[:]
		err := o.read(ctx, storage.Range{Off: off, Data: head})
		if err != nil {
			return err
		}
		h, err := w.header(head, size)
		if err != nil {
			return err
		}
		if w.blocks.take(r, piece, &h) {
			if done, err := w.blocks.fetch(ctx, &h, o, off, size, head); done {
				return err
			}
		}
	}
	w.raw = slab.Resize(w.raw, size)
	copy(w.raw, w.blocks.head[:have])
	err := o.read(ctx, storage.Range{Off: off + int64(have), Data: w.raw[have:]})
	if err != nil {
		return err
	}
	return r.put(w, piece, w.raw)
}

// header returns the header of a Blosc chunk of size bytes.
func (w *readWorker) header(head []byte, size int64) (chunk.Header, error) {
	want := w.chain.sizes[0]
	if err := plausible(want, size, zstdRatio); err != nil {
		return chunk.Header{}, err
	}
	return bloscHeader(want, head)
}

// put decodes a chunk and puts its items into their places.
func (r *reading) put(w *readWorker, piece grid.ChunkPiece, raw []byte) error {
	direct := piece.Direct(r.dst, 0)
	if direct != nil {
		items, err := w.decode(direct, raw)
		if err == nil && len(items) > 0 && &items[0] != &direct[0] {
			copy(direct, items)
		}
		return err
	}
	if w.blocks.decoder != nil {
		h, err := w.header(raw, int64(len(raw)))
		if err != nil {
			return err
		}
		if w.blocks.take(r, piece, &h) {
			return w.blocks.decode(&h, raw)
		}
	}
	from, to := piece.Span(0)
	items, err := w.decodeRange(raw, from, to)
	if err == nil {
		piece.Scatter(r.dst, 0, items)
	}
	return err
}
