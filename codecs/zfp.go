package codecs

import (
	"fmt"
	"math"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zfp"
	"github.com/cairn-go/cairn/internal/exact"
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

		e := &zfpEncoder{codec: c, bound: math.Inf(1), size: p.TypeSize, kept: exact.Large(p.TypeSize, p.Exact)}
		e.checked = m == zfp.Accuracy || len(p.Exact) > 0
		if m == zfp.Accuracy {
			e.bound = math.Pow10(int(int8(p.Meta)))
		}
		return e, nil
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

// A zfpEncoder leaves out the blocks with items that zfp would destroy: it mixes the numbers of a
// cell, so NaN, an infinity or a missing value becomes a number, and a very large number drowns its
// neighbours.
type zfpEncoder struct {
	codec   *zfp.Codec
	size    int // of an item
	kept    exact.Items
	bound   float64 // of errors
	checked bool    // whether the bound, or the items, ask for it
	decoded []byte
}

func (e *zfpEncoder) Encode(dst, src []byte) (int, error) {
	if e.kept.In(src) {
		return 0, nil
	}

	n := e.codec.Encode(dst, src)
	if n == 0 || !e.checked {
		return n, nil
	}

	// zfp's own bound does not hold where the numbers of a cell differ too much for the precision
	// of their type, so that the block is decoded again.
	if len(e.decoded) != len(src) {
		e.decoded = make([]byte, len(src))
	}
	if err := e.codec.Decode(e.decoded, dst[:n]); err != nil {
		return 0, err
	}
	if e.kept.In(e.decoded) || !exact.Within(e.decoded, src, e.size, e.bound) {
		return 0, nil
	}
	return n, nil
}
