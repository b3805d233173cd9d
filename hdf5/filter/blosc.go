package filter

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// Blosc (filter 32001) makes a chunk of Blosc 1 of a chunk: see package chunk. The stored chunk
// says all that decoding takes. (Source of the parameters: the registered filter, hdf5-blosc.)

// Parameters of Blosc and Blosc2, for encoding.
const (
	bloscItem    = 2 // bytes of an item
	bloscLevel   = 4
	bloscShuffle = 5 // 0 none, 1 bytes, 2 bits
	bloscCodec   = 6 // a number of Blosc's
)

func bloscSize(f Filter, src []byte, _ int) (int, error) {
	h, err := chunk.ParseHeader(src)
	if err != nil {
		return 0, broken(f.ID, err)
	}
	return int(h.NBytes), nil
}

func bloscDecode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if err := bloscCheck(f, dst, src); err != nil {
		return nil, err
	}
	if _, err := w.bloscDecoder().Decode(dst, src); err != nil {
		return nil, broken(f.ID, err)
	}
	return dst, nil
}

// bloscCheck returns an error unless src decodes to the size of dst.
func bloscCheck(f Filter, dst, src []byte) error {
	n, err := bloscSize(f, src, 0)
	if err == nil && n != len(dst) {
		err = corrupt(f.ID, "%d bytes, want %d", n, len(dst))
	}
	return err
}

// bloscDecodePart decodes the blocks of a chunk that have a part.
func bloscDecodePart(w *workspace, f Filter, dst, src []byte, p Part) error {
	if err := bloscCheck(f, dst, src); err != nil {
		return err
	}
	h, err := chunk.ParseHeader(src)
	if err != nil {
		return broken(f.ID, err)
	}

	size := int(h.TypeSize)
	if from, to, ok := p.span(size, len(dst)); ok {
		_, err = w.bloscDecoder().DecodeItems(dst[from*size:], src, from, to)
	} else {
		_, err = w.bloscDecoder().Decode(dst, src)
	}
	if err != nil {
		return broken(f.ID, err)
	}
	return nil
}

func bloscEncode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	e, err := w.chunkEncoder(f)
	if err != nil {
		return nil, err
	}

	made, err := e.Append(dst[:0], src)
	if err != nil || len(made) >= len(src) {
		return nil, err
	}
	return made, nil
}

// A chunkEncoder is the encoder for a filter of Blosc or Blosc2.
type chunkEncoder struct {
	*chunk.Encoder
	filter Filter
}

// chunkEncoder returns the encoder of chunks for a filter.
func (w *workspace) chunkEncoder(f Filter) (*chunk.Encoder, error) {
	for _, e := range w.chunks {
		if e.filter.ID == f.ID && slices.Equal(e.filter.Params, f.Params) {
			return e.Encoder, nil
		}
	}

	o, err := bloscOptions(f)
	if err != nil {
		return nil, err
	}
	o.Blosc1 = f.ID == Blosc
	e, err := chunk.NewEncoder(o)
	if err != nil {
		return nil, unsupported(f, "with these parameters cannot be encoded: %v", err)
	}
	w.chunks = append(w.chunks, chunkEncoder{e, f})
	return e, nil
}

// bloscOptions returns the options for the parameters of Blosc or Blosc2.
func bloscOptions(f Filter) (*chunk.Options, error) {
	o := &chunk.Options{TypeSize: int(max(f.param(bloscItem), 1)), Level: 5, Filters: []shuffle.Spec{shuffle.Byte}}

	if len(f.Params) > bloscLevel {
		o.Level = int(min(f.param(bloscLevel), 9))
	}
	if o.Level == 0 {
		o.Level = chunk.Stored
	}
	if len(f.Params) > bloscShuffle {
		id := f.param(bloscShuffle)
		if id > 255 {
			return nil, unsupported(f, "with filter %d of Blosc cannot be encoded", id)
		}
		o.Filters[0].ID = shuffle.ID(id)
	}

	if id := f.param(bloscCodec); id == 0 {
		o.Codec = codecs.BloscLZ
	} else if id <= 255 {
		o.Codec = codecs.ByID(uint8(id), 0)
	} else {
		return nil, unsupported(f, "with codec %d of Blosc cannot be encoded", id)
	}
	return o, nil
}
