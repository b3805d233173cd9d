package format

// NumberType returns the type of integers of a size.
func NumberType(size int64, signed, bigEndian bool) *Datatype {
	return &Datatype{Class: Fixed, Size: size, Precision: uint16(8 * size), Signed: signed, BigEndian: bigEndian}
}

// floatLayouts are those of IEEE 754, by size.
var floatLayouts = map[int64]FloatLayout{2: float16Layout, 4: float32Layout, 8: float64Layout}

// FloatType returns the type of floating-point numbers of a size, or nil.
func FloatType(size int64, bigEndian bool) *Datatype {
	l, ok := floatLayouts[size]
	if !ok {
		return nil
	}
	return &Datatype{Class: Float, Size: size, Precision: uint16(8 * size), Float: l, BigEndian: bigEndian}
}

// variableSize is the size of an item of variable length: a HeapRef.
const variableSize = 4 + 8 + 4

// TextType returns the type of texts of variable length in UTF-8.
func TextType() *Datatype {
	return &Datatype{Class: Variable, Size: variableSize, Text: true, UTF8: true, Base: NumberType(1, false, false)}
}

// SequenceType returns the type of sequences of variable length.
func SequenceType(base *Datatype) *Datatype {
	return &Datatype{Class: Variable, Size: variableSize, Base: base}
}

// Append appends a datatype message.
func (d *Datatype) Append(b []byte) []byte {
	version := byte(1)
	switch d.Class {
	case Compound, Enum, Array:
		version = 3
	}

	b = append(b, version<<4|byte(d.Class))
	bits := d.bits()
	b = append(b, byte(bits), byte(bits>>8), byte(bits>>16))
	b = le.AppendUint32(b, uint32(d.Size))

	switch d.Class {
	case Fixed, Bitfield:
		b = le.AppendUint16(b, d.BitOffset)
		b = le.AppendUint16(b, d.Precision)
	case Float:
		b = le.AppendUint16(b, d.BitOffset)
		b = le.AppendUint16(b, d.Precision)
		f := d.Float
		b = append(b, f.Exponent, f.ExponentBits, f.Mantissa, f.MantissaBits)
		b = le.AppendUint32(b, f.Bias)
	case Time:
		b = le.AppendUint16(b, d.Precision)
	case OpaqueBytes:
		b = append(b, d.Tag...)
		b = append(b, make([]byte, d.tagSize()-len(d.Tag))...)
	case Compound:
		for _, m := range d.Members {
			b = append(b, m.Name...)
			b = append(b, 0)
			b = le.AppendUint64(b, uint64(m.Offset))[:len(b)+sizeOf(d.Size)]
			b = m.Type.Append(b)
		}
	case Enum:
		b = d.Base.Append(b)
		for _, m := range d.Members {
			b = append(b, m.Name...)
			b = append(b, 0)
		}
		b = append(b, d.Values...)
	case Variable:
		b = d.Base.Append(b)
	case Array:
		b = append(b, byte(len(d.Shape)))
		for _, n := range d.Shape {
			b = le.AppendUint32(b, uint32(n))
		}
		b = d.Base.Append(b)
	}
	return b
}

// tagSize returns how many bytes the tag of an opaque type fills.
func (d *Datatype) tagSize() int { return (len(d.Tag) + 7) &^ 7 }

// bits returns what a datatype says in the 24 bits behind its class.
func (d *Datatype) bits() uint32 {
	bit := func(set bool, at int) uint32 {
		if set {
			return 1 << at
		}
		return 0
	}

	switch d.Class {
	case Fixed, Bitfield:
		return bit(d.BigEndian, 0) | bit(d.Signed, 3)
	case Time:
		return bit(d.BigEndian, 0)
	case Float:
		return bit(d.BigEndian, 0) | bit(d.VAX, 6) | bit(d.Float.Implied, 5) | uint32(d.Float.Sign)<<8
	case String:
		return uint32(d.Padding) | bit(d.UTF8, 4)
	case OpaqueBytes:
		return uint32(d.tagSize())
	case Compound, Enum:
		return uint32(len(d.Members))
	case Reference:
		return uint32(d.RefKind)
	case Variable:
		return bit(d.Text, 0) | uint32(d.Padding)<<4 | bit(d.UTF8, 8)
	}
	return 0
}

// Writable reports whether Append knows the classes in a datatype, and the names and tags that it
// has fit.
func (d *Datatype) Writable() bool {
	if d.Class > Array || d.Size <= 0 || d.Size > 1<<31 || len(d.Tag) > 240 || len(d.Members) > 1<<16-1 {
		return false
	}
	for _, m := range d.Members {
		if m.Type != nil && !m.Type.Writable() {
			return false
		}
	}
	return d.Base == nil || d.Base.Writable()
}
