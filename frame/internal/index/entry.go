package index

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

// A negative index entry stands for a chunk without stored bytes. Its top byte has bit 7 and a bit
// for the kind; readers test these in the order zeros, uninit, NaN. The other bytes are zero, and
// readers ignore them (docs/format/frame.md).
const (
	specialBit = 1 << 7
	zerosBit   = 1 << 0
	nanBit     = 1 << 1
	uninitBit  = 1 << 2

	kindShift = 56
)

// Kind returns the kind of a negative entry, or an error if it is unknown.
func Kind(entry int64) (chunk.Special, error) {
	switch top := uint8(uint64(entry) >> kindShift); {
	case top&zerosBit != 0:
		return chunk.SpecialZeros, nil
	case top&uninitBit != 0:
		return chunk.SpecialUninit, nil
	case top&nanBit != 0:
		return chunk.SpecialNaN, nil
	}
	return chunk.SpecialNone, cairn.Corruptf("index entry", -1, "%#x is no special chunk", uint64(entry))
}

// Special returns the entry for chunks of a kind; ok is false for kinds that must be stored.
func Special(kind chunk.Special) (entry int64, ok bool) {
	bits := uint64(specialBit)
	switch kind {
	case chunk.SpecialZeros:
		bits |= zerosBit
	case chunk.SpecialNaN:
		bits |= nanBit
	case chunk.SpecialUninit:
		bits |= uninitBit
	default:
		return 0, false
	}
	return int64(bits << kindShift), true
}
