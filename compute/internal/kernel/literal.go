package kernel

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// A literal is a number without a dtype: an int or a float of Python. It takes the kind of what it
// is combined with.
type literal struct {
	int   *big.Int // nil for a float
	float float64
}

// maxBits is the greatest length of an int.
const maxBits = 128

// Number returns the value of a number as it is written in Python.
func Number(text string) (Value, error) {
	if i, ok := new(big.Int).SetString(text, 0); ok && len(text) <= maxBits {
		if len(text) > 1 && text[0] == '0' && strings.Trim(text, "01234567_") == "" && strings.Trim(text, "0_") != "" {
			return Value{}, fmt.Errorf("%s has leading zeros: %w", text, cairn.ErrUnsupported)
		}
		return intLiteral(i)
	}

	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, fmt.Errorf("%q is not a number: %w", text, cairn.ErrUnsupported)
	}
	return Float(f), nil
}

// Float returns a float without a dtype.
func Float(f float64) Value { return Value{kind: Float64, literal: &literal{float: f}} }

// boolValue returns True or False.
func boolValue(b bool) Value {
	n := big.NewInt(0)
	if b {
		n.SetInt64(1)
	}
	return Value{kind: Bool, vec: &repeated[bool]{item: b}, truth: &literal{int: n}}
}

// Constant returns the value of a name of Python or NumPy: pi, e, inf, nan, True or False.
func Constant(name string) (Value, bool) {
	switch name {
	case "pi":
		return Float(math.Pi), true
	case "e":
		return Float(math.E), true
	case "inf":
		return Float(math.Inf(1)), true
	case "nan":
		return Float(math.NaN()), true
	case "True", "False":
		return boolValue(name == "True"), true
	}
	return Value{}, false
}

func intLiteral(i *big.Int) (Value, error) {
	if i.BitLen() > maxBits {
		return Value{}, fmt.Errorf("an integer of more than %d bits: %w", maxBits, cairn.ErrLimit)
	}

	k := Int64
	if i.IsUint64() && !i.IsInt64() {
		k = Uint64
	}
	return Value{kind: k, literal: &literal{int: i}}, nil
}

// Int returns a literal as an int.
func (v Value) Int() (int64, bool) {
	if v.literal == nil || v.literal.int == nil || !v.literal.int.IsInt64() {
		return 0, false
	}
	return v.literal.int.Int64(), true
}

// Number returns a literal as a float.
func (v Value) Number() (float64, bool) {
	if v.literal == nil {
		return 0, false
	}
	return v.literal.value(), true
}

func (l *literal) value() float64 {
	if l.int == nil {
		return l.float
	}
	f, _ := new(big.Float).SetInt(l.int).Float64()
	return f
}

// Typed returns v itself or, for a literal, a value of the kind that NumPy gives it.
func Typed(v Value) (Value, error) {
	if v.literal == nil {
		v.truth = nil
		return v, nil
	}
	return v.literal.as(v.kind)
}

// as returns the literal as a value of a kind.
func (l *literal) as(k Kind) (Value, error) {
	f := l.value()

	switch k {
	case Bool:
		return constant(k, f != 0), nil
	case Float16:
		return constant(k, ndarray.Float16FromBits(half(f)).Float32()), nil
	case Float32:
		return constant(k, float32(f)), nil
	case Float64:
		return constant(k, f), nil
	case Complex64:
		return constant(k, complex(float32(f), 0)), nil
	case Complex128:
		return constant(k, complex(f, 0)), nil
	}

	i := l.int
	if i == nil { // a cast of a float, which is cut off
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return Value{}, fmt.Errorf("%v is no integer: %w", f, cairn.ErrBounds)
		}
		i, _ = big.NewFloat(f).Int(nil)
	}

	if !fits(i, k) {
		return Value{}, fmt.Errorf("%v is out of the range of %v: %w", i, k, cairn.ErrBounds)
	}
	return types[k].constant(k, i), nil
}

// fits reports whether an int is in the range of an integer kind.
func fits(i *big.Int, k Kind) bool {
	bits := 8 * k.Size()
	if k.isSigned() {
		return i.BitLen() < bits || i.Sign() < 0 && new(big.Int).Not(i).BitLen() < bits
	}
	return i.Sign() >= 0 && i.BitLen() <= bits
}

