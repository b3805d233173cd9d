package codecs

import (
	"github.com/cairn-go/cairn/codecs/internal/cover"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
)

// newZstdEncoder accepts a Zstandard dictionary, formatted or raw.
func newZstdEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}

	e := &zstdEncoder{e: zstd.NewEncoder(p.Level)}
	if err := e.SetDict(p.Dict); err != nil {
		return nil, err
	}
	return e, nil
}

// A zstdEncoder encodes a Zstandard frame per stream: with a single segment, so that the content
// size bounds the window, and without a checksum, like C-Blosc2.
type zstdEncoder struct {
	e       *zstd.Encoder
	pick    *cover.Chooser // created on first use
	content []byte
}

// Encode implements [Encoder].
func (e *zstdEncoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// SetDict implements [DictEncoder].
func (e *zstdEncoder) SetDict(dict []byte) error { return e.e.SetDict(dict) }

// BuildDict implements [DictEncoder]. A dictionary consists of parts that samples have in common,
// and of entropy tables for the rest.
func (e *zstdEncoder) BuildDict(dst, data []byte, sizes []int, size int) []byte {
	e.content = appendDict(&e.pick, e.content[:0], data, sizes, size)
	return e.e.BuildDict(dst, e.content, data, sizes, size)
}

// A zstdDecoder decodes Zstandard frames directly into the caller's memory. It implements
// [RangeDecoder].
type zstdDecoder struct {
	*zstd.Decoder
}

// newZstdDecoder accepts a Zstandard dictionary as stored in chunks.
func newZstdDecoder(p Params) (Decoder, error) {
	d, err := zstd.NewDecoder(p.Dict)
	if err != nil {
		return nil, err
	}
	return zstdDecoder{d}, nil
}

// ShareDict implements [DictDecoder].
func (d zstdDecoder) ShareDict(other Decoder) { d.Decoder.ShareDict(other.(zstdDecoder).Decoder) }
