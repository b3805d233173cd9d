package zarr

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Metadata is JSON (RFC 8259). As Python's json module writes NaN, Infinity and -Infinity, these
// are read too; they are never written, as other readers refuse the document. A value is nil, bool,
// int64, uint64 if it is larger, float64, string, []any or [meta.Map], which keeps the order of the
// members.

// maxDepth bounds the nesting of values.
const maxDepth = 100

// valueBytes is the memory that a value is reckoned to take, besides the text of the document.
const valueBytes = 40

// A jsonParser parses one document.
type jsonParser struct {
	b      []byte
	at     int
	budget int64 // values that may follow
}

// parseJSON parses a document, whose values may take memory bytes. Errors match cairn.ErrCorrupt or
// cairn.ErrLimit.
func parseJSON(b []byte, memory int64) (any, error) {
	p := jsonParser{b: b, budget: memory / valueBytes}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(b) {
		return nil, p.wrong("more after the end of the value")
	}
	return v, nil
}

func (p *jsonParser) wrong(format string, args ...any) error {
	return cairn.Corruptf("Zarr metadata", int64(p.at), format, args...)
}

func (p *jsonParser) space() {
	for p.at < len(p.b) && strings.IndexByte(" \t\r\n", p.b[p.at]) >= 0 {
		p.at++
	}
}

// next skips spaces and returns the next byte, or 0 at the end.
func (p *jsonParser) next() byte {
	if p.space(); p.at < len(p.b) {
		return p.b[p.at]
	}
	return 0
}

func (p *jsonParser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.wrong("values are nested more than %d deep", maxDepth)
	}
	if p.budget--; p.budget < 0 {
		return nil, fmt.Errorf("metadata with too many values: %w", cairn.ErrLimit)
	}

	switch c := p.next(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		if !strings.HasPrefix(string(p.b[p.at:min(len(p.b), p.at+2)]), "-I") {
			return p.number()
		}
	}

	for _, w := range [...]struct {
		text  string
		value any
	}{
		{"null", nil}, {"true", true}, {"false", false},
		{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
	} {
		if end := p.at + len(w.text); end <= len(p.b) && string(p.b[p.at:end]) == w.text {
			p.at = end
			return w.value, nil
		}
	}
	return nil, p.wrong("not a JSON value")
}

func (p *jsonParser) object(depth int) (any, error) {
	members := meta.Map{}
	for p.at++; ; p.at++ {
		if p.next() == '}' && len(members) == 0 {
			break
		}
		if p.next() != '"' {
			return nil, p.wrong("no name of a member")
		}

		name, err := p.text()
		if err != nil {
			return nil, err
		}

		if p.next() != ':' {
			return nil, p.wrong("no colon after the name of a member")
		}
		p.at++
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		members = append(members, meta.Pair{Key: name, Value: v})

		if c := p.next(); c == '}' {
			break
		} else if c != ',' {
			return nil, p.wrong("no comma after a member")
		}
	}

	p.at++
	return members, nil
}

func (p *jsonParser) array(depth int) (any, error) {
	items := []any{}
	for p.at++; ; p.at++ {
		if p.next() == ']' && len(items) == 0 {
			break
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)

		if c := p.next(); c == ']' {
			break
		} else if c != ',' {
			return nil, p.wrong("no comma after an item")
		}
	}

	p.at++
	return items, nil
}

// text parses a string, which begins here.
func (p *jsonParser) text() (string, error) {
	end := p.at + 1
	plain := true
	for ; ; end++ {
		if end >= len(p.b) {
			return "", p.wrong("text without an end")
		}
		c := p.b[end]
		if c == '"' {
			break
		}
		if c == '\\' {
			end++
		}
		plain = plain && c != '\\' && c >= ' '
	}

	raw := p.b[p.at : end+1]
	if inner := raw[1 : len(raw)-1]; plain && utf8.Valid(inner) {
		p.at = end + 1
		return string(inner), nil
	}

	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", p.wrong("text with an invalid character or escape")
	}
	p.at = end + 1
	return s, nil
}

