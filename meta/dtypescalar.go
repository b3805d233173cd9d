package meta

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
)

// datetimeUnits are NumPy's units from the longest to the shortest.
const datetimeUnits = " Y M W D h m s ms us ns ps fs as "

// parseScalar parses a short string or a name; at is the offset of s in the whole text, for errors.
func parseScalar(s string, at int) (DType, error) {
	rest := s
	order := byte('<')
	if rest != "" && strings.IndexByte("<>=|", rest[0]) >= 0 {
		order, rest = rest[0], rest[1:]
	}

	head, unit, hasUnit := strings.Cut(rest, "[")
	var d DType
	if kind, size := sizedScalar(head); kind != 0 {
		d = DType{kind: kind, size: size}
	} else if kind, size := namedScalar(head); kind != 0 && (head == s || len(head) == 1 || hasUnit) {
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

// ordered reports whether a scalar has a byte order.
func (d DType) ordered() bool {
	switch d.kind {
	case 'i', 'u', 'f', 'c', 'M', 'm':
		return d.size > 1
	case 'U':
		return true
	}
	return false
}

// scalarNames are NumPy's names and one-letter codes of the kinds and sizes in bytes. Codes with a
// platform-dependent size have the size of 64-bit Unix.
var scalarNames = [...]struct {
	kind  byte
	size  int
	names string
}{
	{'b', 1, " bool bool_ bool8 ? "},
	{'i', 1, " int8 byte b "}, {'i', 2, " int16 short h "}, {'i', 4, " int32 intc i "},
	{'i', 8, " int64 int int_ long longlong intp l q p n "},
	{'u', 1, " uint8 ubyte B "}, {'u', 2, " uint16 ushort H "}, {'u', 4, " uint32 uintc I "},
	{'u', 8, " uint64 uint ulong ulonglong uintp L Q P N "},
	{'f', 2, " float16 half e "}, {'f', 4, " float32 single f "}, {'f', 8, " float64 double float float_ d "},
	{'f', 12, " float96 "}, {'f', 16, " float128 longdouble longfloat g "},
	{'c', 8, " complex64 csingle singlecomplex F "}, {'c', 16, " complex128 cdouble cfloat complex complex_ D "},
	{'c', 24, " complex192 "}, {'c', 32, " complex256 clongdouble clongfloat longcomplex G "},
	{'M', 8, " datetime64 M "}, {'m', 8, " timedelta64 m "},
	{'S', 0, " bytes bytes_ bytes0 S a "}, {'S', 1, " c "}, {'U', 0, " str str_ str0 unicode unicode_ U "},
	{'V', 0, " void void0 V "}, {'O', 0, " object object_ object0 O O8 O4 "}, {'T', 0, " T StringDType() "},
}

// namedScalar returns the kind and size of a name or code, or 0 if it does not exist.
func namedScalar(name string) (kind byte, size int) {
	if name == "" || strings.Contains(name, " ") {
		return 0, 0
	}
	for _, s := range scalarNames {
		if strings.Contains(s.names, " "+name+" ") {
			return s.kind, s.size
		}
	}
	return 0, 0
}

// sizedScalar returns the kind and size in bytes of a kind letter with a number, or 0 if there is
// no such type.
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
	case 'S', 'V':
		valid = true
	case 'a': // the old letter for bytes
		kind = 'S'
		valid = true
	case 'U':
		valid = number <= maxDTypeSize/4
		number *= 4
	default:
		for _, t := range scalarNames {
			valid = valid || t.kind == kind && int64(t.size) == number && number > 0
		}
	}

	if !valid {
		return 0, 0
	}
	return kind, int(number)
}

// parseCount parses a decimal number of at most 2^31-1.
func parseCount(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int64(n), err == nil
}

// parseUnit parses "25ns]", the part of a datetime after the bracket.
func (d *DType) parseUnit(s string, given bool) error {
	if !given {
		return nil
	}

	s, closed := strings.CutSuffix(s, "]")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	unit := s[digits:]
	count := int64(1)

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

	d.unit = unit
	d.count = int(count)
	return nil
}
