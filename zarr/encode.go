package zarr

import (
	"bytes"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// An encoder encodes chunks. It must not be used concurrently.
type encoder struct {
	blosc *chunk.Encoder
	zstd  codecs.Encoder
}

func (p *packing) encoder() (*encoder, error) {
	switch p.kind {
	case Blosc:
		e, err := chunk.NewEncoder(&chunk.Options{TypeSize: p.item, Codec: p.codec, Level: p.level, Blosc1: true,
			Filters: []shuffle.Spec{p.filter}})
		return &encoder{blosc: e}, err
	case Zstd:
		row, err := (*codecs.Registry)(nil).Lookup(codecs.Zstd.ID())
		if err != nil {
			return nil, err
		}
		e, err := row.NewEncoder(codecs.Params{Level: p.level, TypeSize: 1})
		return &encoder{zstd: e}, err
	}
	return &encoder{}, nil
}

// encode returns an encoded chunk in memory of its own.
func (e *encoder) encode(items []byte) ([]byte, error) {
	switch {
	case e.blosc != nil:
		return e.blosc.Append(nil, items)
	case e.zstd != nil:
		out := make([]byte, len(items)+len(items)/256+64) // blocks that gain nothing are stored
		n, err := e.zstd.Encode(out, items)
		if err == nil && n == 0 {
			err = corruptChunk("%d bytes cannot be compressed", len(items))
		}
		return out[:n:n], err
	}
	return bytes.Clone(items), nil
}

// constant reports whether all items are equal to one.
func constant(items, item []byte) bool {
	return len(items) >= len(item) && bytes.Equal(items[:len(item)], item) &&
		bytes.Equal(items[:len(items)-len(item)], items[len(item):])
}
