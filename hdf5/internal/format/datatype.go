package format

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn"
)

// A datatype begins with
//
//	u8 version and class, 24 bits that depend on the class, u32 size
//
// and goes on with the properties of its class.

// A Class is a kind of datatype.
type Class uint8

// The classes, with their numbers in files.
const (
	Fixed Class = iota
	Float
	Time
	String
	Bitfield
	OpaqueBytes
	Compound
	Reference
	Enum
	Variable
	Array
	Complex
)

// A Padding is how strings fill their size.
type Padding uint8

// The paddings, with their numbers in files.
const (
	NullTerminated Padding = iota
	NullPadded
	SpacePadded
)

// A Datatype is the type of an item.
type Datatype struct {
	Class Class
	Size  int64 // bytes of an item in the file

	// numbers
	BigEndian bool
	VAX       bool // a float with the byte order of the VAX
	Signed    bool
	BitOffset uint16
	Precision uint16
	Float     FloatLayout

	// strings, and variable strings
	Padding Padding
	UTF8    bool

	Text    bool     // a variable-length string rather than a sequence
	Tag     string   // of opaque bytes
	RefKind uint8    // of references: 0 is an object
	Members []Member // of compounds and enums
	Values  []byte   // of enums: Size bytes for each member
	Shape   []int64  // of arrays
	Base    *Datatype
}

// FloatLayout is where the parts of a floating-point number are, in bits.
type FloatLayout struct {
	Sign, Exponent, ExponentBits, Mantissa, MantissaBits uint8
	// the first bit of the mantissa is not stored
	Implied bool
	Bias    uint32
}

// A Member is a field of a compound, or a name of an enum.
type Member struct {
	Name   string
	Offset int64
	Type   *Datatype // of a compound
}

const (
	layerType = "datatype message"

	mostDepth   = 32      // datatypes in datatypes
	mostMembers = 1 << 16 // members of a datatype, with those of its members
)

// Parts returns how many datatypes and names there are in a datatype.
func (d *Datatype) Parts() int {
	n := 1 + len(d.Members)
	if d.Base != nil {
		n += d.Base.Parts()
	}

	for _, m := range d.Members {
		if m.Type != nil {
			n += m.Type.Parts()
		}
	}
	return n
}

// typeReading is a datatype that is being read.
type typeReading struct {
	cursor
	members int
}

// Datatype returns the datatype of a dataset or of a committed datatype.
func (r *Reader) Datatype(h *Header) (*Datatype, error) {
	m, err := r.required(h, msgDatatype, layerType)
	if err != nil {
		return nil, err
	}

	data, at, err := r.resolved(m)
	if err != nil {
		return nil, err
	}
	return r.datatype(data, at)
}

// ParseDatatype reads a datatype message.
func (r *Reader) ParseDatatype(b []byte) (*Datatype, error) { return r.datatype(b, None) }

func (r *Reader) datatype(b []byte, at int64) (*Datatype, error) {
	t := &typeReading{cursor: r.cursor(layerType, b, at)}
	d := t.read(0)
	return d, t.done()
}

// read reads one datatype. After an error its content is arbitrary.
func (t *typeReading) read(depth int) *Datatype {
	at := t.Pos()
	head := t.u32()
	d := &Datatype{Size: int64(t.u32())}
	version := uint8(head >> 4 & 15)
	bits := head >> 8
	d.Class = Class(head & 15)

	switch {
	case t.Err() != nil:
	case depth > mostDepth:
		t.fail(fmt.Errorf("datatypes nested more than %d deep: %w", mostDepth, cairn.ErrLimit))
	case version < 1 || version > 5:
		t.fail(unsupported("datatype of version %d", version))
	case d.Size == 0:
		t.Failf(at, "datatype of 0 bytes")
	}

	if t.Err() != nil {
		return d
	}
	t.properties(d, version, bits, depth)
	return d
}

func (t *typeReading) properties(d *Datatype, version uint8, bits uint32, depth int) {
	switch d.Class {
	case Fixed, Bitfield:
		d.BigEndian = bits&1 != 0
		d.Signed = bits&8 != 0
		d.BitOffset = t.u16()
		d.Precision = t.u16()
	case Float:
		t.float(d, bits)
	case Time:
		d.BigEndian = bits&1 != 0
		d.Precision = t.u16()
	case String:
		d.Padding = Padding(bits & 15)
		d.UTF8 = bits>>4&15 == 1

	case OpaqueBytes:
		tag, _, _ := bytes.Cut(t.Bytes(int64(bits&0xff)), []byte{0})
		d.Tag = string(tag)

	case Compound:
		t.compound(d, version, int(bits&0xffff), depth)
	case Reference:
		d.RefKind = uint8(bits & 15)
	case Enum:
		t.enum(d, version, int(bits&0xffff), depth)

	case Variable:
		d.Text = bits&15 == 1
		d.Padding = Padding(bits >> 4 & 15)
		d.UTF8 = bits>>8&15 == 1
		d.Base = t.read(depth + 1)
	case Array:
		t.array(d, version, depth)

	case Complex:
		at := t.Pos()
		d.Base = t.read(depth + 1)
		if t.Err() == nil && d.Size != 2*d.Base.Size {
			t.Failf(at, "complex number of %d bytes of parts of %d", d.Size, d.Base.Size)
		}

	default:
		t.fail(unsupported("datatype of class %d", d.Class))
	}
}

