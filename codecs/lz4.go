package codecs

import (
	"github.com/pierrec/lz4/v4"

	fastlz4 "github.com/cairn-go/cairn/codecs/lz4"
)

// An lz4Encoder makes raw LZ4 blocks, the same bytes as the reference implementation's fast mode.
type lz4Encoder struct{ e *fastlz4.Encoder }

// newLZ4Encoder maps level 9 to acceleration 1 and every level below to one more, as C-Blosc2 does.
func newLZ4Encoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("lz4", "encoding", p); err != nil {
		return nil, err
	}
	return lz4Encoder{fastlz4.NewEncoder(10 - p.Level)}, nil
}

// Encode implements [Encoder].
func (e lz4Encoder) Encode(dst, src []byte) (int, error) { return e.e.Encode(dst, src), nil }

// An lz4hcEncoder makes raw LZ4 blocks with a deeper search.
type lz4hcEncoder struct {
	c       lz4.CompressorHC
	scratch []byte
}

// lz4hcDepth is how many earlier positions the match finder looks at, by level. It takes the first good match where the
// reference implementation weighs several, so it has to look further for streams of the same size.
var lz4hcDepth = [10]lz4.CompressionLevel{8, 8, 16, 256, 512, 1024, 2048, 2048, 4096, 4096}

func newLZ4HCEncoder(p Params) (Encoder, error) {
	if err := checkLevel(p.Level); err != nil {
		return nil, err
	}
	if err := noDict("lz4hc", "encoding", p); err != nil {
		return nil, err
	}
	e := new(lz4hcEncoder)
	e.c.Level = lz4hcDepth[p.Level]
	return e, nil
}

// Encode implements [Encoder]. With less room than the worst case needs the library gives up early and its output
// depends on the room, so such calls go through scratch memory.
func (e *lz4hcEncoder) Encode(dst, src []byte) (int, error) {
	bound := lz4.CompressBlockBound(len(src))
	if len(dst) >= bound {
		return e.c.CompressBlock(src, dst)
	}
	out := scratchFor(&e.scratch, bound)
	n, err := e.c.CompressBlock(src, out)
	if err != nil {
		return 0, err
	}
	return copyIfFits(dst, out[:n]), nil
}

// An lz4Decoder decodes raw LZ4 blocks, with dict as history before the first byte.
type lz4Decoder struct {
	dict []byte
}

func newLZ4Decoder(p Params) (Decoder, error) {
	return &lz4Decoder{dict: p.Dict}, nil
}

// Decode implements [Decoder].
func (d *lz4Decoder) Decode(dst, src []byte) error { return fastlz4.Decode(dst, src, d.dict) }
