package codecs

import (
	"github.com/cairn-go/cairn/codecs/internal/blosclz"
)

func newBloscLZEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("blosclz", "encoding", p); err != nil {
		return nil, err
	}
	return bloscLZEncoder{blosclz.NewEncoder(p.Level)}, nil
}

// A bloscLZEncoder makes BloscLZ streams.
type bloscLZEncoder struct{ e *blosclz.Encoder }

// Encode implements [Encoder].
func (e bloscLZEncoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// A bloscLZDecoder decodes BloscLZ streams.
type bloscLZDecoder struct{}

func newBloscLZDecoder(p Params) (Decoder, error) {
	if err := noDict("blosclz", "decoding", p); err != nil {
		return nil, err
	}
	return bloscLZDecoder{}, nil
}

// Decode implements [Decoder].
func (bloscLZDecoder) Decode(dst, src []byte) error { return blosclz.Decode(dst, src) }

// DecodeRange implements [RangeDecoder]; it decodes from the beginning.
func (bloscLZDecoder) DecodeRange(dst, src []byte, _, hi int) error {
	return blosclz.DecodePrefix(dst[:hi], src)
}
