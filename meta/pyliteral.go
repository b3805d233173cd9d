package meta

import (
	"strconv"
	"unicode"

	"github.com/cairn-go/cairn"
)

// Structured dtypes are stored as the text of a Python expression. This file reads the part of
// Python that occurs in them: tuples, lists, dicts, strings, integers, True, False, None, dotted
// names such as numpy.record, and calls such as dtype('int32'), which very old files may hold.

// maxLiteralDepth bounds nesting; NumPy itself gives up at a similar depth.
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

// String returns Python's word for the kind.
func (k pyKind) String() string {
	switch k {
	case pyNone:
		return "None"
	case pyBool:
		return "a bool"
	case pyInt:
		return "an integer"
	case pyString:
		return "a string"
	case pyTuple:
		return "a tuple"
	case pyList:
		return "a list"
	case pyDict:
		return "a dict"
	case pyName:
		return "a name"
	case pyCall:
		return "a call"
	}
	return "a keyword argument"
}

// pyNode is one value with the offset at which its text starts.
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

// parsePython reads text as one value with nothing behind it.
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

// clip shortens text that goes into an error.
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
		p.pos++
		items, _, err := p.sequence(']', depth)
		return pyNode{kind: pyList, at: at, items: items}, err
	case c == '{':
		return p.dict(depth)
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

// tuple reads from the opening parenthesis. One value without a comma is that value, as in Python.
func (p *pyParser) tuple(depth int) (pyNode, error) {
	at := p.pos
	p.pos++
	items, comma, err := p.sequence(')', depth)
	if err == nil && len(items) == 1 && !comma {
		return items[0], nil
	}
	return pyNode{kind: pyTuple, at: at, items: items}, err
}

// sequence reads values up to the closing byte; comma tells whether one stood behind the last
// value.
func (p *pyParser) sequence(closing byte, depth int) (items []pyNode, comma bool, err error) {
	for {
		if p.take(closing) {
			return items, comma, nil
		}
		if len(items) > 0 && !comma {
			return nil, false, p.missing(closing)
		}
		n, err := p.value(depth + 1)
		if err != nil {
			return nil, false, err
		}
		items = append(items, n)
		comma = p.take(',')
	}
}

func (p *pyParser) missing(closing byte) error {
	return dtypeErrorf(p.pos, "no comma or %q", string(rune(closing)))
}

func (p *pyParser) dict(depth int) (pyNode, error) {
	n := pyNode{kind: pyDict, at: p.pos}
	p.pos++
	comma := true
	for !p.take('}') {
		if !comma {
			return pyNode{}, p.missing('}')
		}
		key, err := p.value(depth + 1)
		if err != nil {
			return pyNode{}, err
		}
		if !p.take(':') {
			return pyNode{}, dtypeErrorf(p.pos, "no colon after the key of a dict")
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return pyNode{}, err
		}
		n.items = append(n.items, key, value)
		comma = p.take(',')
	}
	return n, nil
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

// name reads a constant, a dotted name, a string with the prefix u, or a call.
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
	if p.take('(') {
		args, err := p.arguments(depth)
		return pyNode{kind: pyCall, at: at, text: name, items: args}, err
	}
	return pyNode{kind: pyName, at: at, text: name}, nil
}

// arguments reads what stands in the parentheses of a call.
func (p *pyParser) arguments(depth int) ([]pyNode, error) {
	var args []pyNode
	comma := true
	for !p.take(')') {
		if !comma {
			return nil, p.missing(')')
		}
		arg, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if arg.kind == pyName && p.take('=') {
			value, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			arg = pyNode{kind: pyKeyword, at: arg.at, text: arg.text, items: []pyNode{value}}
		}
		args = append(args, arg)
		comma = p.take(',')
	}
	return args, nil
}
