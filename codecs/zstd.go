package codecs

import (
	"fmt"

	"github.com/cairn-go/cairn/codecs/zstd"
	library "github.com/klauspost/compress/zstd"
)

// newZstdEncoder accepts a complete Zstandard dictionary. With one, every level means Zstandard's 1, as in C-Blosc2.
func newZstdEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if p.Dict != nil {
		return newZstdDictEncoder(p.Dict)
	}
	return zstdEncoder{zstd.NewEncoder(p.Level)}, nil
}

// A zstdEncoder makes one Zstandard frame per stream: single segment, so that the content size bounds the window, and without a
// checksum, as C-Blosc2 writes them.
type zstdEncoder struct{ e *zstd.Encoder }

// Encode implements [Encoder].
func (e zstdEncoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// A zstdDictEncoder does so with a dictionary, by way of the library.
type zstdDictEncoder struct {
	z       *library.Encoder
	scratch []byte
}

func newZstdDictEncoder(dict []byte) (Encoder, error) {
	z, err := library.NewWriter(nil,
		library.WithEncoderLevel(library.SpeedDefault),
		library.WithWindowSize(4<<20), // longer histories cost memory per encoder
		library.WithEncoderConcurrency(1),
		library.WithEncoderCRC(false),
		library.WithSingleSegment(true),
		library.WithLowerEncoderMem(true),
		library.WithEncoderDict(dict))
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return &zstdDictEncoder{z: z}, nil
}

// Encode implements [Encoder]. The library appends what it makes and would allocate anew where dst ends, so it writes to scratch
// memory that is kept at the size that was needed so far.
func (e *zstdDictEncoder) Encode(dst, src []byte) (int, error) {
	e.scratch = e.z.EncodeAll(src, e.scratch[:0])
	return copyIfFits(dst, e.scratch), nil
}

// A zstdDecoder decodes Zstandard frames straight into the caller's memory.
type zstdDecoder struct {
	*zstd.Decoder
}

// newZstdDecoder accepts a Zstandard dictionary, as chunks store it.
func newZstdDecoder(p Params) (Decoder, error) {
	d, err := zstd.NewDecoder(p.Dict)
	if err != nil {
		return nil, err
	}
	return zstdDecoder{d}, nil
}

// ShareDict implements [DictDecoder].
func (d zstdDecoder) ShareDict(other Decoder) { d.Decoder.ShareDict(other.(zstdDecoder).Decoder) }
