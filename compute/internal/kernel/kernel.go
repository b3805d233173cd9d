// Package kernel computes with vectors of items as NumPy does: its operators and functions, its
// promotion of types, its rules for overflow and division by zero. A [Value] is a tree of
// operations. Its items are computed piece by piece, so that the results of operations stay in the
// cache.
package kernel

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/slab"
)

// A Kind is a type of items. Items of Float16 are computed as float32 and rounded after each
// operation, as NumPy does.
type Kind uint8

// The kinds, in the order in which they are promoted.
const (
	Bool Kind = iota
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	Complex64
	Complex128
)

// dtypes are the kinds as NumPy names them, without byte order, and the names of their casts.
var dtypes = [...]struct{ code, name string }{
	Bool: {"b1", "bool"}, Int8: {"i1", "int8"}, Int16: {"i2", "int16"}, Int32: {"i4", "int32"}, Int64: {"i8", "int64"},
	Uint8: {"u1", "uint8"}, Uint16: {"u2", "uint16"}, Uint32: {"u4", "uint32"}, Uint64: {"u8", "uint64"},
	Float16: {"f2", "float16"}, Float32: {"f4", "float32"}, Float64: {"f8", "float64"},
	Complex64: {"c8", "complex64"}, Complex128: {"c16", "complex128"},
}

// KindOf returns the kind that a dtype's letter and size stand for.
func KindOf(letter byte, size int) (Kind, bool) {
	code := fmt.Sprintf("%c%d", letter, size)
	for k, d := range dtypes {
		if d.code == code {
			return Kind(k), true
		}
	}
	return 0, false
}

