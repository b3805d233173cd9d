package filter

import (
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
)

// A workspace is the memory of a decoder or encoder.
type workspace struct {
	between [2][]byte // what is between two filters
	used    int       // which of them holds the input of the next filter
	block   []byte    // a block of bitshuffle

	decoders map[codecs.Codec]codecs.Decoder
	encoders map[encoderKey]codecs.Encoder
	blosc    *chunk.Decoder
	chunks   []chunkEncoder // of Blosc and Blosc2
	alike    alikeFrames
	lone     loneFrame // of Blosc2
	lzf      *lzfTable
}

// free returns n bytes of the memory that is not in use.
func (w *workspace) free(n int) []byte {
	b := &w.between[1-w.used]
	*b = slab.Resize(*b, n)
	return *b
}

// decoder returns the decoder of a codec.
func (w *workspace) decoder(c codecs.Codec) (codecs.Decoder, error) {
	if d, ok := w.decoders[c]; ok {
		return d, nil
	}

	row, err := (*codecs.Registry)(nil).Lookup(c.ID())
	if err != nil {
		return nil, err
	}

	d, err := row.NewDecoder(codecs.Params{TypeSize: 1})
	if err == nil && w.decoders == nil {
		w.decoders = map[codecs.Codec]codecs.Decoder{}
	}
	if err != nil {
		return d, err
	}

	w.decoders[c] = d
	return d, nil
}

type encoderKey struct {
	codec codecs.Codec
	level int
}

// encoder returns the encoder of a codec with a level from 0 to 9.
func (w *workspace) encoder(c codecs.Codec, level int) (codecs.Encoder, error) {
	key := encoderKey{c, level}
	if e, ok := w.encoders[key]; ok {
		return e, nil
	}

	row, err := (*codecs.Registry)(nil).Lookup(c.ID())
	if err != nil {
		return nil, err
	}

	e, err := row.NewEncoder(codecs.Params{Level: level, TypeSize: 1})
	if err == nil && w.encoders == nil {
		w.encoders = map[encoderKey]codecs.Encoder{}
	}
	if err != nil {
		return e, err
	}

	w.encoders[key] = e
	return e, nil
}

// bloscDecoder returns the decoder of Blosc chunks.
func (w *workspace) bloscDecoder() *chunk.Decoder {
	if w.blosc == nil {
		w.blosc = chunk.NewDecoder(nil)
	}
	return w.blosc
}