func constant[T any](k Kind, item T) Value { return Value{kind: k, vec: &repeated[T]{item: item}} }

// IsLiteral reports whether a value is a number without a dtype.
func (v Value) IsLiteral() bool { return v.literal != nil }

// fold computes with two literals, as Python does.
func fold(op string, a, b Value) (Value, error) {
	x := a.python()
	y := b.python()

	if a.truth != nil && b.truth != nil && strings.Contains("&|^", op) {
		v, err := foldInts(op, x.int, y.int)
		if err != nil {
			return v, err
		}
		return boolValue(v.literal.int.Sign() != 0), nil
	}

	if x.int != nil && y.int != nil && op != "/" {
		return foldInts(op, x.int, y.int)
	}

	f := x.value()
	g := y.value()
	if g == 0 && (op == "/" || op == "//" || op == "%") {
		return Value{}, fmt.Errorf("division by zero: %w", cairn.ErrBounds)
	}

	switch op {
	case "+":
		return Float(f + g), nil
	case "-":
		return Float(f - g), nil
	case "*":
		return Float(f * g), nil
	case "/":
		return Float(f / g), nil
	case "//":
		return Float(floorQuotient(f, g)), nil
	case "%":
		return Float(remainder(f, g)), nil
	case "**":
		return Float(math.Pow(f, g)), nil
	case "<", "<=", ">", ">=", "==", "!=":
		return boolValue(compares(op, f < g, f == g, f == f && g == g)), nil
	}
	return Value{}, errKinds(op, a, b)
}

func foldInts(op string, x, y *big.Int) (Value, error) {
	var z big.Int

	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "&":
		z.And(x, y)
	case "|":
		z.Or(x, y)
	case "^":
		z.Xor(x, y)
	case "<", "<=", ">", ">=", "==", "!=":
		return boolValue(compares(op, x.Cmp(y) < 0, x.Cmp(y) == 0, true)), nil
	case "//", "%":
		if y.Sign() == 0 {
			return Value{}, fmt.Errorf("division by zero: %w", cairn.ErrBounds)
		}

		var rest big.Int
		z.QuoRem(x, y, &rest)
		if rest.Sign() != 0 && rest.Sign() != y.Sign() { // round down, not towards zero
			z.Sub(&z, big.NewInt(1))
			rest.Add(&rest, y)
		}
		if op == "%" {
			z = rest
		}
	case "**", "<<", ">>":
		return foldPower(op, x, y)
	}
	return intLiteral(&z)
}

// foldPower is foldInts for operations whose results may be very long.
func foldPower(op string, x, y *big.Int) (Value, error) {
	var z big.Int
	if y.Sign() < 0 {
		if op == "**" && x.Sign() != 0 {
			f, _ := new(big.Float).SetInt(x).Float64()
			g, _ := new(big.Float).SetInt(y).Float64()
			return Float(math.Pow(f, g)), nil
		}
		return Value{}, fmt.Errorf("%v %s %v is not possible: %w", x, op, y, cairn.ErrBounds)
	}

	long := !y.IsInt64() || y.Int64() > maxBits
	switch {
	case op == ">>" && long:
		z.Rsh(x, maxBits+1)
	case op == ">>":
		z.Rsh(x, uint(y.Int64()))
	case x.Sign() == 0 || op == "**" && x.IsInt64() && x.Int64() == 1:
		z.Set(x)
		if op == "**" && y.Sign() == 0 {
			z.SetInt64(1)
		}
	case long:
		return Value{}, fmt.Errorf("an integer of more than %d bits: %w", maxBits, cairn.ErrLimit)
	case op == "<<":
		z.Lsh(x, uint(y.Int64()))
	default:
		z.Exp(x, y, nil)
	}
	return intLiteral(&z)
}

// compares returns the result of a comparison of x and y. ordered is false if one is NaN.
func compares(op string, less, equal, ordered bool) bool {
	switch op {
	case "<":
		return less
	case "<=":
		return less || equal
	case ">":
		return ordered && !less && !equal
	case ">=":
		return ordered && !less
	case "==":
		return equal
	}
	return !equal
}