// number parses a number: an integer if it looks like one and fits into 64 bits.
func (p *jsonParser) number() (any, error) {
	end := p.at
	for end < len(p.b) && strings.IndexByte("+-0123456789.eE", p.b[end]) >= 0 {
		end++
	}

	s := string(p.b[p.at:end])
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		p.at = end
		return i, nil
	}
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		p.at = end
		return u, nil
	}

	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) { // Python reads 1e999 as infinity
		return nil, p.wrong("%q is not a number", clip(s))
	}
	p.at = end
	return f, nil
}

// clip shortens text of a document for an error.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// appendJSON appends a value of the types above, indented like Python's json.dumps(indent=2). Other
// values, which MessagePack has and JSON has not, give an error.
func appendJSON(dst []byte, v any, indent string) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float32:
		return appendFloat(dst, float64(v))
	case float64:
		return appendFloat(dst, v)
	case string:
		return appendText(dst, v), nil

	case []any:
		return appendList(dst, len(v), "[]", indent, func(dst []byte, i int, indent string) ([]byte, error) {
			return appendJSON(dst, v[i], indent)
		})
	case meta.Tuple:
		return appendJSON(dst, []any(v), indent)
	case meta.Map:
		return appendList(dst, len(v), "{}", indent, func(dst []byte, i int, indent string) ([]byte, error) {
			name, ok := v[i].Key.(string)
			if !ok {
				return nil, fmt.Errorf("JSON has no names like %v: %w", v[i].Key, cairn.ErrUnsupported)
			}
			return appendJSON(append(appendText(dst, name), ": "...), v[i].Value, indent)
		})
	}

	return nil, fmt.Errorf("JSON has no values of type %T: %w", v, cairn.ErrUnsupported)
}

// appendList appends n parts between two brackets, each on a line of its own.
func appendList(dst []byte, n int, brackets, indent string,
	part func(dst []byte, i int, indent string) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, brackets[0])
	if n == 0 {
		return append(dst, brackets[1]), nil
	}

	inner := indent + "  "
	if len(inner) > 2*maxDepth {
		return nil, fmt.Errorf("values nested more than %d deep: %w", maxDepth, cairn.ErrUnsupported)
	}

	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '\n'), inner...)
		if dst, err = part(dst, i, inner); err != nil {
			return nil, err
		}
	}
	return append(append(append(dst, '\n'), indent...), brackets[1]), nil
}

// appendFloat appends a number so that it stays a float for readers that tell integers apart. A
// float32 is written as the float64 that it is: its shortest text would be another number to
// readers, who have no others.
func appendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("JSON has no number %v: %w", f, cairn.ErrUnsupported)
	}

	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return append(dst, s...), nil
}

func appendText(dst []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // impossible for a string
		return append(dst, `""`...)
	}
	return append(dst, b...)
}

// Members of objects, by name.

// field returns a member of an object, and nil if there is none.
func field(m meta.Map, name string) any {
	v, _ := m.Get(name)
	return v
}

// objectOf returns v as an object.
func objectOf(what string, v any) (meta.Map, error) {
	m, ok := v.(meta.Map)
	if !ok {
		return nil, corrupt("%s is not an object", what)
	}
	return m, nil
}

// textOf returns v as text.
func textOf(what string, v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", corrupt("%s is not text", what)
	}
	return s, nil
}

// intOf returns v as an integer from low to high.
func intOf(what string, v any, low, high int64) (int64, error) {
	i, ok := v.(int64)
	if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		i = int64(f)
		ok = true
	}

	if !ok || i < low || i > high {
		return 0, corrupt("%s is %v, not an integer from %d to %d", what, brief(v), low, high)
	}
	return i, nil
}

// intsOf returns v as a list of integers from low to high.
func intsOf(what string, v any, low, high int64) ([]int64, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, corrupt("%s is not a list", what)
	}

	ints := make([]int64, len(list))
	for i, item := range list {
		var err error
		if ints[i], err = intOf(what, item, low, high); err != nil {
			return nil, err
		}
	}
	return ints, nil
}

// brief returns a value as text for an error.
func brief(v any) string { return clip(fmt.Sprint(v)) }

// corrupt returns an error about a value in metadata.
func corrupt(format string, args ...any) error {
	return cairn.Corruptf("Zarr metadata", -1, format, args...)
}

// unsupported returns an error that names what cairn does not support.
func unsupported(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrUnsupported)...)
}