// kindNamed returns the kind of a name such as "float32".
func kindNamed(name string) (Kind, bool) {
	for k, d := range dtypes {
		if d.name == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// String returns the name, such as "float32".
func (k Kind) String() string { return dtypes[k].name }

// DType returns the dtype, such as "<f4".
func (k Kind) DType() string {
	if k.Size() == 1 {
		return "|" + dtypes[k].code
	}
	return "<" + dtypes[k].code
}

// Size returns the size of an item in bytes.
func (k Kind) Size() int {
	switch k {
	case Bool, Int8, Uint8:
		return 1
	case Int16, Uint16, Float16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Complex128:
		return 16
	}
	return 8
}

func (k Kind) isInt() bool     { return k >= Int8 && k <= Uint64 }
func (k Kind) isSigned() bool  { return k >= Int8 && k <= Int64 }
func (k Kind) isFloat() bool   { return k >= Float16 && k <= Float64 }
func (k Kind) isComplex() bool { return k >= Complex64 }

// promoted returns the kind that NumPy promotes two kinds to.
func promoted(a, b Kind) Kind {
	if a > b {
		a, b = b, a
	}

	switch {
	case a == b || a == Bool:
		return b
	case a.isInt() && b.isInt():
		if a.isSigned() == b.isSigned() {
			return b // the longer one
		}
		if a.Size() > b.Size() { // a is the signed one
			return a
		}
		return [...]Kind{1: Int16, 2: Int32, 4: Int64, 8: Float64}[b.Size()]
	case a.isInt() && b.isFloat():
		return max(b, floatOf(a))
	case b.isComplex() && floatOf(a) == Float64 || b == Complex128:
		return Complex128
	case b.isComplex():
		return Complex64
	}
	return b
}

// floatOf returns the least float that NumPy's functions use for items of a kind; for complex ones
// it returns the kind of the parts.
func floatOf(k Kind) Kind {
	switch k {
	case Bool, Int8, Uint8, Float16:
		return Float16
	case Int16, Uint16, Float32, Complex64:
		return Float32
	}
	return Float64
}

// PieceItems is the greatest number of items in a piece. Several vectors of so many items fit into
// the first-level cache.
const PieceItems = 1024

// A Piece is a number of successive items that are computed together.
type Piece struct {
	Items  int
	Serial uint64 // different from that of the piece before
	Err    error  // set by operations that fail
}

// A Vec computes vectors of items; the result is valid until the next piece.
type Vec[T any] interface{ Eval(p *Piece) []T }

// A Writer is a Vec that can compute a piece elsewhere than in its own memory.
type Writer[T any] interface {
	EvalTo(dst []T, p *Piece) // dst has p.Items items, and need not be initialized
}

// A Value is something with items: a literal, an input, or the result of an operation. It must not
// be used by several goroutines at a time.
type Value struct {
	kind    Kind
	vec     any      // a Vec of the Go type of the kind, or nil for a literal
	literal *literal // or nil
	truth   *literal // of True and False, which are ints for Python
}

// python returns a literal, that of a bool of Python included, or nil.
func (v Value) python() *literal {
	if v.literal != nil {
		return v.literal
	}
	return v.truth
}

// Kind returns the kind of the items. That of a literal is what NumPy gives it by itself.
func (v Value) Kind() Kind { return v.kind }

// A Slot is an input: a Vec whose items others provide, PieceItems at most.
type Slot[T any] struct{ Items []T }

// Eval returns the items.
func (s *Slot[T]) Eval(p *Piece) []T { return s.Items[:p.Items] }

// Input returns the value of a vector of items of a kind.
func Input[T any](k Kind, v Vec[T]) Value { return Value{kind: k, vec: v} }

// Vector returns the vector of a value, which must be of the kind of T.
func Vector[T any](v Value) Vec[T] { return v.vec.(Vec[T]) }

// Go types of items that are numbers.
type (
	signed   interface{ int8 | int16 | int32 | int64 }
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer  interface{ signed | unsigned }
	floating interface{ float32 | float64 }
	realT    interface{ integer | floating }
	complexT interface{ complex64 | complex128 }
)

// map1 is a vector of the results of a function of one argument.
type map1[X, R any] struct {
	x      Vec[X]
	fn     func(dst []R, x []X)
	out    []R
	serial uint64
}

func (m *map1[X, R]) Eval(p *Piece) []R {
	if m.serial != p.Serial {
		m.out = slab.Resize(m.out, max(p.Items, PieceItems))[:p.Items]
		m.EvalTo(m.out, p)
		m.serial = p.Serial
	}
	return m.out
}

func (m *map1[X, R]) EvalTo(dst []R, p *Piece) {
	x := m.x.Eval(p)
	m.fn(dst, x[:len(dst)])
}

// map2 is a vector of the results of a function of two arguments.
type map2[X, Y, R any] struct {
	x      Vec[X]
	y      Vec[Y]
	fn     func(dst []R, x []X, y []Y) error
	out    []R
	serial uint64
}

func (m *map2[X, Y, R]) Eval(p *Piece) []R {
	if m.serial != p.Serial {
		m.out = slab.Resize(m.out, max(p.Items, PieceItems))[:p.Items]
		m.EvalTo(m.out, p)
		m.serial = p.Serial
	}
	return m.out
}

func (m *map2[X, Y, R]) EvalTo(dst []R, p *Piece) {
	x := m.x.Eval(p)
	y := m.y.Eval(p)
	if err := m.fn(dst, x[:len(dst)], y[:len(dst)]); err != nil && p.Err == nil {
		p.Err = err
	}
}

// choice is a vector of items of x where c is true, and of y elsewhere.
type choice[T any] struct {
	c      Vec[bool]
	x, y   Vec[T]
	out    []T
	serial uint64
}

func (m *choice[T]) Eval(p *Piece) []T {
	if m.serial != p.Serial {
		m.out = slab.Resize(m.out, max(p.Items, PieceItems))[:p.Items]
		m.EvalTo(m.out, p)
		m.serial = p.Serial
	}
	return m.out
}

func (m *choice[T]) EvalTo(dst []T, p *Piece) {
	c := m.c.Eval(p)
	x := m.x.Eval(p)
	y := m.y.Eval(p)
	choose(dst, c[:len(dst)], x[:len(dst)], y[:len(dst)])
}

// repeated is a vector of one item.
type repeated[T any] struct {
	item T
	out  []T
}

func (r *repeated[T]) Eval(p *Piece) []T {
	for len(r.out) < p.Items {
		r.out = append(r.out, r.item)
	}
	return r.out[:p.Items]
}

func one[X, R any](k Kind, v Value, fn func(dst []R, x []X)) Value {
	return Value{kind: k, vec: &map1[X, R]{x: Vector[X](v), fn: fn}}
}

func two[X, R any](k Kind, a, b Value, fn func(dst []R, x, y []X) error) Value {
	return Value{kind: k, vec: &map2[X, X, R]{x: Vector[X](a), y: Vector[X](b), fn: fn}}
}

// sure makes a function that cannot fail one that may.
func sure[X, Y, R any](fn func(dst []R, x []X, y []Y)) func(dst []R, x []X, y []Y) error {
	return func(dst []R, x []X, y []Y) error {
		fn(dst, x, y)
		return nil
	}
}

// errKinds is the error for an operation that does not exist for some kinds.
func errKinds(op string, values ...Value) error {
	text := ""
	for i, v := range values {
		if i > 0 {
			text += " and "
		}
		text += v.kind.String()
	}
	return fmt.Errorf("%s is not possible for %s: %w", op, text, cairn.ErrType)
}
