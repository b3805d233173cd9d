package netcdf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// suffixes are those of literals, by the names of types.
var suffixes = map[string]string{"byte": "b", "ubyte": "UB", "short": "s", "ushort": "US", "uint": "U",
	"int64": "LL", "uint64": "ULL", "float": "f"}

// values returns the value of an attribute as CDL.
func (c *cdl) values(a *Attribute) string {
	if s, ok := a.Value.(string); ok {
		return c.text(s)
	}

	list, ok := a.Value.([]any)
	if !ok {
		return literal(a.Type, a.Value)
	}
	if len(list) == 0 {
		return `""`
	}

	parts := make([]string, len(list))
	for i, v := range list {
		if s, ok := v.(string); ok {
			parts[i] = c.text(s)
		} else {
			parts[i] = literal(a.Type, v)
		}
	}
	return strings.Join(parts, ", ")
}

// literal returns a value of a type as CDL.
func literal(t *Type, v any) string {
	if t.Class == Enum {
		for _, m := range t.Members {
			if m.Value == v {
				return cdlName(m.Name)
			}
		}
		return fmt.Sprint(v)
	}

	switch v := v.(type) {
	case float32:
		return floatLiteral(float64(v), 7) + suffixes[t.Name]
	case float64:
		return floatLiteral(v, 15) + suffixes[t.Name]
	case []any:
		return listLiteral(t, v)
	}
	return fmt.Sprint(v) + suffixes[t.Name]
}

// floatLiteral returns a number with up to so many digits, as C's format %#g without the zeros that
// it ends in.
func floatLiteral(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}

	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	if e, _ := strconv.Atoi(exponent); e >= -4 && e < digits {
		mantissa = strconv.FormatFloat(v, 'f', digits-1-e, 64)
		exponent = ""
	} else {
		exponent = "e" + exponent
	}

	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	return strings.TrimRight(mantissa, "0") + exponent
}

// listLiteral returns the values of a sequence or of the fields of a compound.
func listLiteral(t *Type, list []any) string {
	parts := make([]string, len(list))
	for i, v := range list {
		of := t.Base
		if t.Class == Compound {
			of = t.Members[i].Type
		}
		parts[i] = literal(of, v)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// escapes are those of characters in texts.
var escapes = map[byte]string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`,
	'\\': `\\`, '\'': `\'`, '"': `\"`}

// text returns a text in quotes. In files of the classic formats its lines are apart.
func (c *cdl) text(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch escape, ok := escapes[s[i]]; {
		case s[i] == '\n' && c.classic:
			b.WriteString("\\n\",\n" + c.indent + "\t\t\t\"")
		case ok:
			b.WriteString(escape)
		case s[i] < ' ' || s[i] == 0x7f:
			fmt.Fprintf(&b, `\%03o`, s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// cdlName returns a name with those of its characters escaped that mean something else in CDL.
func cdlName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case i == 0 && c >= '0' && c <= '9', strings.IndexByte(" !\"#$%&'()*,:;<=>?[\\]^`{|}~", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%%%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
