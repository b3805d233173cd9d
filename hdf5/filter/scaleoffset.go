package filter

import (
	"encoding/binary"
	"math"
	"slices"
)

// Scale-offset (filter 6) stores the difference of each number from the least one, in as few bits
// as the largest difference takes:
//
//	0   u32   bits of a difference
//	4   u8    bytes of the least number: 8
//	5   u64   the least number: an integer, or the bits of a float
//	13        8 bytes that mean nothing
//	21        the differences, most significant bit first
//
// As many bits as a number has mean that the numbers follow, least significant byte first. If the
// dataset has a fill value, a difference whose bits are all set stands for it. Floats were
// multiplied by a power of ten, and rounded, before. (Source: behaviour of the HDF5 library, as in
// H5Zscaleoffset.c.)

// Parameters of scale-offset.
const (
	scaleKind   = iota // 0 floats with a decimal factor, 1 floats with a binary one, 2 integers
	scaleFactor        // decimal digits to keep, or bits: 0 means as many as it takes
	scaleItems
	scaleClass // 0 integer, 1 float
	scaleBytes // of a number
	scaleSign  // 1 if signed
	scaleOrder // 1 if big endian
	scaleFill  // 1 if there is a fill value, in the parameters that follow
	scaleFillLow
	scaleFillHigh

	scaleParams = 20 // number of parameters
	scaleHead   = 21 // bytes before the differences
)

func scaleCheck(f Filter) error {
	if len(f.Params) != scaleParams {
		return corrupt(f.ID, "%d parameters, want %d", len(f.Params), scaleParams)
	}
	size := f.Params[scaleBytes]
	float := f.Params[scaleClass] == 1

	switch {
	case size != 1 && size != 2 && size != 4 && size != 8 || float && size < 4 || f.Params[scaleClass] > 1:
		return corrupt(f.ID, "numbers of class %d with %d bytes", f.Params[scaleClass], size)
	case float && f.Params[scaleKind] == 1:
		return unsupported(f, "with a binary factor cannot be decoded")
	case float != (f.Params[scaleKind] == 0) || !float && f.Params[scaleKind] != 2:
		return corrupt(f.ID, "kind %d with numbers of class %d", f.Params[scaleKind], f.Params[scaleClass])
	case !float && int32(f.Params[scaleFactor]) > int32(8*size):
		return corrupt(f.ID, "%d bits of numbers of %d bytes", f.Params[scaleFactor], size)
	}
	return nil
}

// scaleNothing reports whether the filter does nothing: it was asked to keep all bits.
func scaleNothing(f Filter) bool {
	return f.Params[scaleKind] == 2 && f.Params[scaleFactor] == 8*f.Params[scaleBytes]
}

func scaleSize(f Filter, src []byte, _ int) (int, error) {
	if scaleNothing(f) {
		return len(src), nil
	}
	return int(min(int64(f.Params[scaleItems])*int64(f.Params[scaleBytes]), math.MaxInt32)), nil
}

func scaleDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if scaleNothing(f) {
		return asItIs(nil, f, dst, src)
	}

	size := int(f.Params[scaleBytes])
	if int64(f.Params[scaleItems])*int64(size) != int64(len(dst)) {
		return nil, corrupt(f.ID, "%d numbers of %d bytes, want %d bytes", f.Params[scaleItems], size, len(dst))
	}
	if len(src) < scaleHead {
		return nil, corrupt(f.ID, "%d bytes, less than a header", len(src))
	}

	bits := binary.LittleEndian.Uint32(src)
	items := len(dst) / size
	if int64(bits) > int64(8*size) || int64(items)*int64(bits) > 8*int64(len(src)-scaleHead) {
		return nil, corrupt(f.ID, "%d numbers of %d bits in %d bytes", items, bits, len(src))
	}

	s := scale{f: f, bits: uint(bits)}
	for i := range min(int(src[4]), 8) {
		s.least |= uint64(src[5+i]) << (8 * i)
	}

	s.decode(dst, src[scaleHead:], size)
	if f.Params[scaleOrder] == 1 {
		// Reverse the bytes of each item.
		b := dst
		for ; len(b) >= size; b = b[size:] {
			slices.Reverse(b[:size])
		}
	}
	return dst, nil
}

// A scale decodes the numbers of a chunk.
type scale struct {
	f     Filter
	bits  uint
	least uint64
}

// decode makes little-endian numbers of all differences.
func (s *scale) decode(dst, src []byte, size int) {
	if s.bits == uint(8*size) {
		copy(dst, src)
		return
	}
	switch {
	case s.f.Params[scaleClass] == 0:
		s.integers(dst, src, size)
	case size == 4:
		s.floats(dst, src)
	default:
		s.doubles(dst, src)
	}
}

// fill returns the fill value, and the difference that stands for it.
func (s *scale) fill() (value, mark uint64, ok bool) {
	value = uint64(s.f.Params[scaleFillLow]) | uint64(s.f.Params[scaleFillHigh])<<32
	return value, 1<<s.bits - 1, s.f.Params[scaleFill] == 1
}

func (s *scale) integers(dst, src []byte, size int) {
	value, mark, filled := s.fill()
	r := bitReader{src: src}

	for ; len(dst) > 0; dst = dst[size:] {
		d := r.take(s.bits)
		v := d + s.least
		if filled && d == mark {
			v = value
		}

		switch size {
		case 1:
			dst[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(dst, uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(dst, uint32(v))
		default:
			binary.LittleEndian.PutUint64(dst, v)
		}
	}
}

func (s *scale) floats(dst, src []byte) {
	value, mark, filled := s.fill()
	least := math.Float32frombits(uint32(s.least))
	factor := float32(s.factor())
	r := bitReader{src: src}

	for ; len(dst) > 0; dst = dst[4:] {
		d := r.take(s.bits)
		v := math.Float32bits(float32(int32(d))/factor + least)
		if filled && d == mark {
			v = uint32(value)
		}
		binary.LittleEndian.PutUint32(dst, v)
	}
}

func (s *scale) doubles(dst, src []byte) {
	value, mark, filled := s.fill()
	least := math.Float64frombits(s.least)
	factor := s.factor()
	r := bitReader{src: src}

	for ; len(dst) > 0; dst = dst[8:] {
		d := r.take(s.bits)
		v := math.Float64bits(float64(int64(d))/factor + least)
		if filled && d == mark {
			v = value
		}
		binary.LittleEndian.PutUint64(dst, v)
	}
}

// factor returns the power of ten by which floats were multiplied.
func (s *scale) factor() float64 { return math.Pow10(int(int32(s.f.Params[scaleFactor]))) }
