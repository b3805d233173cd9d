package filtertest

import (
	"bytes"

	"github.com/cairn-go/cairn/shuffle"
)

// A Reference is a straightforward implementation of a filter.
type Reference func(src []byte, meta uint8, ctx *shuffle.Context) []byte

// ReferenceOf returns the reference of a filter, or nil if there is none.
func ReferenceOf(id shuffle.ID) Reference {
	return map[shuffle.ID]Reference{
		shuffle.IDByte:           byteShuffle,
		shuffle.IDBit:            bitShuffle,
		shuffle.IDDelta:          delta,
		shuffle.IDTruncPrec:      truncPrec,
		shuffle.IDIntTrunc:       intTrunc,
		shuffle.IDNDCell:         ndCell,
		shuffle.IDNDMean:         ndMean,
		shuffle.IDByteDelta:      byteDelta,
		shuffle.IDByteDeltaBuggy: byteDeltaBuggy,
	}[id]
}

func byteShuffle(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	size := ctx.TypeSize
	if meta != 0 {
		size = int(meta)
	}

	out := bytes.Clone(src)
	items := len(src) / size
	for at := range items * size {
		out[at%size*items+at/size] = src[at]
	}
	return out
}

func bitShuffle(src []byte, _ uint8, ctx *shuffle.Context) []byte {
	out := bytes.Clone(src)
	items := len(src) / ctx.TypeSize
	if ctx.Version == 2 && items%8 != 0 {
		return out
	}

	items -= items % 8
	clear(out[:items*ctx.TypeSize])
	for at := range items * ctx.TypeSize * 8 { // bit k of byte j of item e, to bit e of row 8*j+k
		e := at / 8 / ctx.TypeSize
		row := at % (8 * ctx.TypeSize)
		out[row*(items/8)+e/8] |= src[at/8] >> (at % 8) & 1 << (e % 8)
	}
	return out
}

func delta(src []byte, _ uint8, ctx *shuffle.Context) []byte {
	word := map[int]int{2: 2, 4: 4}[ctx.TypeSize]
	if word == 0 {
		word = 1
		if ctx.TypeSize%8 == 0 {
			word = 8
		}
	}

	out := bytes.Clone(src)
	for at := range len(src) / word * word {
		if ctx.Ref != nil {
			out[at] = src[at] ^ ctx.Ref[at]
		} else if at >= word {
			out[at] = src[at] ^ src[at-word]
		}
	}
	return out
}

func truncPrec(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	zeroed := -int(int8(meta))
	if zeroed <= 0 {
		zeroed += map[int]int{4: 23, 8: 52}[ctx.TypeSize]
	}
	return zeroLow(src, ctx, zeroed, keptFloat)
}

func intTrunc(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	zeroed := -int(int8(meta))
	if zeroed <= 0 {
		zeroed += 8 * ctx.TypeSize
	}
	return zeroLow(src, ctx, zeroed, keptInteger)
}

// zeroLow zeroes the lowest bits of every item that is not kept and does not become so.
func zeroLow(src []byte, ctx *shuffle.Context, zeroed int, kept func([]byte, []uint64) bool) []byte {
	out := bytes.Clone(src)
	size := ctx.TypeSize
	for at := range len(src) / size * size * 8 {
		if at%(8*size) < zeroed {
			out[at/8] &^= 1 << (at % 8)
		}
	}

	for at := 0; at+size <= len(src); at += size {
		if item := out[at:][:size]; kept(src[at:][:size], ctx.Exact) || kept(item, ctx.Exact) {
			copy(item, src[at:])
		}
	}
	return out
}

func byteDelta(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	return byteDeltaFrom(src, meta, ctx, func(int) bool { return false })
}

func byteDeltaBuggy(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	length := len(src) / planesOf(meta, ctx)
	return byteDeltaFrom(src, meta, ctx, func(i int) bool { return i == length/16*16 })
}

func planesOf(meta uint8, ctx *shuffle.Context) int {
	if meta != 0 {
		return int(meta)
	}
	if ctx.FrameTypeSize != 0 {
		return ctx.FrameTypeSize
	}
	return ctx.TypeSize
}

// byteDeltaFrom is bytedelta where differences restart at each byte i of a plane for which
// starts(i) is true.
func byteDeltaFrom(src []byte, meta uint8, ctx *shuffle.Context, starts func(i int) bool) []byte {
	out := bytes.Clone(src)
	planes := planesOf(meta, ctx)
	length := len(src) / planes
	for at := range planes * length {
		if i := at % length; i > 0 && !starts(i) {
			out[at] = src[at] - src[at-1]
		}
	}
	return out
}
