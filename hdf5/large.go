package hdf5

import (
	"sync"

	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
)

// largeChunk is how many bytes of items make a chunk that is decoded once for the parts that are
// read of it, by several goroutines too. Few bytes of a file may become hundreds of megabytes.
const largeChunk = 32 << 20

// A largeItems is the items of the large chunk of a file that was read last.
type largeItems struct {
	mu    sync.Mutex
	place format.Place
	items []byte // nil if there is none
	left  int64  // bytes that have not been read yet
}

// isLarge reports whether the items of a chunk are kept for other parts of it. Those of a file that
// is being written may change, and Blosc decodes a part at a time.
func (r *reading) isLarge(piece grid.ChunkPiece) bool {
	if piece.Whole || r.part.ChunkSize < largeChunk || r.isPlain(piece.Chunk) || r.file.format.Growing() {
		return false
	}
	last := r.filters[len(r.filters)-1].ID
	return last != filter.Blosc && last != filter.Blosc2
}

// loadLarge puts the items of a part of a large chunk into their places.
func (r *reading) loadLarge(w *chunkWorker, piece grid.ChunkPiece, place format.Place) error {
	large := &r.file.large
	large.mu.Lock()
	defer large.mu.Unlock()

	if large.items == nil || large.place != place {
		large.items = resized(large.items, r.part.ChunkSize)
		piece := piece
		piece.Whole = true
		if err := r.decode(w, large.items, place, piece); err != nil {
			large.items = nil
			return err
		}
		w.raw, w.decoder = nil, nil // which have a chunk too
		large.place, large.left = place, r.bytesOf(piece.Chunk)
	}
	piece.Scatter(r.dst, 0, large.items)

	start, stop := piece.Piece.(*grid.BoxPiece).Within()
	n := r.part.ItemSize
	for i := range r.part.Dims {
		n *= stop[i] - start[i]
	}
	if large.left -= n; large.left <= 0 { // whoever reads all parts has come to the end
		large.items = nil
	}
	return nil
}

// bytesOf returns the bytes of the items of a chunk that are within the shape.
func (r *reading) bytesOf(chunk int64) int64 {
	n := r.part.ItemSize
	at, _ := r.coordinates(chunk)
	for i := range r.part.Dims {
		n *= min(r.part.Chunk[i], r.part.Shape[i]-at[i]*r.part.Chunk[i])
	}
	return n
}
