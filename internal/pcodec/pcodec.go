// Package pcodec reads and writes Pcodec, a format for sequences of numbers, in both forms: the
// standalone one, which the program pco and the codecs pcodec of Zarr write (those of numcodecs and
// of zarrs), and the wrapped one, for formats that have a place of their own for the parts of a
// chunk. No codec of Zarr uses the latter, so nothing here but a [WrappedDecoder] reads it; formats
// for tables do, such as Vortex.
//
// A number is mapped to one or two unsigned integers, its latents, by a mode: as it is, as a
// multiple of some base and a rest, or as an index into a dictionary. Latents may be replaced by
// their difference from a prediction. What is left falls into bins: the number of the bin is coded
// by tANS, and the offset within the bin follows as plain bits.
//
// The facts about the format are from its specification, docs/format.md of the project pcodec, as
// of version 4.1 of the format, and where that is silent from what the library does.
package pcodec

import (
	"math/bits"

	"github.com/cairn-go/cairn"
)

// A Type is a type of numbers. The values are those in files.
type Type uint8

// The types of numbers.
const (
	Uint32 Type = 1 + iota
	Uint64
	Int32
	Int64
	Float32
	Float64
	Uint16
	Int16
	Float16
	Uint8
	Int8
)

// Size returns the bytes of a number, or 0 for a type that does not exist.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8:
		return 1
	case Uint16, Int16, Float16:
		return 2
	case Uint32, Int32, Float32:
		return 4
	case Uint64, Int64, Float64:
		return 8
	}
	return 0
}

// kind is what the bits of a number mean.
type kind uint8

const (
	unsigned kind = iota
	signed
	floating
)

func (t Type) kind() kind {
	switch t {
	case Int8, Int16, Int32, Int64:
		return signed
	case Float16, Float32, Float64:
		return floating
	}
	return unsigned
}

// The highest versions that are known, of the standalone form and of what it wraps.
const (
	standaloneVersion = 3
	majorVersion      = 4
	minorVersion      = 1
)

const (
	magic         = "pco!"
	batch         = 256     // numbers that are coded together
	interleaved   = 4       // tANS states that take turns
	maxChunk      = 1 << 24 // numbers of a chunk
	maxSizeLog    = 14      // log2 of the states of tANS
	maxDeltaOrder = 7
	maxWeights    = 32
)

// layer is the name of the format in errors.
const layer = "pcodec stream"

func corrupt(format string, args ...any) error { return cairn.Corruptf(layer, -1, format, args...) }

// A latent is an unsigned integer of as many bits as the numbers that it stands for.
type latent interface {
	uint8 | uint16 | uint32 | uint64
}

// sizeOf returns the bytes of a latent.
func sizeOf[L latent]() int { return bits.Len64(uint64(^L(0))) / 8 }

// middle returns the latent that zero of signed and floating numbers has.
func middle[L latent]() L { return ^(^L(0) >> 1) }
