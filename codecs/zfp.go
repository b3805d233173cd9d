package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zfp"
)

func newZFPEncoder(m zfp.Mode) func(Params) (Encoder, error) {
	return func(p Params) (Encoder, error) {
		c, err := newZFP(m, "encoding", p)
		if err == nil && c.Small() {
			err = fmt.Errorf("zfp: blocks of shape %v must have at least 4 items along each dimension; choose other blocks: %w", p.BlockShape, cairn.ErrUnsupported)
		}
		if err != nil {
			return nil, err
		}
		return streams{c}, nil
	}
}

func newZFPDecoder(m zfp.Mode) func(Params) (Decoder, error) {
	return func(p Params) (Decoder, error) {
		return newZFP(m, "decoding", p)
	}
}

func newZFP(m zfp.Mode, what string, p Params) (*zfp.Codec, error) {
	if p.BlockShape == nil {
		return nil, fmt.Errorf("zfp: %s blocks without a shape, which only arrays have: %w", what, cairn.ErrUnsupported)
	}
	return zfp.New(m, p.Meta, p.BlockShape, p.TypeSize)
}
