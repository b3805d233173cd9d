package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/golang/snappy"
)

// A snappyEncoder encodes raw Snappy blocks: the length as a varint, then tags, without framing.
// There are no levels.
type snappyEncoder struct {
	scratch []byte
}

func newSnappyEncoder(Params) (Encoder, error) { return new(snappyEncoder), nil }

// Encode implements [Encoder].
func (e *snappyEncoder) Encode(dst, src []byte) (int, error) {
	bound := snappy.MaxEncodedLen(len(src))
	if bound < 0 {
		return 0, fmt.Errorf("snappy: a stream of %d bytes is too long: %w", len(src), cairn.ErrUnsupported)
	}
	if len(dst) >= bound {
		return len(snappy.Encode(dst, src)), nil
	}
	return copyIfFits(dst, snappy.Encode(scratchFor(&e.scratch, bound), src)), nil
}

// A snappyDecoder decodes raw Snappy blocks.
type snappyDecoder struct{}

func newSnappyDecoder(Params) (Decoder, error) { return snappyDecoder{}, nil }

// Decode implements [Decoder].
func (snappyDecoder) Decode(dst, src []byte) error {
	// The library allocates the length that a block claims unless it fits into dst.
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return broken("snappy", err)
	}

	if n != len(dst) {
		return wrongLength("snappy", n, len(dst))
	}
	if _, err := snappy.Decode(dst, src); err != nil {
		return broken("snappy", err)
	}
	return nil
}
