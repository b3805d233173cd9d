package meta

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
)

// datetimeUnits are NumPy's units from the longest to the shortest.
const datetimeUnits = " Y M W D h m s ms us ns ps fs as "

// parseScalar reads a short string or a name; at is where s stands in the whole text, for errors.
func parseScalar(s string, at int) (DType, error) {
	rest, order := s, byte('<')
	if rest != "" && strings.IndexByte("<>=|", rest[0]) >= 0 {
		order, rest = rest[0], rest[1:]
	}
	head, unit, hasUnit := strings.Cut(rest, "[")
	var d DType
	if kind, size := namedScalar(head); kind != 0 && (head == s || len(head) == 1 || hasUnit) {
		d = DType{kind: kind, size: size}
	} else if kind, size := sizedScalar(head); kind != 0 {
		d = DType{kind: kind, size: size}
	} else {
		return DType{}, dtypeErrorf(at, "%q is not a type", clip(s))
	}
	switch {
	case d.kind == 'O' || d.kind == 'T':
		return DType{}, fmt.Errorf("dtype %q: elements without a fixed size: %w", clip(s), cairn.ErrUnsupported)
	case d.kind == 'M' || d.kind == 'm':
		if err := d.parseUnit(unit, hasUnit); err != nil {
			return DType{}, dtypeErrorf(at, "%q: %v", clip(s), err)
		}
	case hasUnit:
		return DType{}, dtypeErrorf(at, "%q is not a type", clip(s))
	}
	d.bigEndian = order == '>' && d.ordered()
	if d.kind == 'V' {
		d.kind = 0
	}
	return d, nil
}

// ordered reports whether byte order matters to a scalar.
func (d DType) ordered() bool {
	switch d.kind {
	case 'i', 'u', 'f', 'c', 'M', 'm':
		return d.size > 1
	case 'U':
		return true
	}
	return false
}

// namedScalar returns kind and size of NumPy's names and one-letter codes, 0 if there is no such
// name. The codes whose size depends on the platform have the size that they have on 64-bit Unix.
func namedScalar(name string) (kind byte, size int) {
	switch name {
	case "bool", "bool_", "bool8", "?":
		return 'b', 1
	case "int8", "byte", "b":
		return 'i', 1
	case "int16", "short", "h":
		return 'i', 2
	case "int32", "intc", "i":
		return 'i', 4
	case "int64", "int", "int_", "long", "longlong", "intp", "l", "q", "p", "n":
		return 'i', 8
	case "uint8", "ubyte", "B":
		return 'u', 1
	case "uint16", "ushort", "H":
		return 'u', 2
	case "uint32", "uintc", "I":
		return 'u', 4
	case "uint64", "uint", "ulong", "ulonglong", "uintp", "L", "Q", "P", "N":
		return 'u', 8
	case "float16", "half", "e":
		return 'f', 2
	case "float32", "single", "f":
		return 'f', 4
	case "float64", "double", "float", "float_", "d":
		return 'f', 8
	case "float96":
		return 'f', 12
	case "float128", "longdouble", "longfloat", "g":
		return 'f', 16
	case "complex64", "csingle", "singlecomplex", "F":
		return 'c', 8
	case "complex128", "cdouble", "cfloat", "complex", "complex_", "D":
		return 'c', 16
	case "complex192":
		return 'c', 24
	case "complex256", "clongdouble", "clongfloat", "longcomplex", "G":
		return 'c', 32
	}
	return namedFlexible(name)
}

// namedFlexible continues namedScalar with the types that are not numbers.
func namedFlexible(name string) (kind byte, size int) {
	switch name {
	case "datetime64", "M":
		return 'M', 8
	case "timedelta64", "m":
		return 'm', 8
	case "bytes", "bytes_", "bytes0", "S", "a":
		return 'S', 0
	case "c":
		return 'S', 1
	case "str", "str_", "str0", "unicode", "unicode_", "U":
		return 'U', 0
	case "void", "void0", "V":
		return 'V', 0
	case "object", "object_", "object0", "O", "O8", "O4":
		return 'O', 0
	case "T", "StringDType()":
		return 'T', 0
	}
	return 0, 0
}

// sizedScalar returns kind and size in bytes of a kind letter with a number, 0 if there is no such
// type.
func sizedScalar(s string) (kind byte, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	number, ok := parseCount(s[1:])
	if !ok {
		return 0, 0
	}
	kind = s[0]
	valid := false
	switch kind {
	case 'b':
		valid = number == 1
	case 'i', 'u':
		valid = number == 1 || number == 2 || number == 4 || number == 8
	case 'f':
		valid = number == 2 || number == 4 || number == 8 || number == 12 || number == 16
	case 'c':
		valid = number == 8 || number == 16 || number == 24 || number == 32
	case 'M', 'm':
		valid = number == 8
	case 'S', 'V':
		valid = true
	case 'a': // the old letter for bytes
		kind, valid = 'S', true
	case 'U':
		valid = number <= maxDTypeSize/4
		number *= 4
	}
	if !valid {
		return 0, 0
	}
	return kind, int(number)
}

// parseCount reads decimal digits that make at most 2^31-1.
func parseCount(s string) (int64, bool) {
	n := int64(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		if n = n*10 + int64(s[i]-'0'); n > maxDTypeSize {
			return 0, false
		}
	}
	return n, len(s) > 0
}

// parseUnit reads "25ns]", what follows the bracket of a datetime.
func (d *DType) parseUnit(s string, given bool) error {
	if !given {
		return nil
	}
	s, closed := strings.CutSuffix(s, "]")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	unit, count := s[digits:], int64(1)
	if digits > 0 {
		var ok bool
		if count, ok = parseCount(s[:digits]); !ok {
			return fmt.Errorf("count of a datetime unit is out of range")
		}
	}
	if unit == "μs" {
		unit = "us"
	}
	if closed && unit == "generic" && digits == 0 {
		return nil
	}
	if !closed || unit == "" || strings.Contains(unit, " ") || !strings.Contains(datetimeUnits, " "+unit+" ") {
		return fmt.Errorf("no such datetime unit")
	}
	d.unit, d.count = unit, int(count)
	return nil
}
