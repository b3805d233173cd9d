package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zfp"
)

func newZFPEncoder(m zfp.Mode) func(Params) (Encoder, error) {
	return func(p Params) (Encoder, error) {
		if err := checkLevel(p.Level); err != nil {
			return nil, err
		}
		c, err := newZFP(m, "encoding", p)
		if err == nil && c.Small() {
			err = fmt.Errorf("zfp: blocks of shape %v must have at least 4 items along each dimension; choose other blocks: %w", p.BlockShape, cairn.ErrUnsupported)
		}
		if err != nil {
			return nil, err
		}
		return zfpCodec{c}, nil
	}
}

func newZFPDecoder(m zfp.Mode) func(Params) (Decoder, error) {
	return func(p Params) (Decoder, error) {
		c, err := newZFP(m, "decoding", p)
		if err != nil {
			return nil, err
		}
		return zfpCodec{c}, nil
	}
}

func newZFP(m zfp.Mode, what string, p Params) (*zfp.Codec, error) {
	if err := noDict("zfp", what, p); err != nil {
		return nil, err
	}
	if p.BlockShape == nil {
		return nil, fmt.Errorf("zfp: %s blocks without a shape, as only arrays have it: %w", what, cairn.ErrUnsupported)
	}
	return zfp.New(m, p.Meta, p.BlockShape, p.TypeSize)
}

// A zfpCodec makes and decodes zfp streams of one shape.
type zfpCodec struct{ c *zfp.Codec }

// Encode implements [Encoder].
func (c zfpCodec) Encode(dst, src []byte) (int, error) { return c.c.Encode(dst, src), nil }

// Decode implements [Decoder].
func (c zfpCodec) Decode(dst, src []byte) error { return c.c.Decode(dst, src) }

// DecodeRange implements [RangeDecoder].
func (c zfpCodec) DecodeRange(dst, src []byte, lo, hi int) error {
	return c.c.DecodeRange(dst, src, lo, hi)
}
