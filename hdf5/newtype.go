package hdf5

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/meta"
)

// TypeOf returns the datatype that items of a dtype have in files: that of h5py, but for text (U),
// which is text of variable length in UTF-8. Dtypes without one are an error that matches
// [cairn.ErrUnsupported].
func TypeOf(d meta.DType) (*Type, error) {
	t, err := datatypeOf(d)
	if err != nil {
		return nil, err
	}
	return typeOf(t), nil
}

// datatypeOf returns the datatype for a dtype, which dtypeText undoes.
func datatypeOf(d meta.DType) (*format.Datatype, error) {
	size := int64(d.Size())
	if elem, shape, ok := d.SubArray(); ok {
		base, err := datatypeOf(elem)
		if err != nil {
			return nil, err
		}
		return arrayOf(base, shape), nil
	}
	if d.IsStruct() {
		return compoundOf(d)
	}
	if size == 0 {
		return nil, unsupported("items of dtype %v, of no bytes, in HDF5", d)
	}

	switch d.Kind() {
	case 'b':
		return boolType(), nil
	case 'i', 'u':
		return format.NumberType(size, d.Kind() == 'i', d.BigEndian()), nil
	case 'f':
		if t := format.FloatType(size, d.BigEndian()); t != nil {
			return t, nil
		}
	case 'c':
		if part := format.FloatType(size/2, d.BigEndian()); part != nil {
			return &format.Datatype{Class: format.Compound, Size: size, Members: []format.Member{
				{Name: "r", Type: part}, {Name: "i", Offset: size / 2, Type: part}}}, nil
		}
	case 'S':
		return &format.Datatype{Class: format.String, Size: size, Padding: format.NullPadded}, nil
	case 'U':
		return format.TextType(), nil
	case 'V':
		return &format.Datatype{Class: format.OpaqueBytes, Size: size}, nil
	case 'M', 'm':
		return &format.Datatype{Class: format.OpaqueBytes, Size: size, Tag: opaqueNumPy + d.String()}, nil
	}
	return nil, unsupported("items of dtype %v in HDF5", d)
}

// boolType returns the enum that h5py has for bools.
func boolType() *format.Datatype {
	return &format.Datatype{Class: format.Enum, Size: 1, Base: format.NumberType(1, true, false), Values: []byte{0, 1},
		Members: []format.Member{{Name: "FALSE"}, {Name: "TRUE"}}}
}

func arrayOf(base *format.Datatype, shape []int) *format.Datatype {
	a := &format.Datatype{Class: format.Array, Base: base, Size: base.Size}
	for _, n := range shape {
		a.Shape = append(a.Shape, int64(n))
		a.Size *= int64(n)
	}
	return a
}

// compoundOf returns the compound for a structure: with its offsets, unless there are texts, whose
// size differs.
func compoundOf(d meta.DType) (*format.Datatype, error) {
	c := &format.Datatype{Class: format.Compound, Size: int64(d.Size())}
	packed := int64(0)
	for _, f := range d.Fields() {
		t, err := datatypeOf(f.Type)
		if err != nil {
			return nil, err
		}
		c.Members = append(c.Members, format.Member{Name: f.Name, Offset: int64(f.Offset), Type: t})
		packed += t.Size
	}
	if len(c.Members) == 0 {
		return nil, unsupported("items of dtype %v, without fields, in HDF5", d)
	}

	if hasVariable(c) {
		c.Size = packed
		packed = 0
		for i := range c.Members {
			c.Members[i].Offset = packed
			packed += c.Members[i].Type.Size
		}
	}
	return c, nil
}

// datatype returns the datatype that a type stands for: that of the file it was read from, or one
// that is made of its fields.
func (t *Type) datatype() (*format.Datatype, error) {
	d, err := t.made()
	if err == nil && !d.Writable() {
		err = unsupported("writing datatypes such as %v", d)
	}
	return d, err
}

