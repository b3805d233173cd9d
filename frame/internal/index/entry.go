package index

import "github.com/cairn-go/cairn/chunk"

// A negative index entry stands for a chunk without bytes. Its top byte has bit 7 and a bit for the
// kind; readers test these in the order zeros, uninit, NaN. The other bytes are zero, and not
// looked at (docs/format/frame.md).
const (
	specialBit = 1 << 7
	zerosBit   = 1 << 0
	nanBit     = 1 << 1
	uninitBit  = 1 << 2

	kindShift = 56
)

// Kind returns what a negative entry stands for; ok is false if that is nothing known.
func Kind(entry int64) (kind chunk.Special, ok bool) {
	switch top := uint8(uint64(entry) >> kindShift); {
	case top&zerosBit != 0:
		return chunk.SpecialZeros, true
	case top&uninitBit != 0:
		return chunk.SpecialUninit, true
	case top&nanBit != 0:
		return chunk.SpecialNaN, true
	}
	return chunk.SpecialNone, false
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
