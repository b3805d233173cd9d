package meta

import (
	"math"
	"slices"
	"strings"
)

// DType is the type of an array's elements, as NumPy describes it: a scalar, a structure with named
// fields, or a fixed array of another type. [ParseDType] makes one. Values are immutable and safe
// for concurrent use; the zero DType is the void type of 0 bytes. Compare with [DType.Equal].
type DType struct {
	kind      byte // of scalars; 0 for void, structures and sub-arrays
	form      dtypeForm
	bigEndian bool
	aligned   bool // structures: laid out like C, and said so
	record    bool // structures: elements are numpy.record, which only matters to Python
	size      int  // bytes
	count     int  // datetimes: multiple of unit
	unit      string
	fields    []Field
	elem      *DType // sub-arrays: of what
	shape     []int  // sub-arrays
}

type dtypeForm uint8

const (
	scalarForm dtypeForm = iota
	structForm
	arrayForm
	opaqueForm // not understood; unit is the text
)

// Field is one member of a structure.
type Field struct {
	Name   string
	Title  string // a second name, or empty
	Offset int    // bytes from the start of the element
	Type   DType
}

// maxDTypeSize bounds the size of an element: the format stores it in 31 bits.
const maxDTypeSize = math.MaxInt32

// ParseDType reads a dtype in any of the forms that files hold: NumPy's short strings ("<i4",
// "|S7", "<M8[25ns]"), names ("uint8", "float64"), the Python text of structured types ("[('a',
// '<i4'), ('b', '<f8', (2,))]" or the dict form with offsets), the descr of .npy headers, in which
// fields without a name are padding, and dtype('…') around any of them. Quotes around a short
// string or name are taken off. A byte order that is not given, or given as native, is
// little-endian.
//
// Errors are [cairn.CorruptError]s of layer "dtype" with offsets in s, or [cairn.ErrUnsupported]
// for types without a fixed size in bytes, such as Python objects.
func ParseDType(s string) (DType, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return DType{}, dtypeErrorf(0, "empty")
	}
	if strings.IndexByte(`[({'"`, text[0]) < 0 && !strings.HasSuffix(text, ")") {
		return parseScalar(text, 0)
	}
	n, err := parsePython(s)
	if err != nil {
		return DType{}, err
	}
	return dtypeOf(n, false)
}

// Kind returns NumPy's letter for the kind of type: 'b' bool, 'i' signed and 'u' unsigned integer,
// 'f' float, 'c' complex, 'M' datetime, 'm' timedelta, 'S' bytes, 'U' text in UTF-32, 'V' void,
// structure or sub-array; 0 for a type that [Opaque] made.
func (d DType) Kind() byte {
	switch {
	case d.form == opaqueForm:
		return 0
	case d.kind == 0:
		return 'V'
	}
	return d.kind
}

// Opaque returns the type of elements of size bytes of which nothing else is known, because text,
// which is what its String method returns, does not describe them.
func Opaque(text string, size int) DType { return DType{form: opaqueForm, unit: text, size: size} }

// Size returns the size of an element in bytes. It is what the dtype says; where a frame's type
// size differs, the frame is right about the layout.
func (d DType) Size() int { return d.size }

// BigEndian reports whether a scalar's bytes have the most significant one first. It is false where
// order does not matter and for structures, whose fields know their own.
func (d DType) BigEndian() bool { return d.bigEndian }

// Unit returns the unit of a datetime or timedelta and how many of it make one step: ("ns", 25) for
// "<M8[25ns]". It returns ("", 0) for generic datetimes and all other types.
func (d DType) Unit() (unit string, count int) {
	if d.form == opaqueForm {
		return "", 0
	}
	return d.unit, d.count
}

// IsStruct reports whether d is a structure, which may have no fields at all.
func (d DType) IsStruct() bool { return d.form == structForm }

// Fields returns a copy of the fields of a structure in the order in which they were declared, nil
// for all other types.
func (d DType) Fields() []Field { return slices.Clone(d.fields) }

// Field returns the field of a structure that has the given name or title.
func (d DType) Field(name string) (Field, bool) {
	for _, f := range d.fields {
		if f.Name == name || f.Title != "" && f.Title == name {
			return f, true
		}
	}
	return Field{}, false
}

// SubArray returns what a sub-array consists of and its shape, and whether d is one.
func (d DType) SubArray() (elem DType, shape []int, ok bool) {
	if d.form != arrayForm {
		return DType{}, nil, false
	}
	return *d.elem, slices.Clone(d.shape), true
}

// Equal reports whether two types describe the same bytes in the same words: kinds, sizes, byte
// orders, units, and names, titles, offsets and types of fields. Whether a structure was declared
// aligned or as a record does not count.
func (d DType) Equal(other DType) bool {
	if d.kind != other.kind || d.form != other.form || d.bigEndian != other.bigEndian || d.size != other.size {
		return false
	}
	switch d.form {
	case structForm:
		return slices.EqualFunc(d.fields, other.fields, func(a, b Field) bool {
			return a.Name == b.Name && a.Title == b.Title && a.Offset == b.Offset && a.Type.Equal(b.Type)
		})
	case arrayForm:
		return slices.Equal(d.shape, other.shape) && d.elem.Equal(*other.elem)
	}
	return d.count == other.count && d.unit == other.unit
}

// alignment returns the alignment that C on a 64-bit machine gives to the type, as NumPy does for
// align=True.
func (d DType) alignment() int {
	switch {
	case d.form == arrayForm:
		return d.elem.alignment()
	case d.form == structForm:
		most := 1
		for _, f := range d.fields {
			if d.aligned {
				most = max(most, f.Type.alignment())
			}
		}
		return most
	}
	switch d.kind {
	case 'b', 'i', 'u', 'M', 'm':
		return d.size
	case 'f':
		if d.size == 12 {
			return 4
		}
		return d.size
	case 'c':
		if d.size == 24 {
			return 4
		}
		return d.size / 2
	case 'U':
		return 4
	}
	return 1
}
