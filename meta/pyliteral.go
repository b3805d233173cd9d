package meta

import (
	"strconv"
	"unicode"

	"github.com/cairn-go/cairn"
)

// Structured dtypes are stored as the text of a Python expression. This file parses the part of
// Python that occurs in them: tuples, lists, dicts, strings, integers, True, False, None, dotted
// names such as numpy.record, and calls such as dtype('int32'), which occur in very old files.

// maxLiteralDepth bounds nesting; NumPy's own limit is similar.
const maxLiteralDepth = 32

type pyKind uint8

const (
	pyNone pyKind = iota
	pyBool
	pyInt
	pyString
	pyTuple
	pyList
	pyDict    // items: key, value, key, value, …
	pyName    // text: the dotted name
	pyCall    // text: the function; items: the arguments
	pyKeyword // text: the argument's name; items: its value; only inside pyCall
)

// String returns the Python name of the kind.
func (k pyKind) String() string {
	return [...]string{"None", "a bool", "an integer", "a string", "a tuple", "a list", "a dict", "a name",
		"a call", "a keyword argument"}[k]
}

// pyNode is one value with the offset of its text.
type pyNode struct {
	kind  pyKind
	at    int
	text  string
	num   int64 // of pyInt; 1 for True
	items []pyNode
}

type pyParser struct {
	text string
	pos  int
}

// parsePython parses text as a single value.
func parsePython(text string) (pyNode, error) {
	p := pyParser{text: text}
	n, err := p.value(0)
	if err != nil {
		return pyNode{}, err
	}
	p.space()
	if p.pos < len(text) {
		return pyNode{}, dtypeErrorf(p.pos, "%q after the end of the expression", clip(text[p.pos:]))
	}
	return n, nil
}

func dtypeErrorf(at int, format string, args ...any) *cairn.CorruptError {
	return cairn.Corruptf("dtype", int64(at), format, args...)
}

// clip shortens text for an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

func (p *pyParser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not space, 0 at the end.
func (p *pyParser) peek() byte {
	p.space()
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *pyParser) take(c byte) bool {
	if p.peek() == c && p.pos < len(p.text) {
		p.pos++
		return true
	}
	return false
}

func (p *pyParser) value(depth int) (pyNode, error) {
	c := p.peek()
	at := p.pos
	if depth > maxLiteralDepth {
		return pyNode{}, dtypeErrorf(at, "nested more than %d deep", maxLiteralDepth)
	}

	switch {
	case c == '(':
		return p.tuple(depth)
	case c == '[':
		items, _, err := p.sequence(']', depth, p.element)
		return pyNode{kind: pyList, at: at, items: items}, err
	case c == '{':
		items, _, err := p.sequence('}', depth, p.entry)
		return pyNode{kind: pyDict, at: at, items: items}, err
	case c == '\'' || c == '"':
		text, err := p.str()
		return pyNode{kind: pyString, at: at, text: text}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.integer()
	case isNameStart(c):
		return p.name(depth)
	case p.pos >= len(p.text):
		return pyNode{}, dtypeErrorf(at, "ends where a value should be")
	}
	return pyNode{}, dtypeErrorf(at, "%q where a value should be", clip(p.text[p.pos:]))
}

// tuple parses from the opening parenthesis. A single value without a comma is not a tuple, as in
// Python.
func (p *pyParser) tuple(depth int) (pyNode, error) {
	at := p.pos
	items, comma, err := p.sequence(')', depth, p.element)
	if err == nil && len(items) == 1 && !comma {
		return items[0], nil
	}
	return pyNode{kind: pyTuple, at: at, items: items}, err
}

// sequence parses from an opening to the closing byte. comma reports whether the last part, if any,
// was followed by a comma.
func (p *pyParser) sequence(closing byte, depth int,
	part func(depth int) ([]pyNode, error)) (items []pyNode, comma bool, err error) {
	p.pos++
	comma = true
	for !p.take(closing) {
		if !comma {
			return nil, false, dtypeErrorf(p.pos, "no comma or %q", string(rune(closing)))
		}
		nodes, err := part(depth + 1)
		if err != nil {
			return nil, false, err
		}
		items = append(items, nodes...)
		comma = p.take(',')
	}
	return items, comma, nil
}

// element parses an element of a list or tuple.
func (p *pyParser) element(depth int) ([]pyNode, error) {
	n, err := p.value(depth)
	return []pyNode{n}, err
}

// entry parses a key and a value of a dict.
func (p *pyParser) entry(depth int) ([]pyNode, error) {
	key, err := p.value(depth)
	if err != nil {
		return nil, err
	}
	if !p.take(':') {
		return nil, dtypeErrorf(p.pos, "no colon after the key of a dict")
	}
	value, err := p.value(depth)
	return []pyNode{key, value}, err
}

// argument parses an argument of a call.
func (p *pyParser) argument(depth int) ([]pyNode, error) {
	arg, err := p.value(depth)
	if err == nil && arg.kind == pyName && p.take('=') {
		var value pyNode
		value, err = p.value(depth)
		arg = pyNode{kind: pyKeyword, at: arg.at, text: arg.text, items: []pyNode{value}}
	}
	return []pyNode{arg}, err
}

func (p *pyParser) integer() (pyNode, error) {
	at := p.pos
	if p.text[p.pos] == '-' {
		p.pos++
	}
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}

	num, err := strconv.ParseInt(p.text[at:p.pos], 10, 64)
	if err != nil {
		return pyNode{}, dtypeErrorf(at, "%q is no integer of 64 bits", clip(p.text[at:p.pos]))
	}
	return pyNode{kind: pyInt, at: at, num: num}, nil
}

func isNameStart(c byte) bool {
	return c == '_' || c < 0x80 && unicode.IsLetter(rune(c))
}

// name parses a constant, a dotted name, a string with the prefix u, or a call.
func (p *pyParser) name(depth int) (pyNode, error) {
	at := p.pos
	for p.pos < len(p.text) && (isNameStart(p.text[p.pos]) || p.text[p.pos] == '.' || p.text[p.pos] >= '0' && p.text[p.pos] <= '9') {
		p.pos++
	}
	name := p.text[at:p.pos]

	switch name {
	case "None":
		return pyNode{kind: pyNone, at: at}, nil
	case "True":
		return pyNode{kind: pyBool, at: at, num: 1}, nil
	case "False":
		return pyNode{kind: pyBool, at: at}, nil
	case "u", "U":
		if p.pos < len(p.text) && (p.text[p.pos] == '\'' || p.text[p.pos] == '"') {
			text, err := p.str()
			return pyNode{kind: pyString, at: at, text: text}, err
		}
	}

	if p.peek() == '(' {
		args, _, err := p.sequence(')', depth, p.argument)
		return pyNode{kind: pyCall, at: at, text: name, items: args}, err
	}
	return pyNode{kind: pyName, at: at, text: name}, nil
}
