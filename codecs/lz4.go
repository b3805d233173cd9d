package codecs

import (
	"github.com/cairn-go/cairn/codecs/internal/cover"
	"github.com/cairn-go/cairn/codecs/internal/lz4"
)

// An lz4Encoder encodes raw LZ4 blocks, with a fast or a more thorough search.
type lz4Encoder struct {
	e interface {
		Encode(dst, src []byte) int
		SetDict(dict []byte)
	}
	pick *cover.Chooser // created on first use
}

// newLZ4Encoder maps level 9 to acceleration 1 and each lower level to one more, as C-Blosc2 does.
// Accelerations affect the size as in liblz4.
func newLZ4Encoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	e := &lz4Encoder{e: lz4.NewEncoder(10 - p.Level)}
	return e, e.SetDict(p.Dict)
}

func newLZ4HCEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	e := &lz4Encoder{e: lz4.NewHCEncoder(p.Level)}
	return e, e.SetDict(p.Dict)
}

// Encode implements [Encoder].
func (e *lz4Encoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// SetDict implements [DictEncoder].
func (e *lz4Encoder) SetDict(dict []byte) error {
	e.e.SetDict(dict)
	return nil
}

// BuildDict implements [DictEncoder]: a dictionary consists of parts of the samples.
func (e *lz4Encoder) BuildDict(dst, data []byte, sizes []int, size int) []byte {
	return appendDict(&e.pick, dst, data, sizes, size)
}

// dictPart is the length of the parts of dictionaries.
const dictPart = 256

// appendDict appends at most size bytes of the samples to dst, creating the chooser if necessary.
func appendDict(pick **cover.Chooser, dst, data []byte, sizes []int, size int) []byte {
	if *pick == nil {
		*pick = new(cover.Chooser)
	}
	return (*pick).Append(dst, data, sizes, size, dictPart)
}

// An lz4Decoder decodes raw LZ4 blocks, with dict as history before the first byte. Copying matches
// from a separate dictionary is slow, so blocks of less than nearDict bytes are decoded behind a
// copy of it.
type lz4Decoder struct {
	dict []byte
	near []byte // dict followed by a block
}

const nearDict = 256 << 10

func newLZ4Decoder(p Params) (Decoder, error) {
	d := &lz4Decoder{}
	return d, d.SetDict(p.Dict)
}

// Decode implements [Decoder].
func (d *lz4Decoder) Decode(dst, src []byte) error {
	n := len(d.dict)
	if n == 0 || len(dst) >= nearDict {
		return lz4.Decode(dst, src, d.dict)
	}

	if need := n + len(dst); cap(d.near) < need {
		d.near = make([]byte, need)
		copy(d.near, d.dict)
	}

	near := d.near[:n+len(dst)]
	err := lz4.DecodeBehind(near, src, n)
	if err != nil {
		return err
	}

	copy(dst, near[n:])
	return nil
}

// DecodeRange implements [RangeDecoder]; it decodes from the beginning.
func (d *lz4Decoder) DecodeRange(dst, src []byte, _, hi int) error {
	return lz4.DecodePrefix(dst[:hi], src, d.dict)
}

// SetDict implements [DictDecoder].
func (d *lz4Decoder) SetDict(dict []byte) error {
	d.dict = dict
	if n := len(dict); cap(d.near) < n {
		d.near = nil
	} else {
		copy(d.near[:n], dict)
	}
	return nil
}

// ShareDict implements [DictDecoder], and cannot fail.
func (d *lz4Decoder) ShareDict(other Decoder) { _ = d.SetDict(other.(*lz4Decoder).dict) }
