package hdf5

import (
	"context"
	"sync"

	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/slab"
)

// largeChunk is how many bytes of items make a chunk that is decoded once for the parts that are
// read of it, by several goroutines too. Few bytes of a file may become hundreds of megabytes.
const largeChunk = 32 << 20

// A largeItems is the items of the large chunk of a file that was read last.
type largeItems struct {
	mu      sync.Mutex
	address int64
	mask    uint32
	items   []byte // nil if there is none
	left    int64  // bytes that have not been read yet
}

// isLarge reports whether the items of chunks are kept for other parts of them. Those of a file
// that is being written may change, and Blosc decodes a part at a time.
func (d *Dataset) isLarge() bool {
	if d.part.ChunkSize < largeChunk || d.file.format.Growing() {
		return false
	}
	last := d.filters[len(d.filters)-1].ID
	return last != filter.Blosc && last != filter.Blosc2
}

// Part implements [chunked.Parter]: it keeps the items of a large chunk for other parts.
func (s *storedChunks) Part(ctx context.Context, _ *filter.Decoder, j *chunked.Job) (bool, []byte, error) {
	if !s.isLarge() {
		return false, nil, nil
	}
	large := &s.file.large
	large.mu.Lock()
	defer large.mu.Unlock()

	p := &j.Place
	if large.items == nil || large.address != p.Off || large.mask != p.Mask {
		large.items = slab.Resize(large.items, s.part.ChunkSize)
		if err := s.decodeOnce(ctx, large.items, p); err != nil {
			large.items = nil
			return false, nil, err
		}
		large.address = p.Off
		large.mask = p.Mask

		// The bytes of the items of a chunk that are within the shape.
		start, stop := s.part.ChunkBox(j.Piece.Chunk)
		n := s.part.ItemSize
		for i := range s.part.Dims {
			n *= stop[i] - start[i]
		}
		large.left = n
	}
	j.Piece.Scatter(j.Dst, 0, large.items)

	start, stop := j.Within()
	n := s.part.ItemSize
	for i := range start {
		n *= stop[i] - start[i]
	}
	if large.left -= n; large.left <= 0 { // whoever reads all parts has come to the end
		large.items = nil
	}
	return true, nil, nil
}

// decodeOnce decodes a chunk in memory that nobody keeps, for it is as large as the items.
func (s *storedChunks) decodeOnce(ctx context.Context, items []byte, p *chunked.Place) error {
	encoded := fresh.Make[byte](p.Size)
	if err := p.Source.ReadAt(ctx, encoded, p.Off); err != nil {
		return err
	}
	return filter.Decode(items, encoded, s.filters, p.Mask)
}
