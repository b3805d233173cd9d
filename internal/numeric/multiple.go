package numeric

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// A making says how multiples are made of integers (format: numbers).
type making uint8

const (
	divided  making = 1 << iota // by the scale; otherwise they are multiplied by it
	moved                       // by an offset
	adjusted                    // by units of the last place, which follow the integers
	single                      // doubles that have single precision

	knownMaking = divided | moved | adjusted | single
)

func (m making) has(flag making) bool { return m&flag != 0 }

// A multiple is the parameter of multiples.
type multiple struct {
	making making
	scale  float64 // positive
	offset float64 // without one, the zero that changes nothing
}

// noOffset changes nothing that it is added to, not even the sign of a zero.
var noOffset = math.Copysign(0, -1)

// singleLack is how many bits of the mantissa numbers of single precision lack.
const singleLack = 52 - 23

// lacks returns how many of the lowest bits items have not.
func (m *multiple) lacks() uint {
	if m.making.has(single) {
		return singleLack
	}
	return 0
}

// append appends the parameter.
func (m *multiple) append(dst []byte) []byte {
	dst = append(dst, uint8(m.making))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(m.scale))
	if m.making.has(moved) {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(m.offset))
	}
	return dst
}

// read reads the parameter of items of a size.
func (m *multiple) read(r *reader, size int) error {
	m.making = making(r.byte())
	if m.making&^knownMaking != 0 || m.making.has(single) && size < 8 {
		return corrupt("multiples of kind %d", m.making)
	}

	m.scale = math.Float64frombits(r.little(8))
	m.offset = noOffset
	if m.making.has(moved) {
		m.offset = math.Float64frombits(r.little(8))
	}
	if r.err != nil {
		return r.err
	}
	if !(m.scale > 0) || math.IsInf(m.scale, 1) || math.IsNaN(m.offset) || math.IsInf(m.offset, 0) {
		return corrupt("multiples of %v plus %v", m.scale, m.offset)
	}
	return nil
}

// toMultiples writes the integers of items, and what items are more than what is made of these. It
// appends to odd the places of those that have none, or of which the latter may not be coded.
func toMultiples[L pcodec.Latent](m *multiple, whole, adjust, items []L, first L, odd []int32) []int32 {
	t := *m // stays in registers
	by := 1 / t.scale
	divided := t.making.has(divided)
	if divided {
		by = t.scale
	}
	limit := float64(int64(1) << min(53, widthOf[L]()-1))
	lacks := t.lacks()
	most := L(0)
	adjusting := t.making.has(adjusted)
	if adjusting {
		most = 1 << (widthOf[L]() / 2)
		adjust = adjust[:len(items)]
	}

	whole = whole[:len(items)]
	for i, x := range items {
		// Integers have no negative zero.
		f := math.RoundToEven(float64(floatOf(x)-t.offset)*by) + 0
		made := f
		if divided {
			made /= t.scale
		} else {
			made *= t.scale
		}
		made = float64(made) + t.offset
		if lacks > 0 {
			made = float64(float32(made))
		}
		rest := x - itemOf[L](made)

		// The first is false for NaN, too.
		ok := f > -limit && f < limit && rest&(1<<lacks-1) == 0
		rest = L(signed(rest) >> lacks)
		if !ok {
			f = 0
			rest = 0
		}
		if !ok || rest+most > 2*most {
			odd = append(odd, int32(i))
			rest = 0
		}
		whole[i] = L(int64(f)) - first
		if adjusting {
			adjust[i] = rest
		}
	}
	return odd
}

// surely returns the bits that multiples take which take about size, with those that are odd. By as
// much as others may take less, they are better for these.
func (c *chooser[L]) surely(h *header, size float64) float64 {
	odd := 0
	for _, at := range c.odd {
		if int(at) < len(c.places) && !isAny(c.corners[at], c.special) {
			odd++
		}
	}
	worth := worthMultiples
	if fraction, _ := math.Frexp(h.multiple.scale); fraction == 0.5 {
		worth = worthBinary
	}
	return float64(size*(1+worth)) + float64(odd*(int(widthOf[L]())+placeBits))
}

const (
	worthMultiples = 0.05 // the share of bits that they must save, as bins suit others better
	worthBinary    = 0.12 // that of multiples of a power of two, which others may be, too
	placeBits      = 12   // of an odd item: where it is
)
