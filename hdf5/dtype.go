package hdf5

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/meta"
)

// Datatypes become dtypes as in h5py. Where a dtype of the same bytes exists, items are copied as
// they are; the exceptions are in convert.go.

// unsupported returns an error that matches [cairn.ErrUnsupported].
func unsupported(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrUnsupported)...)
}

// widths are the widths of texts of variable length, in code points.
type widths map[*format.Datatype]int

// of returns the width of a datatype, at least 1.
func (w widths) of(d *format.Datatype) int { return max(1, w[d]) }

// dtypeText returns the text of the dtype of a datatype whose texts have certain widths.
func dtypeText(d *format.Datatype, w widths) (string, error) {
	order := "<"
	if d.BigEndian {
		order = ">"
	}

	switch d.Class {
	case format.Fixed, format.Bitfield:
		kind := "u"
		if d.Signed && d.Class == format.Fixed {
			kind = "i"
		}

		bits := int64(d.BitOffset) + int64(d.Precision)
		switch d.Size {
		case 1, 2, 4, 8:
			if d.Precision > 0 && bits <= 8*d.Size {
				return fmt.Sprintf("'%s%s%d'", order, kind, d.Size), nil
			}
		}
		return "", unsupported("datatype: %v", d)
	case format.Float:
		if kind := d.FloatKind(); kind != "" {
			return "'" + order + kind + "'", nil
		}
	case format.Time:
		if d.Size == 4 {
			return "'" + order + "i4'", nil
		}
		return fmt.Sprintf("'V%d'", d.Size), nil
	case format.String:
		return fmt.Sprintf("'S%d'", d.Size), nil
	case format.OpaqueBytes:
		return opaqueText(d)
	case format.Reference:
		if isKey(d) {
			return fmt.Sprintf("'<U%d'", w.of(d)), nil
		}
	case format.Enum:
		if isBool(d) {
			return "'?'", nil
		}
		return dtypeText(d.Base, w)
	case format.Variable:
		if textual(d) {
			return fmt.Sprintf("'<U%d'", w.of(d)), nil
		}
	case format.Array:
		base, err := dtypeText(d.Base, w)
		return fmt.Sprintf("(%s, %s)", base, tuple(d.Shape)), err
	case format.Complex:
		return complexText(d.Base)
	case format.Compound:
		if part, ok := complexPart(d); ok {
			return complexText(part)
		}
		return compoundText(d, w)
	}
	return "", unsupported("datatype: %v", d)
}

// opaqueNumPy precedes the dtype in the tags of h5py.
const opaqueNumPy = "NUMPY:"

func opaqueText(d *format.Datatype) (string, error) {
	text, ok := strings.CutPrefix(d.Tag, opaqueNumPy)
	if !ok {
		return fmt.Sprintf("'V%d'", d.Size), nil
	}

	t, err := meta.ParseDType(text)
	if err != nil || int64(t.Size()) != d.Size || t.IsStruct() {
		return "", unsupported("datatype: %v", d)
	}
	return "'" + t.String() + "'", nil
}

// isBool reports whether an enum is a bool of h5py: one byte, FALSE and TRUE.
func isBool(d *format.Datatype) bool {
	return d.Class == format.Enum && d.Size == 1 && d.Base.Class == format.Fixed && len(d.Members) == 2 &&
		d.Members[0].Name == "FALSE" && d.Members[1].Name == "TRUE" && d.Values[0] == 0 && d.Values[1] == 1
}

// complexPart returns the type of the parts of a complex number of h5py: a compound of r and i.
func complexPart(d *format.Datatype) (*format.Datatype, bool) {
	m := d.Members
	if len(m) != 2 || m[0].Name != "r" || m[1].Name != "i" || m[0].Offset != 0 {
		return nil, false
	}

	re := m[0].Type
	im := m[1].Type
	ok := re.Class == format.Float && im.Class == format.Float && re.Size == im.Size && m[1].Offset == re.Size &&
		d.Size == 2*re.Size && re.BigEndian == im.BigEndian && re.FloatKind() != "" && re.FloatKind() == im.FloatKind()
	return re, ok
}

func complexText(part *format.Datatype) (string, error) {
	order := "<"
	if part.BigEndian {
		order = ">"
	}
	switch part.FloatKind() {
	case "f4", "f8", "f16":
		return fmt.Sprintf("'%sc%d'", order, 2*part.Size), nil
	}
	return "", unsupported("datatype: complex of %v", part)
}

func compoundText(d *format.Datatype, w widths) (string, error) {
	var names, formats, offsets strings.Builder
	l := layoutOf(d, w)

	for i, m := range d.Members {
		text, err := dtypeText(m.Type, w)
		if err != nil {
			return "", fmt.Errorf("member %q: %w", m.Name, err)
		}
		names.WriteString(quoted(m.Name) + ", ")
		formats.WriteString(text + ", ")
		fmt.Fprintf(&offsets, "%d, ", l.offsets[i])
	}
	return fmt.Sprintf("{'names': [%s], 'formats': [%s], 'offsets': [%s], 'itemsize': %d}", &names, &formats, &offsets, l.size), nil
}

// tuple is a shape in Python's notation.
func tuple(shape []int64) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, n := range shape {
		fmt.Fprintf(&b, "%d,", n)
	}
	b.WriteByte(')')
	return b.String()
}

// quoted is a name as a string of Python.
func quoted(name string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range strings.ToValidUTF8(name, "\ufffd") {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ':
			fmt.Fprintf(&b, "\\x%02x", c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// parsedDType returns the dtype of a datatype.
func parsedDType(d *format.Datatype, w widths) (meta.DType, error) {
	text, err := dtypeText(d, w)
	if err != nil {
		return meta.DType{}, err
	}

	t, err := meta.ParseDType(text)
	if err != nil {
		return meta.DType{}, fmt.Errorf("datatype %v: %w", d, err)
	}

	if size := memorySize(d, w); t.Size() == 0 || int64(t.Size()) != size {
		return meta.DType{}, unsupported("datatype %v: items of %d bytes, %d as dtype %v", d, size, t.Size(), t)
	}
	return t, nil
}
