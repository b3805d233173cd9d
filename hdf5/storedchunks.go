package hdf5

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/internal/chunked"
)

// StoredChunks is for the packages of this module that write files: it returns the chunks as they
// are stored. It returns nil for datasets without chunks, for items that are not in the file as the
// dtype says, and for files that are read by requests, which takes several chunks at a time.
func (d *Dataset) StoredChunks(context.Context) (*chunked.Stored, error) {
	far := d.file.format.Requests() > 0
	if d.part == nil || d.convert != nil || len(d.shape) != len(d.space.Shape) || far {
		return nil, nil
	}

	s := &chunked.Stored{Chunk: d.part.Chunk[:d.part.Dims], Find: d.findChunk}
	for _, f := range d.filters {
		s.Filters = append(s.Filters, chunked.Filter{ID: uint16(f.ID), Params: f.Params})
	}
	return s, nil
}

// findChunk returns where the chunk is that has the items of a box.
func (d *Dataset) findChunk(ctx context.Context, start, stop []int64) (chunked.Place, error) {
	number := int64(0)
	for i, at := range start {
		edge := d.part.Chunk[i]
		if at%edge != 0 || stop[i] != min(at+edge, d.shape[i]) {
			return chunked.Place{}, nil
		}
		number = number*d.part.ChunkGrid[i] + at/edge
	}

	s := &storedChunks{d, d.file.format.In(ctx)}
	place, err := s.Locate(ctx, number)
	if err != nil {
		return place, fmt.Errorf("%s: %w", s.Name(number), err)
	}
	// What is not encoded as the filters say is for those who decode it, as is what is too large.
	if place.Plain && len(d.filters) > 0 || place.Size > d.chunks.Most || place.Plain && place.Size != d.part.ChunkSize {
		return chunked.Place{}, nil
	}
	return place, nil
}
