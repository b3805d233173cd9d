package main

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// Kinds of rare cases.
const (
	rareIntTrunc   = "int_trunc"
	rareTruncPrec  = "trunc_prec"
	rareUserCodec  = "user codec"
	rareUserFilter = "user filter"
	rareVariable   = "chunks of varying size"
	rareValue      = "one value"
	rareUninit     = "no value"
	rareBlosc1     = "chunks of Blosc1"
	rareWide       = "items of more than 255 bytes"
	rareMeta       = "fixed metalayers"
	rareNDLZ       = "ndlz"
	rareDelta      = "delta in an array"
)

var rareKinds = []string{rareIntTrunc, rareTruncPrec, rareUserCodec, rareUserFilter, rareVariable, rareValue, rareUninit, rareBlosc1, rareWide, rareMeta, rareNDLZ, rareDelta}

// drawRare gives the case a feature that other cases have rarely or never. Parameters of filters
// stay below 128, because Python cannot open files with larger ones, such as those that count the
// bits to clear.
func (s *spec) drawRare(rng *rand.Rand) {
	s.rng = rng
	s.rare = rareKinds[rng.IntN(len(rareKinds))]
	s.vlmeta = map[string]any{}
	if s.array = s.rare == rareNDLZ || s.rare == rareDelta; s.array {
		s.drawRareArray()
		return
	}

	s.typeSize = []int{1, 2, 4, 8, 3, 12, 255}[rng.IntN(7)]
	p := &s.params
	p.Codec = []uint8{0, 1, 2, 4, 5}[rng.IntN(5)]
	p.Level = rng.IntN(10)
	p.Split = 1 + rng.IntN(4)
	p.Filters = [][]filter{{}, {{ID: 1}}, {{ID: 2}}}[rng.IntN(3)]

	switch s.rare {
	case rareIntTrunc:
		s.typeSize = []int{1, 2, 4, 8}[rng.IntN(4)]
		bits := 1 + rng.IntN(8*s.typeSize-1)
		p.Filters = [][]filter{{{ID: 36, Meta: uint8(bits)}}, {{ID: 36, Meta: uint8(bits)}, {ID: 1}}}[rng.IntN(2)]
	case rareTruncPrec:
		s.typeSize = []int{4, 8}[rng.IntN(2)]
		bits := 1 + rng.IntN(22)
		p.Filters = [][]filter{{{ID: 4, Meta: uint8(bits)}, {ID: 1}}, {{ID: 4, Meta: uint8(bits)}}}[rng.IntN(2)]
	case rareUserCodec:
		p.Codec = userCodecID
		p.CodecMeta = uint8(rng.IntN(200))
		p.Level = max(1, p.Level)
	case rareUserFilter:
		p.Filters = [][]filter{{{ID: userFilterID, Meta: uint8(1 + rng.IntN(127))}}, {{ID: userFilterID, Meta: 7}, {ID: 1}}}[rng.IntN(2)]
	case rareWide:
		s.typeSize = []int{256, 300, 511, 1000}[rng.IntN(4)]
	case rareBlosc1:
		p.Codec = []uint8{0, 1, 4, 5}[rng.IntN(4)]
		p.Split = 3
		p.Filters = [][]filter{{}, {{ID: 1}}, {{ID: 2}}}[rng.IntN(3)]
	case rareValue, rareUninit:
		s.fill = map[string]string{rareValue: "value", rareUninit: "uninit"}[s.rare]
	case rareMeta:
		s.meta = s.drawVLMeta()
		s.meta["always"] = []any{1, "two", nil}
	}

	s.chunkSize = s.typeSize * (1 + rng.IntN(max(6000/s.typeSize, 4)))
}

// drawRareArray draws a two-dimensional array of bytes with NDLZ, or an array with delta.
func (s *spec) drawRareArray() {
	s.dtype = "|u1"
	s.typeSize = 1
	dims := 2
	least := int64(8)

	p := &s.params
	p.Level = 1 + s.rng.IntN(9)
	p.Split = 1 + s.rng.IntN(4)
	p.Filters = []filter{}
	if s.rare == rareNDLZ {
		p.Codec = codecs.NDLZ(4).ID()
		p.CodecMeta = uint8(4 + 4*s.rng.IntN(2))
	} else {
		d := dtypes[s.rng.IntN(9)]
		s.dtype = d.name
		s.typeSize = d.size
		dims = 1 + s.rng.IntN(3)
		least = 2
		p.Codec = []uint8{0, 1, 2, 4, 5}[s.rng.IntN(5)]
		p.Filters = [][]filter{{{ID: 3}}, {{ID: 3}, {ID: 1}}, {{ID: 3}, {ID: 2}}}[s.rng.IntN(3)]
	}

	most := []int64{3000, 70, 20}[dims-1]
	for range dims {
		shape := least + s.rng.Int64N(most)
		chunks := least + s.rng.Int64N(shape-least+1)
		s.shape = append(s.shape, shape)
		s.chunks = append(s.chunks, chunks)
		s.block = append(s.block, least+s.rng.Int64N(chunks-least+1))
	}

	for cells(s.shape, s.chunks) > 40 {
		i := s.rng.IntN(dims)
		s.chunks[i] = min(s.chunks[i]*2, s.shape[i])
	}
}

// differ compares bytes, except for bits that a filter may have cleared. Chunks that are stored
// uncompressed still have them.
func (c *rareCase) differ(got, want []byte) string {
	for _, f := range c.params.Filters {
		all := map[uint8]int{4: 23, 36: 8 * c.typeSize}[f.ID]
		if f.ID == 4 && c.typeSize == 8 {
			all = 52
		}
		if drop := all - int(f.Meta); all > 0 {
			return dense.Differ(cleared(got, c.typeSize, drop), cleared(want, c.typeSize, drop))
		}
	}
	return dense.Differ(got, want)
}

// cleared returns items without their lowest bits.
func cleared(b []byte, size, drop int) []byte {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], ^uint64(0)<<drop)
	out := slices.Clone(b)
	for i := range out {
		out[i] &= wide[i%size]
	}
	return out
}
