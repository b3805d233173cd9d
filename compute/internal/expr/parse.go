package expr

import (
	"strings"

	"github.com/cairn-go/cairn"
)

// Parse parses an expression. Errors are of type [*Error].
func Parse(text string) (*Node, error) {
	if len(text) > MaxLength {
		return nil, Errorf(text, MaxLength, "an expression of %d bytes, at most %d are allowed: %w",
			len(text), MaxLength, cairn.ErrLimit)
	}

	list, err := tokens(text)
	if err != nil {
		return nil, err
	}

	p := &parser{text: text, tokens: list}
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}

	if p.now().kind != tokenEnd {
		return nil, p.unexpected()
	}
	return n, nil
}

// A parser goes through the tokens of an expression.
type parser struct {
	text   string
	tokens []token
	at     int
	depth  int
	nodes  int
}

// strengths are the binary operators with how strongly they bind, as in Python. ** is handled by
// power.
var strengths = map[string]int{
	"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "!=": 1,
	"|": 2, "^": 3, "&": 4, "<<": 5, ">>": 5, "+": 6, "-": 6, "*": 7, "/": 7, "//": 7, "%": 7,
}

const comparison = 1

// advice says what to write instead of words of Python that arrays have no meaning for.
var advice = map[string]string{
	"and": "& between comparisons in parentheses", "or": "| between comparisons in parentheses",
	"not": "~ before a comparison in parentheses", "if": "where(condition, x, y)", "else": "where(condition, x, y)",
	"is": "==", "in": "== for each value, joined by |", "lambda": "the expression itself", "for": "whole arrays",
}

func (p *parser) now() *token { return &p.tokens[p.at] }

// is reports whether the next token is an operator or mark.
func (p *parser) is(text string) bool {
	t := p.now()
	return t.kind == tokenOp && t.text == text
}

// take goes past the next token if it is an operator or mark.
func (p *parser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.at++
	return true
}

// unexpected returns an error about the next token.
func (p *parser) unexpected() error {
	t := p.now()
	if instead, ok := advice[t.text]; ok && t.kind == tokenName {
		return Errorf(p.text, t.pos, "%q has no meaning for arrays, write %s", t.text, instead)
	}

	if t.kind == tokenEnd {
		return Errorf(p.text, t.pos, "the expression ends too early")
	}
	return Errorf(p.text, t.pos, "unexpected %q", t.text)
}

// want goes past an operator or mark that must come next.
func (p *parser) want(text string) error {
	if p.take(text) {
		return nil
	}

	if p.now().kind == tokenEnd {
		return Errorf(p.text, p.now().pos, "%q is missing", text)
	}
	return p.unexpected()
}

// node counts and returns a node.
func (p *parser) node(n Node) (*Node, error) {
	if p.nodes++; p.nodes > MaxNodes {
		return nil, Errorf(p.text, n.Pos, "more than %d parts: %w", MaxNodes, cairn.ErrLimit)
	}
	return &n, nil
}

// enter counts a level of nesting, until leave.
func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return Errorf(p.text, p.now().pos, "parts nested more than %d deep: %w", MaxDepth, cairn.ErrLimit)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// expression parses operands joined by operators that bind more strongly than least.
func (p *parser) expression(least int) (*Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()

	left, err := p.unary()
	for depth := p.depth; err == nil; {
		op := p.now()
		strength := strengths[op.text]
		if op.kind != tokenOp || strength <= least {
			return left, nil
		}

		if depth++; depth > MaxDepth { // a + b + c is as deep as (a + b) + c
			return nil, Errorf(p.text, op.pos, "parts nested more than %d deep: %w", MaxDepth, cairn.ErrLimit)
		}

		p.at++
		var right *Node
		if right, err = p.expression(strength); err != nil {
			return nil, err
		}

		if next := p.now(); strength == comparison && next.kind == tokenOp && strengths[next.text] == comparison {
			return nil, Errorf(p.text, next.pos, "a chain of comparisons, write (a %s b) & (b %s c)",
				op.text, next.text)
		}
		left, err = p.node(Node{Kind: Binary, Pos: op.pos, Text: op.text, Args: []*Node{left, right}})
	}
	return nil, err
}

// unary parses an operand with signs before it.
func (p *parser) unary() (*Node, error) {
	t := *p.now()
	if !p.take("-") && !p.take("+") && !p.take("~") {
		return p.power()
	}

	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()

	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	return p.node(Node{Kind: Unary, Pos: t.pos, Text: t.text, Args: []*Node{x}})
}

