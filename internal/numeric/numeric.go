// Package numeric codes blocks of numbers of 1, 2, 4 or 8 bytes, losing nothing: it turns them into
// integers, these into differences along some of the axes of a block, and the differences into bins
// as Pcodec has them. What does not fit, such as missing values, is coded apart.
//
// A stream states all that decoding needs but its length. Its format is in docs/format/numeric.md.
package numeric

import (
	"math/bits"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// layer is the name of the format in errors.
const layer = "numeric stream"

func corrupt(format string, args ...any) error { return cairn.Corruptf(layer, -1, format, args...) }

// A mode is how numbers are made of integers (format: numbers).
type mode uint8

const (
	integers  mode = iota // first plus a multiple of the step
	floats                // in the order of floating-point numbers, without low bits that are zero
	decimals              // floating-point numbers nearest to an integer divided by a power of ten
	multiples             // of any floating-point number, from any one on, or nearly
)

// The limits of what streams may state.
const (
	maxRank    = 8
	maxPasses  = 16
	maxSpecial = 16
	maxClasses = 16
	minSegment = 3 // logarithms
	maxSegment = 12
	maxDecimal = 22 // powers of ten that are exact
)

// header is what precedes the runs of a stream.
type header struct {
	mode     mode
	step     uint64 // of integers
	shift    uint   // low bits that floats lack
	places   int    // of decimals
	multiple multiple
	shape    []int // of the block
	used     []int // what is beyond these lengths is zero
	passes   []int // axes along which integers are differences of their neighbors
	first    uint64
}

// adjusted reports whether something is added to the items that integers make.
func (h *header) adjusted() bool {
	return h.mode == multiples && h.multiple.making.has(adjusted)
}

// count returns the product of lengths.
func count(lengths []int) int {
	n := 1
	for _, l := range lengths {
		n *= l
	}
	return n
}

// widthOf returns the bits of a type.
func widthOf[L pcodec.Latent]() uint { return uint(bits.Len64(uint64(^L(0)))) }

// middle returns the latent of differences that are zero.
func middle[L pcodec.Latent]() L { return ^(^L(0) >> 1) }
