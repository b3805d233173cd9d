package codecs

import "github.com/cairn-go/cairn/codecs/lz4"

// An lz4Encoder makes raw LZ4 blocks by a fast search.
type lz4Encoder struct{ e *lz4.Encoder }

// newLZ4Encoder maps level 9 to acceleration 1 and every level below to one more, as C-Blosc2 does: what accelerations mean for the size is
// the same.
func newLZ4Encoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("lz4", "encoding", p); err != nil {
		return nil, err
	}
	return lz4Encoder{lz4.NewEncoder(10 - p.Level)}, nil
}

// Encode implements [Encoder].
func (e lz4Encoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// An lz4hcEncoder makes raw LZ4 blocks with a deeper search.
type lz4hcEncoder struct{ e *lz4.HCEncoder }

func newLZ4HCEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("lz4hc", "encoding", p); err != nil {
		return nil, err
	}
	return lz4hcEncoder{lz4.NewHCEncoder(p.Level)}, nil
}

// Encode implements [Encoder].
func (e lz4hcEncoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// An lz4Decoder decodes raw LZ4 blocks, with dict as history before the first byte.
type lz4Decoder struct {
	dict []byte
}

func newLZ4Decoder(p Params) (Decoder, error) {
	return &lz4Decoder{dict: p.Dict}, nil
}

// Decode implements [Decoder].
func (d *lz4Decoder) Decode(dst, src []byte) error { return lz4.Decode(dst, src, d.dict) }

// DecodePrefix implements [PrefixDecoder].
func (d *lz4Decoder) DecodePrefix(dst, src []byte) error { return lz4.DecodePrefix(dst, src, d.dict) }

// SetDict implements [DictDecoder].
func (d *lz4Decoder) SetDict(dict []byte) error {
	d.dict = dict
	return nil
}

// ShareDict implements [DictDecoder].
func (d *lz4Decoder) ShareDict(other Decoder) { d.dict = other.(*lz4Decoder).dict }
