package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/ndlz"
)

// checkNDLZ returns an error matching cairn.ErrUnsupported for invalid parameters.
func checkNDLZ(what string, p Params) error {
	if p.Meta != 4 && p.Meta != 8 {
		return fmt.Errorf("ndlz: %s with cells of %d bytes a side, must be 4 or 8: %w", what, p.Meta, cairn.ErrUnsupported)
	}
	return nil
}

func newNDLZEncoder(p Params) (Encoder, error) {
	if err := checkNDLZ("encoding", p); err != nil {
		return nil, err
	}
	if len(p.BlockShape) != 2 {
		return nil, fmt.Errorf("ndlz: blocks of shape %v, must have 2 dimensions: %w", p.BlockShape, cairn.ErrUnsupported)
	}
	return streams{ndlz.NewEncoder(int(p.Meta), int(p.BlockShape[0]), int(p.BlockShape[1]))}, nil
}

func newNDLZDecoder(p Params) (Decoder, error) {
	if err := checkNDLZ("decoding", p); err != nil {
		return nil, err
	}
	return ndlzDecoder{side: int(p.Meta)}, nil
}

// An ndlzDecoder decodes NDLZ streams, which contain their shape.
type ndlzDecoder struct{ side int }

// Decode implements [Decoder].
func (d ndlzDecoder) Decode(dst, src []byte) error { return ndlz.Decode(dst, src, d.side) }