func (t *typeReading) float(d *Datatype, bits uint32) {
	d.BigEndian = bits&1 != 0
	d.VAX = bits&(1<<6) != 0
	d.BitOffset = t.u16()
	d.Precision = t.u16()

	f := &d.Float
	f.Sign = uint8(bits >> 8)
	f.Exponent = t.Uint8()
	f.ExponentBits = t.Uint8()
	f.Mantissa = t.Uint8()
	f.MantissaBits = t.Uint8()

	f.Bias = t.u32()
	f.Implied = bits>>4&3 == 2
}

// name reads a name that ends in a zero byte. Before version 3 it fills a multiple of 8 bytes.
func (t *typeReading) name(version uint8) string {
	start := t.Pos()
	rest := t.Bytes(int64(t.Len()))
	n := bytes.IndexByte(rest, 0)
	if n < 0 {
		t.Failf(start, "name without an end")
		return ""
	}

	used := n + 1
	if version < 3 {
		used = (n + 8) &^ 7
	}
	t.Seek(start + used)
	return string(rest[:n])
}

// count counts n members, and reports whether there may be as many.
func (t *typeReading) count(n int) bool {
	t.members += n
	if t.members > mostMembers {
		t.fail(fmt.Errorf("datatype with more than %d members: %w", mostMembers, cairn.ErrLimit))
	}
	return t.Err() == nil
}

func (t *typeReading) compound(d *Datatype, version uint8, n, depth int) {
	if !t.count(n) {
		return
	}

	for range n {
		m := Member{Name: t.name(version)}
		at := t.Pos()
		if version < 3 {
			m.Offset = int64(t.u32())
		} else {
			m.Offset = int64(t.uint(sizeOf(d.Size)))
		}

		var shape []int64
		if version == 1 {
			shape = t.oldShape()
		}

		m.Type = t.read(depth + 1)
		if shape != nil && t.Err() == nil {
			m.Type = t.arrayOf(m.Type, shape)
		}

		if t.Err() != nil {
			return
		}

		if m.Offset > d.Size || m.Type.Size > d.Size-m.Offset {
			t.Failf(at, "member %q at %d of a compound of %d bytes", m.Name, m.Offset, d.Size)
			return
		}

		d.Members = append(d.Members, m)
	}
}

// sizeOf returns how many bytes a number up to n takes.
func sizeOf(n int64) int {
	size := 1
	for n >>= 8; n > 0; n >>= 8 {
		size++
	}
	return size
}

// oldShape reads the shape of a member of version 1, nil if it is no array: u8 rank, 3 reserved,
// u32 permutation, 4 reserved, four extents.
func (t *typeReading) oldShape() []int64 {
	at := t.Pos()
	rank := int(t.Uint8())
	t.Skip(3 + 4 + 4)

	var shape [4]int64
	for d := range shape {
		shape[d] = int64(t.u32())
	}

	if rank > len(shape) {
		t.Failf(at, "member of %d dimensions", rank)
	}
	if rank == 0 || t.Err() != nil {
		return nil
	}
	return shape[:rank]
}

// arrayOf returns an array of items of a type.
func (t *typeReading) arrayOf(base *Datatype, shape []int64) *Datatype {
	d := &Datatype{Class: Array, Base: base, Shape: shape, Size: base.Size}
	for _, n := range shape {
		if n < 1 || n > 1<<32/d.Size {
			t.Failf(t.Pos(), "array of shape %v", shape)
			return d
		}
		d.Size *= n
	}
	return d
}

func (t *typeReading) array(d *Datatype, version uint8, depth int) {
	at := t.Pos()
	rank := int(t.Uint8())
	if version < 3 {
		t.Skip(3)
	}

	if rank > MaxRank {
		t.Failf(at, "array of %d dimensions", rank)
		return
	}

	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = int64(t.u32())
	}
	if version < 3 {
		t.Skip(4 * int64(rank)) // permutation
	}

	base := t.read(depth + 1)
	if t.Err() != nil {
		return
	}

	made := t.arrayOf(base, shape)
	if made.Size != d.Size {
		t.Failf(at, "array of shape %v has %d bytes, want %d", shape, d.Size, made.Size)
	}
	*d = *made
}

func (t *typeReading) enum(d *Datatype, version uint8, n, depth int) {
	if !t.count(n) {
		return
	}

	at := t.Pos()
	d.Base = t.read(depth + 1)
	if t.Err() == nil && d.Base.Size != d.Size {
		t.Failf(at, "enum of %d bytes of integers of %d", d.Size, d.Base.Size)
	}

	for range n {
		d.Members = append(d.Members, Member{Name: t.name(version)})
		if t.Err() != nil {
			return
		}
	}

	d.Values = t.Bytes(int64(n) * d.Size)
}
