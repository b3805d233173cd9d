// Package expr parses expressions over arrays in the notation of Python and NumPy, such as
// "(a - mean(b, axis=0)) / std(b, axis=0)". It knows nothing of what names and functions mean.
//
// The grammar is Python's, so that an expression means what it means there: & and | bind tighter
// than comparisons, ** binds tighter than a minus before it, and // divides. The grammar of Go, as
// go/parser has it, differs in all three. What has no meaning for arrays, such as a < b < c, or
// "and" between them, is refused with the way to write it.
package expr

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of an expression.
const (
	MaxLength = 16 << 10 // bytes of an expression
	MaxDepth  = 200      // parts of an expression in each other
	MaxNodes  = 4096     // names, numbers and operations of an expression
)

// A Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Name   Kind = iota // of a source or a constant
	Number             // without a dtype
	String
	Tuple
	Unary
	Binary // comparisons included
	Call
	Index
	Field // of records, or something else that a name after a point stands for
)

// A Node is a part of an expression.
type Node struct {
	Kind Kind
	Pos  int // of the byte at which errors point: that of the operator or function
	// Text is a name, an operator, a number as it was written, the content of a string, the
	// selection of an Index, or the name of a Field.
	Text string
	Args []*Node
	Keys []Key // of a Call
}

// Equal reports whether two nodes say the same, perhaps in different places.
func (n *Node) Equal(other *Node) bool {
	return n.Kind == other.Kind && n.Text == other.Text &&
		slices.EqualFunc(n.Args, other.Args, (*Node).Equal) &&
		slices.EqualFunc(n.Keys, other.Keys, func(a, b Key) bool { return a.Name == b.Name && a.Value.Equal(b.Value) })
}

// A Key is an argument with a keyword.
type Key struct {
	Name  string
	Pos   int
	Value *Node
}

// An Error is a mistake in an expression.
type Error struct {
	Text string // the expression
	Pos  int    // of a byte in it
	Err  error
}

// Errorf returns an error at a position of an expression.
func Errorf(text string, pos int, format string, args ...any) error {
	return &Error{text, pos, fmt.Errorf(format, args...)}
}

// Error returns the message with the place, counted in characters from 1.
func (e *Error) Error() string {
	pos := min(max(e.Pos, 0), len(e.Text))
	return fmt.Sprintf("at character %d: %v", utf8.RuneCountInString(e.Text[:pos])+1, e.Err)
}

// Unwrap returns the error without the place.
func (e *Error) Unwrap() error { return e.Err }
