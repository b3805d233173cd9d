package format

import (
	"fmt"
	"strings"
)

// String describes a datatype in a few words: "uint16", "big-endian float64", "compound of 3".
func (d *Datatype) String() string {
	order := ""
	if d.BigEndian && d.Size > 1 {
		order = "big-endian "
	}

	switch d.Class {
	case Fixed:
		name := "int"
		if !d.Signed {
			name = "uint"
		}
		text := fmt.Sprintf("%s%s%d", order, name, 8*d.Size)
		if int64(d.Precision) != 8*d.Size || d.BitOffset != 0 {
			text += fmt.Sprintf(" with %d bits from bit %d", d.Precision, d.BitOffset)
		}
		return text
	case Float:
		if kind := d.FloatKind(); kind == "" {
			return fmt.Sprintf("%sfloat of %d bytes with %d bits of exponent and %d of mantissa", order, d.Size,
				d.Float.ExponentBits, d.Float.MantissaBits)
		}
		return fmt.Sprintf("%sfloat%d", order, 8*d.Size)
	case Time:
		return fmt.Sprintf("time of %d bytes", d.Size)
	case String:
		return fmt.Sprintf("string of %d bytes, %s", d.Size, d.charset())
	case Bitfield:
		return fmt.Sprintf("%sbitfield of %d bytes", order, d.Size)
	case OpaqueBytes:
		return fmt.Sprintf("opaque of %d bytes, tag %q", d.Size, d.Tag)
	case Compound:
		return d.compoundText()
	case Reference:
		switch d.RefKind {
		case ObjectReference:
			return "reference to an object"
		case RegionReference:
			return "reference to a region"
		}
		return "reference to an attribute, or of HDF5 1.12"
	case Enum:
		return fmt.Sprintf("enum of %v with %d names", d.Base, len(d.Members))
	case Variable:
		if d.Text {
			return "variable-length string, " + d.charset()
		}
		return fmt.Sprintf("variable-length sequence of %v", d.Base)
	case Array:
		return fmt.Sprintf("array %v of %v", d.Shape, d.Base)
	case Complex:
		return fmt.Sprintf("complex of %v", d.Base)
	}
	return fmt.Sprintf("class %d", d.Class)
}

// mostListed is how many members of a compound are listed.
const mostListed = 16

func (d *Datatype) compoundText() string {
	var b strings.Builder
	b.WriteString("compound {")
	for i, m := range d.Members {
		if i == mostListed {
			fmt.Fprintf(&b, ", and %d more", len(d.Members)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %v", m.Name, m.Type)
	}
	b.WriteString("}")
	return b.String()
}

func (d *Datatype) charset() string {
	if d.UTF8 {
		return "UTF-8"
	}
	return "ASCII"
}

// IEEE formats, and the extended one of x86.
var (
	float16Layout  = FloatLayout{15, 10, 5, 0, 10, true, 15}
	float32Layout  = FloatLayout{31, 23, 8, 0, 23, true, 127}
	float64Layout  = FloatLayout{63, 52, 11, 0, 52, true, 1023}
	extendedLayout = FloatLayout{79, 64, 15, 0, 64, false, 16383}
)

// FloatKind returns NumPy's code for a floating-point type: "f2", "f4", "f8" or "f16", the last for
// the extended type of x86; "" for others.
func (d *Datatype) FloatKind() string {
	whole := d.BitOffset == 0 && int64(d.Precision) == 8*d.Size && !d.VAX
	switch {
	case d.Size == 2 && d.Float == float16Layout && whole:
		return "f2"
	case d.Size == 4 && d.Float == float32Layout && whole:
		return "f4"
	case d.Size == 8 && d.Float == float64Layout && whole:
		return "f8"
	case d.Size == 16 && d.Float == extendedLayout && d.Precision == 80 && !d.BigEndian:
		return "f16"
	}
	return ""
}
