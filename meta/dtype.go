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
	aligned   bool // structures: declared as aligned like a C struct
	record    bool // structures: declared as numpy.record, which matters only to Python
	size      int  // bytes
	count     int  // datetimes: multiple of unit
	unit      string
	fields    []Field
	elem      *DType // sub-arrays: type of the elements
	shape     []int  // sub-arrays
}

type dtypeForm uint8

const (
	scalarForm dtypeForm = iota
	structForm
	arrayForm
	opaqueForm // not parsed; unit is the text
)

// Field is one member of a structure.
type Field struct {
	Name   string
	Title  string // a second name, or empty
	Offset int    // bytes from the start of the element
	Type   DType
}

// maxDTypeSize bounds the size of an element, which the format stores in 31 bits.
const maxDTypeSize = math.MaxInt32

// ParseDType parses a dtype in any of the forms that occur in files: NumPy's short strings ("<i4",
// "|S7", "<M8[25ns]"), names ("uint8", "float64"), the Python text of structured types ("[('a',
// '<i4'), ('b', '<f8', (2,))]" or the dict form with offsets), the descr of .npy headers, where
// unnamed fields are padding, and dtype('…') around any of them. A short string or name may be
// quoted. If the byte order is missing or native, it is little-endian.
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

// Opaque returns a type of size bytes that could not be parsed. Its String method returns text.
func Opaque(text string, size int) DType { return DType{form: opaqueForm, unit: text, size: size} }

// Size returns the size of an element in bytes according to the dtype. If a frame's type size
// differs, the frame's is the one in use.
func (d DType) Size() int { return d.size }

// BigEndian reports whether a scalar is stored with the most significant byte first. It is false if
// a type has no byte order and for structures, whose fields have their own.
func (d DType) BigEndian() bool { return d.bigEndian }

// Unit returns the unit of a datetime or timedelta and the number of units per step: ("ns", 25) for
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

// Field returns the field of a structure with the given name or title.
func (d DType) Field(name string) (Field, bool) {
	for _, f := range d.fields {
		if f.Name == name || f.Title != "" && f.Title == name {
			return f, true
		}
	}
	return Field{}, false
}

// SubArray returns the element type and the shape of a sub-array, and whether d is one.
func (d DType) SubArray() (elem DType, shape []int, ok bool) {
	if d.form != arrayForm {
		return DType{}, nil, false
	}
	return *d.elem, slices.Clone(d.shape), true
}

// Equal reports whether two types have the same layout and names: kinds, sizes, byte orders, units,
// and names, titles, offsets and types of fields. It ignores whether a structure was declared
// aligned or as a record.
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

// alignment returns the alignment of the type in C on a 64-bit machine, which NumPy uses for
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
