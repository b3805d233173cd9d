package codecs

import (
	"github.com/cairn-go/cairn/codecs/internal/blosclz"
)

func newBloscLZEncoder(p Params) (Encoder, error) { return streams{blosclz.NewEncoder(p.Level)}, nil }

// A bloscLZDecoder decodes BloscLZ streams.
type bloscLZDecoder struct{}

func newBloscLZDecoder(Params) (Decoder, error) { return bloscLZDecoder{}, nil }

// Decode implements [Decoder].
func (bloscLZDecoder) Decode(dst, src []byte) error { return blosclz.Decode(dst, src) }

// DecodeRange implements [RangeDecoder]; it decodes from the beginning.
func (bloscLZDecoder) DecodeRange(dst, src []byte, _, hi int) error {
	return blosclz.DecodePrefix(dst[:hi], src)
}
