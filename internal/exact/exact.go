// Package exact knows the items that a lossy codec or filter must not change: NaN, infinities and
// missing values.
package exact

import (
	"encoding/binary"
	"math"
)

// Items are the items of a block that must not change, and that no other item may become. Items are
// little-endian, of 1, 2, 4 or 8 bytes.
type Items struct {
	size     int
	exponent uint64   // the bits of the exponent of a float; 0 for integers
	least    uint64   // floats with this exponent, or a larger one, are kept
	values   []uint64 // further items
}

// Floats returns the NaNs and infinities of floats of 4 or 8 bytes, and further items, as bits.
func Floats(size int, values []uint64) Items {
	k := Items{size: size, exponent: 0xff << 23, values: values}
	if size == 8 {
		k.exponent = 0x7ff << 52
	}
	k.least = k.exponent
	return k
}

// Large returns Floats with the numbers of the largest exponent, which overflow with any error.
func Large(size int, values []uint64) Items {
	k := Floats(size, values)
	k.least -= k.exponent & -k.exponent
	return k
}

// Integers returns items of integers.
func Integers(size int, values []uint64) Items { return Items{size: size, values: values} }

// Has reports whether an item with these bits is kept.
func (k *Items) Has(bits uint64) bool {
	if k.exponent != 0 && bits&k.exponent >= k.least {
		return true
	}
	for _, v := range k.values {
		if v == bits {
			return true
		}
	}
	return false
}

// In reports whether a block has an item that is kept.
func (k *Items) In(block []byte) bool {
	if len(k.values) == 0 && k.exponent != 0 {
		// Look for a float with the least exponent that is kept, or a larger one. There is
		// no branch for each item.
		le := binary.LittleEndian
		most := uint64(0)
		if k.size == 4 {
			exponent := uint32(k.exponent)
			most := uint32(0)
			for ; len(block) >= 4; block = block[4:] {
				most = max(most, le.Uint32(block)&exponent)
			}
			return uint64(most) >= k.least
		}

		for ; len(block) >= 8; block = block[8:] {
			most = max(most, le.Uint64(block)&k.exponent)
		}
		return most >= k.least
	}
	for ; len(block) >= k.size; block = block[k.size:] {
		if k.Has(load(block, k.size)) {
			return true
		}
	}
	return false
}

// Restore copies the items from src to dst, which holds the same block after a loss, that are kept,
// and those that have become one of them.
func (k *Items) Restore(dst, src []byte) {
	if k.exponent == 0 && len(k.values) == 0 {
		return
	}
	for ; len(src) >= k.size && len(dst) >= k.size; dst, src = dst[k.size:], src[k.size:] {
		was := load(src, k.size)
		if k.Has(was) || len(k.values) > 0 && k.Has(load(dst, k.size)) {
			copy(dst[:k.size], src)
		}
	}
}

// Within reports whether floats of 4 or 8 bytes differ from those of another block by at most
// bound. Neither block may contain NaN or infinities.
func Within(a, b []byte, size int, bound float64) bool {
	le := binary.LittleEndian
	most := 0.0
	if size == 4 {
		for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
			d := float64(math.Float32frombits(le.Uint32(a))) - float64(math.Float32frombits(le.Uint32(b)))
			most = max(most, math.Abs(d))
		}
		return most <= bound
	}

	for ; len(a) >= 8 && len(b) >= 8; a, b = a[8:], b[8:] {
		d := math.Float64frombits(le.Uint64(a)) - math.Float64frombits(le.Uint64(b))
		most = max(most, math.Abs(d))
	}
	return most <= bound
}

func load(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
