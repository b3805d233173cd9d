package zarr

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/chunked"
)

// A readWorker decodes chunks for one goroutine.
type readWorker struct {
	*worker
	blocks blockReader
}

// keyOf returns the key of the chunk at coordinates of the grid.
func (a *Array) keyOf(at []int64) string {
	var b []byte
	if a.key != "" {
		b = append(append(b, a.key...), '/')
	}
	return string(a.appendKey(b, at))
}

// chunkKey returns the key of a chunk that is not in a shard.
func (a *Array) chunkKey(chunk int64) string {
	at := a.part.ChunkAt(chunk)
	return a.keyOf(at[:a.part.Dims])
}

// storedChunks are the chunks of an array as a [chunked.Format], apart from shards.
type storedChunks struct{ *Array }

// Name implements [chunked.Format].
func (s storedChunks) Name(chunk int64) string { return "chunk " + s.chunkKey(chunk) }

// Locate implements [chunked.Format]: a chunk has a key of its own.
func (s storedChunks) Locate(ctx context.Context, chunk int64) (chunked.Place, error) {
	o, err := s.keys.open(ctx, s.chunkKey(chunk))
	if errors.Is(err, fs.ErrNotExist) {
		return chunked.Place{}, nil
	}
	if err != nil {
		return chunked.Place{}, err
	}
	place := chunked.Place{Source: o, Size: o.size(), Close: o.close}
	place.Version, place.Loose = s.versionOf(o)
	return place, nil
}

// versionOf returns what tells the bytes of an object from others that the same key had before, or
// true if nothing does.
func (a *Array) versionOf(o object) (version uint64, loose bool) {
	if a.chunks.Keep == nil {
		return 0, true
	}

	switch o := o.(type) {
	case *content:
		return 0, false // archives do not change
	case bucketObject:
		return a.chunks.Keep.Version(o.at.Version), o.at.Version == ""
	case openFile:
		if f, ok := o.file.(interface{ Stamp() (uint64, bool) }); ok {
			stamp, firm := f.Stamp()
			return stamp, !firm
		}
	}
	return 0, true
}

// Part implements [chunked.Parter]: of a chunk that Blosc compressed it reads the header, and then
// the blocks that the piece touches.
func (s storedChunks) Part(ctx context.Context, w *readWorker, j *chunked.Job) (bool, []byte, error) {
	size := j.Place.Size
	if _, far := j.Place.Source.(bucketObject); far || w.blocks.decoder == nil || size <= 4*headSize {
		return false, nil, nil
	}

	head := w.blocks.head[:]
	if err := j.Place.Source.ReadAt(ctx, head, j.Place.Off); err != nil {
		return false, nil, err
	}

	h, err := w.header(head, size)
	if err != nil || !w.blocks.take(s.part, j, &h) {
		return false, head, err
	}

	done, err := w.blocks.fetch(ctx, &h, &j.Place, head)
	return done, head, err
}

// header returns the header of a Blosc chunk of size bytes.
func (w *readWorker) header(head []byte, size int64) (chunk.Header, error) {
	want := w.chain.sizes[0]
	if err := plausible(want, size, zstdRatio); err != nil {
		return chunk.Header{}, err
	}
	return bloscHeader(want, head)
}

// Decode implements [chunked.Format].
func (s storedChunks) Decode(w *readWorker, j *chunked.Job, encoded []byte) ([]byte, error) {
	if j.InPlace() {
		return w.decode(j.Items(), encoded)
	}

	if w.blocks.decoder != nil {
		h, err := w.header(encoded, int64(len(encoded)))
		if err != nil {
			return nil, err
		}
		if w.blocks.take(s.part, j, &h) {
			return nil, w.blocks.decode(&h, encoded)
		}
	}

	from, to := j.Piece.Span(0)
	return w.decodeRange(j.Items(), encoded, from, to)
}
