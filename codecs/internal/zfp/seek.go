package zfp

import (
	cairn "github.com/cairn-go/cairn"
)

// DecodeRange fills dst[lo:hi] with those bytes of the decoded block; the rest of dst, which may
// end at hi, is undefined afterwards. If all cells have the same number of bits, it decodes only
// the cells that contain some of these bytes.
func (c *Codec) DecodeRange(dst, src []byte, lo, hi int) error {
	if n := c.size(); lo < 0 || lo > hi || hi > len(dst) || len(dst) > n {
		return cairn.Corruptf(layer, -1, "bytes %d to %d of %d, of a block whose shape says %d", lo, hi, len(dst), n)
	}
	switch {
	case c.single != nil && c.single.bounds.padded:
		return c.single.decodeRange(dst, src, lo, hi)
	case c.double != nil && c.double.bounds.padded:
		return c.double.decodeRange(dst, src, lo, hi)
	}
	return c.decode(dst[:hi], src)
}

// decodeRange decodes the cells that contain bytes [lo, hi) of the block. All cells must have the
// same number of bits.
func (m *machine[I]) decodeRange(dst, src []byte, lo, hi int) error {
	if lo == hi {
		return nil
	}

	f := &m.field
	bits := m.bounds.bits
	top := f.dims - 1
	// of the cells that are adjacent in all but the slowest dimension
	layerBytes := side * f.stride[top]

	p := f.first()
	p.start[top] = lo / layerBytes * side
	p.at = lo / layerBytes * layerBytes
	f.measure(&p)

	index := lo / layerBytes
	for i := range top {
		index *= (f.extent[i] + side - 1) / side
	}

	for more := true; more && p.at < hi; more = f.next(&p) {
		if f.touches(&p, lo, hi) {
			if err := m.decodeAt(src, int64(index)*int64(bits)); err != nil {
				return err
			}
			m.scatter(dst, &p)
		}
		index++
	}
	return nil
}

// decodeAt decodes the cell that begins at a bit of the stream. Only the cell is copied to memory
// that extends beyond its end.
func (m *machine[I]) decodeAt(src []byte, bit int64) error {
	if bit+int64(m.bounds.bits) > 8*int64(len(src)) {
		return cairn.Corruptf(layer, int64(len(src)), "the stream ends within a cell")
	}

	begin := int(bit / 8)
	n := min(len(src)-begin, m.bounds.bits/8+2)
	in := m.reserve(n)
	clear(in[copy(in, src[begin:begin+n]):])
	m.decodeCell(&bitReader{in: in, at: uint(bit % 8)})
	return nil
}

// touches reports whether a cell contains some of the bytes [lo, hi) of its block.
func (f *field) touches(p *place, lo, hi int) bool {
	row := p.count[0] * f.typeSize
	for l := range p.count[3] {
		for k := range p.count[2] {
			for j := range p.count[1] {
				at := p.at + l*f.stride[3] + k*f.stride[2] + j*f.stride[1]
				if at < hi && at+row > lo {
					return true
				}
			}
		}
	}
	return false
}
