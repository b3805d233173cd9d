package govalue

import (
	"math"

	"github.com/cairn-go/cairn/meta"
)

// A Number says how items are read and written as numbers of up to 8 bytes.
type Number struct {
	// 'u' for unsigned integers and bools, 'i' for others and for dates, 'f' for floats
	Kind      byte
	Size      int
	BigEndian bool
}

// NumberOf returns how the items of a dtype are read and written, or false if they are no such
// numbers.
func NumberOf(d meta.DType) (Number, bool) {
	n := Number{d.Kind(), d.Size(), d.BigEndian()}
	switch n.Kind {
	case 'b':
		n.Kind = 'u'
	case 'M', 'm':
		n.Kind = 'i'
	case 'i', 'u', 'f':
	default:
		return n, false
	}

	switch n.Size {
	case 1:
		return n, n.Kind != 'f'
	case 2, 4, 8:
		return n, true
	}
	return n, false
}

// IsFloat reports whether the items are floats.
func (n Number) IsFloat() bool { return n.Kind == 'f' }

// Bits returns the bits of an item.
func (n Number) Bits(raw []byte) uint64 {
	order := byteOrder(n.BigEndian)
	switch n.Size {
	case 1:
		return uint64(raw[0])
	case 2:
		return uint64(order.Uint16(raw))
	case 4:
		return uint64(order.Uint32(raw))
	}
	return order.Uint64(raw)
}

// Int returns an integer, extended to 64 bits with its sign, if it has one.
func (n Number) Int(raw []byte) int64 {
	bits := int64(n.Bits(raw))
	if shift := 64 - 8*n.Size; n.Kind == 'i' {
		return bits << shift >> shift
	}
	return bits
}

// Float returns an item as a float.
func (n Number) Float(raw []byte) float64 {
	switch {
	case n.Kind == 'u':
		return float64(n.Bits(raw))
	case n.Kind == 'i':
		return float64(n.Int(raw))
	case n.Size == 2:
		return float64(WidenFloat16(uint16(n.Bits(raw))))
	case n.Size == 4:
		return float64(math.Float32frombits(uint32(n.Bits(raw))))
	}
	return math.Float64frombits(n.Bits(raw))
}

// PutBits writes the low bits of an item.
func (n Number) PutBits(raw []byte, bits uint64) {
	order := byteOrder(n.BigEndian)
	switch n.Size {
	case 1:
		raw[0] = byte(bits)
	case 2:
		order.PutUint16(raw, uint16(bits))
	case 4:
		order.PutUint32(raw, uint32(bits))
	default:
		order.PutUint64(raw, bits)
	}
}

// PutFloat writes a float as C does: integers are rounded towards zero.
func (n Number) PutFloat(raw []byte, f float64) {
	switch {
	case n.Kind == 'u' && f >= 1<<63:
		n.PutBits(raw, uint64(f))
	case n.Kind != 'f':
		n.PutBits(raw, uint64(int64(f)))
	case n.Size == 2:
		n.PutBits(raw, uint64(RoundFloat16(f)))
	case n.Size == 4:
		n.PutBits(raw, uint64(math.Float32bits(float32(f))))
	default:
		n.PutBits(raw, math.Float64bits(f))
	}
}
