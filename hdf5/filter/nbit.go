package filter

import (
	"math"
)

// NBit (filter 5) leaves out the bits of numbers that their type does not use. The parameters
// describe the type:
//
//	0   number of parameters
//	1   1 if there is nothing to leave out
//	2   number of items
//	3   the type: its class, and what belongs to it
//
//	1 number     size in bytes, 1 if big endian, precision and offset in bits
//	2 array      size, then the type of its elements
//	3 compound   size, number of members, and for each the offset in bytes and the type
//	4 other      size; all bits are stored
//
// The bits of an item follow those of the one before, most significant first. (Source: behaviour of
// the HDF5 library, as in H5Znbit.c.)

// Classes of types in the parameters of nbit.
const (
	nbitNumber = iota + 1
	nbitArray
	nbitCompound
	nbitOther

	nbitFirst = 3  // parameter where the type begins
	nbitDeep  = 32 // most types within each other
)

// An nbitType is a type as the parameters describe it.
type nbitType struct {
	size              int64 // in bytes
	bits              int64 // that are stored
	numbers           bool  // a number
	bigEndian         bool
	precision, offset int64
	count             int64 // elements of an array
	parts             []nbitPart
}

// An nbitPart is a member of a compound, or the elements of an array.
type nbitPart struct {
	offset int64
	nbitType
}

// An nbitParser reads the parameters.
type nbitParser struct {
	f    Filter
	rest []uint32
	deep int
}

func (p *nbitParser) next() (int64, error) {
	if len(p.rest) == 0 {
		return 0, corrupt(p.f.ID, "parameters end within a type")
	}
	v := p.rest[0]
	p.rest = p.rest[1:]
	return int64(v), nil
}

// all reads as many parameters as there are places.
func (p *nbitParser) all(to ...*int64) (err error) {
	for _, v := range to {
		if *v, err = p.next(); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a type.
func (p *nbitParser) parse() (t nbitType, err error) {
	var class int64
	if err = p.all(&class, &t.size); err != nil {
		return t, err
	}

	if p.deep++; p.deep > nbitDeep || t.size == 0 {
		return t, corrupt(p.f.ID, "type of %d bytes, %d levels deep", t.size, p.deep)
	}
	defer func() { p.deep-- }()

	switch class {
	case nbitNumber:
		err = p.number(&t)
	case nbitArray:
		var of nbitType
		if of, err = p.parse(); err != nil {
			return t, err
		}
		t.count = t.size / of.size
		t.parts = []nbitPart{{0, of}}
		t.bits = t.count * of.bits
	case nbitCompound:
		err = p.compound(&t)
	case nbitOther:
		t.bits = 8 * t.size
	default:
		err = corrupt(p.f.ID, "type of class %d", class)
	}

	if err == nil && t.bits == 0 {
		err = corrupt(p.f.ID, "type of %d bytes without a bit", t.size)
	}
	return t, err
}

func (p *nbitParser) number(t *nbitType) error {
	var order int64
	err := p.all(&order, &t.precision, &t.offset)
	if err == nil && (t.precision == 0 || t.precision+t.offset > 8*t.size) {
		err = corrupt(p.f.ID, "%d bits from bit %d in numbers of %d bytes", t.precision, t.offset, t.size)
	}

	t.numbers = true
	t.bigEndian = order == 1
	t.bits = t.precision
	return err
}

func (p *nbitParser) compound(t *nbitType) error {
	members, err := p.next()
	t.count = 1
	for range members {
		if err != nil {
			return err
		}

		var m nbitPart
		if m.offset, err = p.next(); err == nil {
			m.nbitType, err = p.parse()
		}
		if err == nil && m.offset+m.size > t.size {
			err = corrupt(p.f.ID, "member of %d bytes at %d in compounds of %d", m.size, m.offset, t.size)
		}

		t.bits += m.bits
		t.parts = append(t.parts, m)
	}
	return err
}

// nbitNothing reports whether the filter does nothing.
func nbitNothing(f Filter) bool { return f.param(1) != 0 }

// nbitParse returns the type of items.
func nbitParse(f Filter) (nbitType, error) {
	if len(f.Params) < nbitFirst || int(f.Params[0]) != len(f.Params) {
		return nbitType{}, corrupt(f.ID, "%d parameters", len(f.Params))
	}
	p := nbitParser{f: f, rest: f.Params[nbitFirst:]}
	return p.parse()
}

func nbitCheck(f Filter) error {
	if nbitNothing(f) {
		return nil
	}
	_, err := nbitParse(f)
	return err
}

func nbitSize(f Filter, src []byte, _ int) (int, error) {
	if nbitNothing(f) {
		return len(src), nil
	}
	t, err := nbitParse(f)
	return int(min(f.param(2)*t.size, math.MaxInt32)), err
}

func nbitDecode(_ *workspace, f Filter, dst, src []byte) ([]byte, error) {
	if nbitNothing(f) {
		return asItIs(nil, f, dst, src)
	}
	t, err := nbitParse(f)
	if err != nil {
		return nil, err
	}

	items := f.param(2)
	if items*t.size != int64(len(dst)) {
		return nil, corrupt(f.ID, "%d items of %d bytes, want %d bytes", items, t.size, len(dst))
	}

	// Members may overlap in parameters that were damaged, so bits do not follow from the size.
	if items > 8*int64(len(src))/t.bits {
		return nil, corrupt(f.ID, "%d items of %d bits in %d bytes", items, t.bits, len(src))
	}

	clear(dst)
	r := bitReader{src: src}
	for at := int64(0); at < int64(len(dst)); at += t.size {
		t.decode(dst[at:at+t.size], &r)
	}
	return dst, nil
}

// decode reads one item into dst, which is zero.
func (t *nbitType) decode(dst []byte, r *bitReader) {
	switch {
	case t.numbers:
		t.decodeNumber(dst, r)
	case t.parts == nil:
		for i := range dst {
			dst[i] = byte(r.take(8))
		}
	default:
		for k := range t.count {
			for i := range t.parts {
				part := &t.parts[i]
				at := part.offset + k*part.size
				part.decode(dst[at:at+part.size], r)
			}
		}
	}
}

// decodeNumber reads the bytes of a number, the most significant first.
func (t *nbitType) decodeNumber(dst []byte, r *bitReader) {
	for end := t.precision + t.offset; end > t.offset; {
		begin := max((end-1)&^7, t.offset)
		at := begin / 8
		if t.bigEndian {
			at = t.size - 1 - at
		}
		dst[at] = byte(r.take(uint(end-begin)) << (begin % 8))
		end = begin
	}
}
