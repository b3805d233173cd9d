package meta

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
)

// ParseDescr parses a dtype as numpy.dtype.descr gives it, read from MessagePack or JSON: a short
// string, or a list of fields, each a list of its name, its dtype and perhaps a shape. A name may
// be a list of a title and a name. Unnamed fields are padding. Errors are those of [ParseDType].
func ParseDescr(v any) (DType, error) {
	if s, ok := v.(string); ok {
		return ParseDType(s)
	}

	var b strings.Builder
	if err := writeDescr(&b, v, 0); err != nil {
		return DType{}, err
	}
	return ParseDType(b.String())
}

// maxDescrDepth bounds the nesting of structures.
const maxDescrDepth = 64

// writeDescr writes a dtype as Python's text.
func writeDescr(b *strings.Builder, v any, depth int) error {
	if s, ok := v.(string); ok {
		b.WriteString(quotePython(s))
		return nil
	}

	fields, ok := elements(v)
	if !ok || depth > maxDescrDepth {
		return badDescr("a %T that is neither text nor a list of fields, or nested too deep", v)
	}

	b.WriteByte('[')
	for _, field := range fields {
		f, _ := elements(field)
		if len(f) < 2 || len(f) > 3 {
			return badDescr("a field that is not a list of a name, a dtype and perhaps a shape")
		}

		b.WriteByte('(')
		if err := writeDescrName(b, f[0]); err != nil {
			return err
		}
		b.WriteString(", ")
		if err := writeDescr(b, f[1], depth+1); err != nil {
			return err
		}

		if len(f) == 3 {
			if err := writeDescrShape(b, f[2]); err != nil {
				return err
			}
		}
		b.WriteString("), ")
	}
	b.WriteByte(']')
	return nil
}

// writeDescrName writes the name of a field, or its title and name.
func writeDescrName(b *strings.Builder, v any) error {
	if s, ok := v.(string); ok {
		b.WriteString(quotePython(s))
		return nil
	}
	if both, ok := elements(v); ok && len(both) == 2 {
		title, isText := both[0].(string)
		name, ok := both[1].(string)
		if isText && ok {
			fmt.Fprintf(b, "(%s, %s)", quotePython(title), quotePython(name))
			return nil
		}
	}

	return badDescr("a field without a name")
}

func writeDescrShape(b *strings.Builder, v any) error {
	extents, ok := elements(v)
	if !ok {
		extents = []any{v}
	}

	b.WriteString(", (")
	for _, n := range extents {
		i, ok := n.(int64)
		if !ok {
			return badDescr("a shape with a %T", n)
		}
		fmt.Fprintf(b, "%d,", i)
	}
	b.WriteByte(')')
	return nil
}

func badDescr(format string, args ...any) error {
	return cairn.Corruptf("dtype", -1, format, args...)
}

// elements returns the elements of a list or tuple.
func elements(v any) ([]any, bool) {
	if t, ok := v.(Tuple); ok {
		return t, true
	}
	list, ok := v.([]any)
	return list, ok
}

// quotePython returns text as a string of Python.
func quotePython(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\\' || r == '\'':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
