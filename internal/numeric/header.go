package numeric

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// append appends the header of a stream of items of a size.
func (h *header) append(dst []byte, size int) []byte {
	dst = append(dst, uint8(bits.TrailingZeros(uint(size)))|uint8(h.mode)<<4)
	switch h.mode {
	case integers:
		dst = binary.AppendUvarint(dst, h.step)
	case floats:
		dst = append(dst, uint8(h.shift))
	case decimals:
		dst = append(dst, uint8(int8(h.places)))
	case multiples:
		dst = h.multiple.append(dst)
	}

	dst = append(dst, uint8(len(h.shape)))
	for i, n := range h.shape {
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = binary.AppendUvarint(dst, uint64(h.used[i]))
	}
	dst = append(dst, uint8(len(h.passes)))
	for _, axis := range h.passes {
		dst = append(dst, uint8(axis))
	}

	var first [8]byte
	binary.LittleEndian.PutUint64(first[:], h.first)
	return append(dst, first[:size]...)
}

// A reader reads the parts of a stream that are not runs. After an error it returns zeros.
type reader struct {
	src []byte
	err error
}

func (r *reader) byte() int {
	if len(r.src) == 0 {
		r.fail()
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return int(b)
}

func (r *reader) varint() uint64 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

// little reads an integer of some bytes, the lowest first.
func (r *reader) little(size int) uint64 {
	if len(r.src) < size {
		r.fail()
		return 0
	}
	v := uint64(0)
	for i, b := range r.src[:size] {
		v |= uint64(b) << (8 * i)
	}
	r.src = r.src[size:]
	return v
}

func (r *reader) fail() {
	r.src = nil
	if r.err == nil {
		r.err = corrupt("it ends too early")
	}
}

// sizeOf returns the size of the items of a stream, or 0.
func sizeOf(src []byte) int {
	if len(src) == 0 {
		return 0
	}
	if log := src[0] & 15; log <= 3 {
		return 1 << log
	}
	return 0
}

// read reads the header of a block of items of a size.
func (h *header) read(r *reader, size int) error {
	h.mode = mode(r.byte() >> 4)
	width := uint(8 * size)
	switch h.mode {
	case integers:
		h.step = r.varint()
	case floats:
		h.shift = uint(r.byte())
		if h.shift >= width || size == 1 {
			return corrupt("numbers of %d bits without the lowest %d", width, h.shift)
		}
	case decimals:
		h.places = int(int8(r.byte()))
		if size < 4 || h.places < -maxDecimal || h.places > maxDecimal {
			return corrupt("numbers of %d bits with %d decimal places", width, h.places)
		}
	case multiples:
		if size < 4 {
			return corrupt("numbers of %d bits that are multiples", width)
		}
		if err := h.multiple.read(r, size); err != nil {
			return err
		}
	default:
		return corrupt("unknown mode %d", h.mode)
	}

	if err := h.readShape(r); err != nil {
		return err
	}

	passes := r.byte()
	if passes > maxPasses {
		return corrupt("differences %d times", passes)
	}
	h.passes = h.passes[:0]
	for range passes {
		axis := r.byte()
		if axis >= len(h.shape) {
			return corrupt("differences along axis %d of %d", axis, len(h.shape))
		}
		h.passes = append(h.passes, axis)
	}
	h.first = r.little(size)
	return r.err
}

// readShape reads the shape of a block.
func (h *header) readShape(r *reader) error {
	rank := r.byte()
	if rank > maxRank {
		return corrupt("%d dimensions", rank)
	}

	h.shape = h.shape[:0]
	h.used = h.used[:0]
	total := uint64(1)
	for range rank {
		length := r.varint()
		used := r.varint()
		if length > math.MaxInt32 || used > length {
			return corrupt("%d of %d items along an axis are in use", used, length)
		}
		total *= length
		if total > math.MaxInt32 {
			return corrupt("more items than there can be")
		}
		h.shape = append(h.shape, int(length))
		h.used = append(h.used, int(used))
	}
	return r.err
}
