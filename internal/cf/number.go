package cf

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn/meta"
)

// A Number is one of an attribute, or the item that such a one stands for. Integers are exact.
type Number struct {
	Float float64 // rounded, if it is an integer of more than 53 bits
	bits  uint64  // of an integer, in two's complement
	whole bool    // an integer
	short bool    // a float32
}

// NumberOf returns the number that is the value of an attribute, or false if that is none.
func NumberOf(v any) (Number, bool) {
	switch v := v.(type) {
	case int64:
		return Number{Float: float64(v), bits: uint64(v), whole: true}, true
	case uint64:
		return Number{Float: float64(v), bits: v, whole: true}, true
	case float32:
		return Number{Float: float64(v), short: true}, true
	case float64:
		return Number{Float: v}, true
	}
	return Number{}, false
}

// Equal reports whether two numbers are the same, of whatever type. A NaN equals a NaN.
func (n Number) Equal(o Number) bool {
	if n.whole && o.whole {
		return n.bits == o.bits && n.negative() == o.negative()
	}
	return n.Float == o.Float || math.IsNaN(n.Float) && math.IsNaN(o.Float)
}

// Int returns an integer in two's complement, and false if the number is none.
func (n Number) Int() (bits uint64, negative, ok bool) { return n.bits, n.negative(), n.whole }

func (n Number) negative() bool { return n.whole && n.Float < 0 }

// Value returns the number as an attribute has it: an int64, a uint64 or a float64.
func (n Number) Value() any {
	switch {
	case !n.whole:
		return n.Float
	case n.negative() || n.bits <= math.MaxInt64:
		return int64(n.bits)
	}
	return n.bits
}

// String writes a number with the fewest digits.
func (n Number) String() string {
	switch v := n.Value().(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	}
	return shortest(n.Float)
}

// Integer returns a float that is an integer as one.
func (n Number) Integer() Number {
	if n.whole || n.Float != math.Trunc(n.Float) || n.Float < -1<<63 || n.Float >= 1<<64 {
		return n
	}
	bits := uint64(max(n.Float, 0))
	if n.Float < 0 {
		bits = uint64(int64(n.Float))
	}
	return Number{Float: n.Float, bits: bits, whole: true}
}

// withSign returns an integer as items of a dtype have it whose bits are those of the other sign.
func (n Number) withSign(d meta.DType) Number {
	span := uint64(1) << (8*d.Size() - 1) << 1 // 0 for 64 bits
	switch {
	case !n.whole:
	case d.Kind() == 'u' && n.negative():
		n.bits += span
		n.Float = float64(n.bits)
	case d.Kind() == 'i' && !n.negative() && n.bits >= 1<<(8*d.Size()-1):
		n.bits -= span
		n.Float = float64(int64(n.bits))
	}
	return n
}

// drop makes the values of items that are the number NaN. values are those items as floats, which
// tell integers of 64 bits apart up to 53.
func (n Number) drop(values []float64, items []byte, d meta.DType) {
	const mostExact = 1 << 53
	if !n.whole || d.Size() < 8 || math.Abs(n.Float) < mostExact {
		for i, v := range values {
			if v == n.Float {
				values[i] = math.NaN()
			}
		}
		return
	}
	if n.negative() != (d.Kind() == 'i' && int64(n.bits) < 0) {
		return // no item is that large
	}

	order := binary.ByteOrder(binary.LittleEndian)
	if d.BigEndian() {
		order = binary.BigEndian
	}
	for i := range values {
		if order.Uint64(items[8*i:]) == n.bits {
			values[i] = math.NaN()
		}
	}
}

// sameNumbers reports whether two lists have the same numbers, in any order.
func sameNumbers(a, b []Number) bool {
	within := func(a, b []Number) bool {
		return !slices.ContainsFunc(a, func(n Number) bool { return !slices.ContainsFunc(b, n.Equal) })
	}
	return within(a, b) && within(b, a)
}