// power parses an operand, and an exponent if there is one.
func (p *parser) power() (*Node, error) {
	base, err := p.operand()
	if err != nil || !p.is("**") {
		return base, err
	}

	pos := p.now().pos
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()

	exponent, err := p.unary() // 2**-1, and 2**3**2 from the right
	if err != nil {
		return nil, err
	}
	return p.node(Node{Kind: Binary, Pos: pos, Text: "**", Args: []*Node{base, exponent}})
}

// operand parses a name, number, call or parentheses, and the selections and fields after it.
func (p *parser) operand() (*Node, error) {
	n, err := p.atom()
	for depth := p.depth; err == nil && (p.is("[") || p.is(".")); {
		if depth++; depth > MaxDepth {
			return nil, Errorf(p.text, p.now().pos, "parts nested more than %d deep: %w", MaxDepth, cairn.ErrLimit)
		}

		if p.is("[") {
			n, err = p.index(n)
		} else {
			n, err = p.field(n)
		}
	}
	return n, err
}

// field parses a point and the name after it.
func (p *parser) field(of *Node) (*Node, error) {
	if of.Kind == Number {
		return nil, p.unexpected()
	}
	p.at++
	name := *p.now()
	if name.kind != tokenName {
		return nil, p.unexpected()
	}

	p.at++
	if p.is("(") {
		return nil, Errorf(p.text, name.pos, "arrays have no methods, write %s(…) with the array as its first argument",
			name.text)
	}
	return p.node(Node{Kind: Field, Pos: name.pos, Text: name.text, Args: []*Node{of}})
}

// index parses a selection, which is the text between brackets.
func (p *parser) index(of *Node) (*Node, error) {
	open := p.now()
	rest := p.text[open.end:]
	depth := 1
	for i, c := range []byte(rest) {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth > 0 {
			continue
		}

		end := open.end + i
		for p.now().pos < end {
			p.at++
		}

		if p.now().pos != end || !p.take("]") {
			return nil, Errorf(p.text, open.pos, "%q is not a selection", rest[:i])
		}
		return p.node(Node{Kind: Index, Pos: open.pos, Text: strings.TrimSpace(rest[:i]), Args: []*Node{of}})
	}
	return nil, Errorf(p.text, open.pos, "%q is missing after this", "]")
}

// atom parses an operand without selections.
func (p *parser) atom() (*Node, error) {
	t := *p.now()
	name := strings.TrimPrefix(t.text, "numpy.")
	if name == t.text {
		name = strings.TrimPrefix(t.text, "np.")
	}

	switch {
	case t.kind == tokenName && advice[name] == "":
		p.at++
		if p.is("(") {
			return p.call(name, t.pos)
		}
		return p.node(Node{Kind: Name, Pos: t.pos, Text: name})
	case t.kind == tokenNumber:
		p.at++
		return p.node(Node{Kind: Number, Pos: t.pos, Text: t.text})
	case t.kind == tokenString:
		p.at++
		return p.node(Node{Kind: String, Pos: t.pos, Text: t.text[1 : len(t.text)-1]})
	case p.take("("):
		return p.parentheses(t.pos)
	}
	return nil, p.unexpected()
}

// parentheses parses what follows "(": an expression, or a tuple.
func (p *parser) parentheses(pos int) (*Node, error) {
	var list []*Node
	for comma := false; ; comma = true {
		if p.is(")") && (comma || len(list) == 0) {
			break
		}

		n, err := p.expression(0)
		if err != nil {
			return nil, err
		}

		if list = append(list, n); p.take(",") {
			continue
		}
		if err := p.want(")"); err != nil {
			return nil, err
		}

		if !comma {
			return n, nil
		}
		return p.node(Node{Kind: Tuple, Pos: pos, Args: list})
	}
	p.at++
	return p.node(Node{Kind: Tuple, Pos: pos, Args: list})
}

// call parses the arguments of a function.
func (p *parser) call(name string, pos int) (*Node, error) {
	p.at++ // "("
	call := Node{Kind: Call, Pos: pos, Text: name}
	for !p.take(")") {
		key := *p.now()
		named := key.kind == tokenName && p.tokens[p.at+1].kind == tokenOp && p.tokens[p.at+1].text == "="

		if named {
			p.at += 2
		} else if len(call.Keys) > 0 {
			return nil, Errorf(p.text, key.pos, "an argument without a keyword after one with")
		}

		n, err := p.expression(0)
		if err != nil {
			return nil, err
		}

		if named {
			call.Keys = append(call.Keys, Key{key.text, key.pos, n})
		} else {
			call.Args = append(call.Args, n)
		}

		if !p.is(")") {
			if err := p.want(","); err != nil {
				return nil, err
			}
		}
	}
	return p.node(call)
}
