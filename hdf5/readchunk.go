package hdf5

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/chunked"
)

// storedChunks are the chunks of a dataset during one read: a [chunked.Format], and the source of
// their bytes.
type storedChunks struct {
	*Dataset
	in *format.Reader
}

// openChunks makes the reader of a dataset in chunks.
func (d *Dataset) openChunks() {
	d.chunks = &chunked.Reader[*filter.Decoder]{
		Part: d.part, Fill: d.fill, Workers: d.file.workers, Far: d.file.format,
		Most: 2*d.part.ChunkSize + chunked.Small,
		New:  func() (*filter.Decoder, error) { return filter.NewDecoder(d.filters) },
		Keep: d.file.kept, Array: uint64(d.header.Address),
	}
	if len(d.filters) == 1 {
		id := d.filters[0].ID
		d.chunks.Parts = id == filter.Blosc || id == filter.Blosc2
	}
}

// coordinates returns the coordinates of a chunk in the grid, without those of an item that is an
// array.
func (s *storedChunks) coordinates(chunk int64) []int64 {
	at := s.part.ChunkAt(chunk)
	return at[:len(s.space.Shape)]
}

// Name implements [chunked.Format].
func (s *storedChunks) Name(chunk int64) string { return fmt.Sprintf("chunk %v", s.coordinates(chunk)) }

// Locate implements [chunked.Format]. It fails unless the file has all bytes of the chunk.
func (s *storedChunks) Locate(_ context.Context, chunk int64) (chunked.Place, error) {
	at := s.coordinates(chunk)
	found, err := s.in.Chunk(s.index, at)
	if err != nil || found.Address == format.None {
		return chunked.Place{}, err
	}

	if s.in.Outside(found.Address, found.Size) {
		return chunked.Place{}, cairn.Corruptf("chunk", -1, "%d bytes at address %d of a file of %d", found.Size,
			found.Address, s.in.Size())
	}

	return chunked.Place{
		Source: s, Off: found.Address, Size: found.Size, Mask: found.Mask,
		Plain: len(s.filters) == 0 || s.layout.PlainEdges && s.atEdge(at),
	}, nil
}

// atEdge reports whether a chunk exceeds the shape.
func (s *storedChunks) atEdge(at []int64) bool {
	for i, n := range at {
		if (n+1)*s.part.Chunk[i] > s.part.Shape[i] {
			return true
		}
	}
	return false
}

// ReadAt implements [chunked.Source].
func (s *storedChunks) ReadAt(_ context.Context, b []byte, off int64) error {
	return s.in.ReadAt("chunk", b, off)
}

// Decode implements [chunked.Format].
func (s *storedChunks) Decode(d *filter.Decoder, j *chunked.Job, encoded []byte) ([]byte, error) {
	items := j.Items()
	if j.Piece.Whole {
		return items, d.Decode(items, encoded, j.Place.Mask)
	}
	start, stop := j.Within()
	return items, d.DecodePart(items, encoded, j.Place.Mask, filter.Part{
		Shape: s.part.Chunk[:s.part.Dims], Start: start, Stop: stop, ItemSize: s.part.ItemSize,
	})
}
