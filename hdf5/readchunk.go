package hdf5

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
)

// A reading is one read of a box over chunks.
type reading struct {
	*Dataset
	in      *format.Reader
	box     grid.Box
	dst     []byte
	workers []*chunkWorker
}

// A chunkWorker is the memory of one goroutine.
type chunkWorker struct {
	scratch grid.Scratch
	raw     []byte // a chunk as it is stored
	items   []byte // of a chunk
	decoder *filter.Decoder
}

// release keeps the workers for the next read.
func (r *reading) release() {
	for _, w := range r.workers {
		w.scratch.Reset()
		r.idle.Put(w)
	}
}

// each calls do for 0 to n-1 on workers.
func (r *reading) each(ctx context.Context, workers, n int, do func(w *chunkWorker, i int) error) error {
	count := min(n, parallel.Workers(workers))
	for len(r.workers) < count {
		w, ok := r.idle.Get().(*chunkWorker)
		if !ok {
			w = &chunkWorker{}
		}
		r.workers = append(r.workers, w)
	}
	return parallel.For(ctx, count, n, func(k, i int) error { return do(r.workers[k], i) })
}

// coordinates returns the coordinates of a chunk in the grid, and whether it exceeds the shape.
func (r *reading) coordinates(chunk int64) (at grid.Vec, edge bool) {
	p := r.part
	for i := p.Dims - 1; i >= 0; i-- {
		at[i] = chunk % p.ChunkGrid[i]
		chunk /= p.ChunkGrid[i]
		edge = edge || (at[i]+1)*p.Chunk[i] > p.Shape[i]
	}
	return at, edge
}

// inChunk adds the coordinates of a chunk to an error.
func (r *reading) inChunk(chunk int64, err error) error {
	if err == nil {
		return nil
	}
	at, _ := r.coordinates(chunk)
	return fmt.Errorf("chunk %v: %w", at[:len(r.space.Shape)], err)
}

// place returns where a chunk is.
func (r *reading) place(chunk int64) (format.Place, error) {
	at, _ := r.coordinates(chunk)
	place, err := r.in.Chunk(r.index, at[:len(r.space.Shape)])
	return place, r.inChunk(chunk, err)
}

// inside returns an error unless the file has all bytes of a chunk.
func (r *reading) inside(chunk int64, place format.Place) error {
	if !r.in.Outside(place.Address, place.Size) {
		return nil
	}
	return r.inChunk(chunk, cairn.Corruptf("chunk", -1, "%d bytes at address %d of a file of %d", place.Size,
		place.Address, r.in.Size()))
}

// load reads a chunk and puts its items into their places.
func (r *reading) load(w *chunkWorker, piece grid.ChunkPiece, place format.Place) error {
	if place.Address == format.None {
		piece.Fill(r.dst, r.fill)
		return nil
	}
	if err := r.inside(piece.Chunk, place); err != nil {
		return err
	}
	items := piece.Direct(r.dst, 0)
	direct := items != nil
	if !direct && r.isLarge(piece) {
		return r.inChunk(piece.Chunk, r.loadLarge(w, piece, place))
	}
	if !direct {
		w.items = slab.Resize(w.items, r.part.ChunkSize)
		items = w.items
	}
	var err error
	if r.isPlain(piece.Chunk) {
		err = r.readPlain(items, piece, place)
	} else {
		err = r.decode(w, items, place, piece)
	}
	if err != nil {
		return r.inChunk(piece.Chunk, err)
	}
	if !direct {
		piece.Scatter(r.dst, 0, items)
	}
	return nil
}

// isPlain reports whether a chunk has no filters.
func (r *reading) isPlain(chunk int64) bool {
	if len(r.filters) == 0 {
		return true
	}
	_, edge := r.coordinates(chunk)
	return edge && r.layout.PlainEdges
}

// readPlain reads what is needed of the items of a chunk without filters.
func (r *reading) readPlain(items []byte, piece grid.ChunkPiece, place format.Place) error {
	if place.Size != r.part.ChunkSize {
		return cairn.Corruptf("chunk", -1, "%d bytes, want %d", place.Size, r.part.ChunkSize)
	}
	from, to := piece.Span(0)
	return r.in.ReadAt("chunk", items[from:to], place.Address+int64(from))
}

// minEncoded is how many bytes a chunk of a few items may have, whatever its filters add.
const minEncoded = 1 << 16

// decode reads and decodes a chunk, as far as a piece needs its items.
func (r *reading) decode(w *chunkWorker, items []byte, place format.Place, piece grid.ChunkPiece) error {
	if most := 2*r.part.ChunkSize + minEncoded; place.Size > most {
		return fmt.Errorf("%d bytes, the most is %d: %w", place.Size, most, cairn.ErrLimit)
	}
	w.raw = slab.Resize(w.raw, place.Size)
	if err := r.in.ReadAt("chunk", w.raw, place.Address); err != nil {
		return err
	}
	if w.decoder == nil {
		var err error
		if w.decoder, err = filter.NewDecoder(r.filters); err != nil {
			return err
		}
	}
	if piece.Whole {
		return w.decoder.Decode(items, w.raw, place.Mask)
	}
	start, stop := piece.Piece.(*grid.BoxPiece).Within()
	n := r.part.Dims
	return w.decoder.DecodePart(items, w.raw, place.Mask, filter.Part{
		Shape: r.part.Chunk[:n], Start: start[:n], Stop: stop[:n], ItemSize: r.part.ItemSize,
	})
}

// farChunks is how many chunks of a far file are looked up before they are read.
const farChunks = 4096

// far reads chunks of a file that is read by requests: it looks some up, and has what they need
// loaded ahead of the workers. There are as many workers as requests, because they wait for these.
func (r *reading) far(ctx context.Context, requests int) error {
	var scratch grid.Scratch
	for first := 0; first < r.box.Pieces; first += farChunks {
		places := make([]format.Place, min(farChunks, r.box.Pieces-first))
		for i := range places {
			var err error
			if places[i], err = r.place(r.box.Take(first+i, &scratch).Chunk); err != nil {
				return err
			}
		}
		if err := r.farSome(ctx, requests, first, places); err != nil {
			return err
		}
	}
	return nil
}

// farSome reads the chunks at places, from a number on.
func (r *reading) farSome(ctx context.Context, requests, first int, places []format.Place) error {
	groups := readahead.Groups(func(yield func(off, n int64) bool) {
		for _, p := range places {
			off, n := p.Address, p.Size
			switch {
			case off == format.None:
				off, n = 0, 0
			case n > readahead.Memory || r.in.Outside(off, n):
				n = -1 // it reads for itself, and fails there
			}
			if !yield(off, n) {
				return
			}
		}
	})
	ahead := readahead.New(ctx, groups, requests, readahead.Memory, func(ctx context.Context, g readahead.Group) (func(), error) {
		return r.file.format.Load(ctx, g.Off, g.End-g.Off)
	})
	defer ahead.Close()
	workers := max(requests, parallel.Workers(r.file.workers))
	return r.each(ctx, workers, len(places), func(w *chunkWorker, i int) error {
		defer ahead.End(i)
		if err := ahead.Begin(i); err != nil {
			return err
		}
		return r.load(w, r.box.Take(first+i, &w.scratch), places[i])
	})
}