func (t *Type) made() (*format.Datatype, error) {
	if t.from != nil {
		return t.from, nil
	}

	var base *format.Datatype
	if t.Base != nil {
		var err error
		if base, err = t.Base.made(); err != nil {
			return nil, err
		}
	}

	switch t.Class {
	case IntegerType:
		return format.NumberType(t.Size, t.Signed, false), nil
	case FloatType:
		if d := format.FloatType(t.Size, false); d != nil {
			return d, nil
		}
	case StringType:
		return &format.Datatype{Class: format.String, Size: t.Size}, nil
	case OpaqueType:
		return &format.Datatype{Class: format.OpaqueBytes, Size: t.Size}, nil
	case ReferenceType:
		return &format.Datatype{Class: format.Reference, Size: 8}, nil
	case VariableType:
		if t.Text {
			return format.TextType(), nil
		}
		if base != nil {
			return format.SequenceType(base), nil
		}
	case ArrayType:
		if base != nil {
			a := &format.Datatype{Class: format.Array, Base: base, Size: base.Size, Shape: slices.Clone(t.Shape)}
			for _, n := range t.Shape {
				a.Size *= n
			}
			return a, nil
		}
	case EnumType:
		if base != nil {
			return t.enum(base)
		}
	case CompoundType:
		return t.compound()
	}
	return nil, unsupported("writing the datatype of class %d with %d bytes", t.Class, t.Size)
}

func (t *Type) enum(base *format.Datatype) (*format.Datatype, error) {
	d := &format.Datatype{Class: format.Enum, Size: base.Size, Base: base}
	for _, m := range t.Members {
		d.Members = append(d.Members, format.Member{Name: m.Name})
		var err error
		if d.Values, err = appendInteger(d.Values, m.Value, base); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (t *Type) compound() (*format.Datatype, error) {
	d := &format.Datatype{Class: format.Compound, Size: t.Size}
	for _, m := range t.Members {
		of, err := m.Type.made()
		if err != nil {
			return nil, err
		}
		d.Members = append(d.Members, format.Member{Name: m.Name, Offset: m.Offset, Type: of})
		if m.Offset < 0 || m.Offset+of.Size > d.Size {
			return nil, unsupported("member %q at %d of a compound of %d bytes", m.Name, m.Offset, d.Size)
		}
	}
	return d, nil
}

// An itemWriter makes items of a file of those of a dtype. Only texts differ.
type itemWriter struct {
	heap       *newHeap
	references *newReferences // that the texts are; nil for none
	err        error
}

// append appends items of a dtype with a datatype that fits it.
func (w *itemWriter) append(b, items []byte, d meta.DType, t *format.Datatype) []byte {
	if !hasVariable(t) {
		return append(b, items...)
	}

	elem, _, isArray := d.SubArray()
	switch {
	case isArray:
		for size := elem.Size(); len(items) > 0; items = items[size:] {
			b = w.append(b, items[:size], elem, t.Base)
		}
	case d.IsStruct():
		for size := d.Size(); len(items) > 0; items = items[size:] {
			start := len(b)
			for i, f := range d.Fields() {
				m := &t.Members[i]
				if gap := start + int(m.Offset) - len(b); gap > 0 {
					b = append(b, make([]byte, gap)...)
				}
				b = w.append(b, items[f.Offset:][:f.Type.Size()], f.Type, m.Type)
			}
			b = append(b, make([]byte, start+int(t.Size)-len(b))...)
		}
	default:
		for size := d.Size(); len(items) > 0; items = items[size:] {
			b = w.text(b, items[:size], d.BigEndian(), t)
		}
	}
	return b
}

// text appends the reference to a text of UTF-32, which becomes UTF-8, or to what it stands for.
func (w *itemWriter) text(b, item []byte, bigEndian bool, t *format.Datatype) []byte {
	end := len(item)
	for end > 0 && item[end-1] == 0 {
		end--
	}

	var text []byte
	for end = (end + 3) &^ 3; end > 0; end -= 4 {
		code := binary.LittleEndian.Uint32(item)
		if bigEndian {
			code = binary.BigEndian.Uint32(item)
		}
		text = utf8.AppendRune(text, rune(min(code, math.MaxInt32)))
		item = item[4:]
	}

	if w.references != nil {
		w.references.add(string(text))
		return append(b, make([]byte, referenceSize)...)
	}

	var made []byte
	var err error
	if isSequence(t) {
		made, err = w.sequence(b, text, t)
	} else {
		made, err = w.heap.append(b, text, len(text))
	}
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return append(b, make([]byte, t.Size)...)
	}
	return made
}
