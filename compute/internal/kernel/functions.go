package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
)

// pairFunctions are functions of two floats. They are also what Binary has no operators for.
var pairFunctions = map[string]func(a, b float64) float64{
	"**": power, "arctan2": math.Atan2, "hypot": math.Hypot, "copysign": math.Copysign,
}

// floatFunctions are functions of a float.
var floatFunctions = map[string]func(float64) float64{
	"cbrt": math.Cbrt, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"log": math.Log, "log2": log2, "log10": log10, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"arcsin": math.Asin, "arccos": math.Acos, "arctan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"arcsinh": math.Asinh, "arccosh": math.Acosh, "arctanh": math.Atanh,
	"degrees": func(v float64) float64 { return v * (180 / math.Pi) },
	"radians": func(v float64) float64 { return v * (math.Pi / 180) },
}

// aliases are further names of functions.
var aliases = map[string]string{
	"absolute": "abs", "fabs": "abs", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
	"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "**", "power": "**",
	"mod": "%", "remainder": "%",
	"floor_divide": "//", "true_divide": "/", "divide": "/", "add": "+", "subtract": "-", "multiply": "*",
	"rad2deg": "degrees", "deg2rad": "radians", "conjugate": "conj", "around": "round",
	"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>",
	"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}

// others are functions with rules of their own, and the numbers of their arguments.
var others = map[string]int{
	"abs": 1, "sqrt": 1, "square": 1, "reciprocal": 1, "floor": 1, "ceil": 1, "trunc": 1, "rint": 1, "round": 1,
	"sign": 1, "isnan": 1, "isinf": 1, "isfinite": 1, "real": 1, "imag": 1, "conj": 1, "angle": 1,
	"logical_not": 1, "invert": 1,
	"negative": 1, "minimum": 2, "maximum": 2, "fmin": 2, "fmax": 2, "logical_and": 2, "logical_or": 2,
	"logical_xor": 2, "where": 3, "clip": 3,
}

// Functions returns the names of all functions, sorted.
func Functions() []string {
	var all []string
	for name := range floatFunctions {
		all = append(all, name)
	}
	for name := range others {
		all = append(all, name)
	}
	for name := range aliases {
		all = append(all, name)
	}
	for _, d := range dtypes {
		all = append(all, d.name)
	}

	all = append(all, "arctan2", "hypot", "copysign")
	slices.Sort(all)
	return all
}

// Call returns the result of a function or a cast. The error matches [cairn.ErrNotFound] if there
// is none of the name.
func Call(name string, args ...Value) (Value, error) {
	if own, ok := aliases[name]; ok {
		name = own
	}

	if name == "round" && len(args) == 2 {
		return roundTo(args[0], args[1])
	}

	want, ok := others[name]
	_, cast := kindNamed(name)
	switch {
	case ok:
	case floatFunctions[name] != nil || cast:
		want = 1
	case pairFunctions[name] != nil || aliased(name):
		want = 2
	default:
		return Value{}, fmt.Errorf("no function %q: %w", name, cairn.ErrNotFound)
	}

	if len(args) != want {
		return Value{}, fmt.Errorf("%s takes %d arguments, not %d: %w", name, want, len(args), cairn.ErrBounds)
	}

	switch want {
	case 1:
		return call1(name, args[0])
	case 2:
		return call2(name, args[0], args[1])
	}

	if name == "where" {
		return where(args[0], args[1], args[2])
	}

	low, err := call2("maximum", args[0], args[1])
	if err != nil {
		return low, err
	}
	return call2("minimum", low, args[2])
}

// aliased reports whether name is an operator that has a name too.
func aliased(name string) bool {
	for _, own := range aliases {
		if own == name {
			return true
		}
	}
	return false
}

// call1 returns the result of a function of one argument.
func call1(name string, x Value) (Value, error) {
	if k, ok := kindNamed(name); ok {
		return Cast(x, k)
	}

	x, err := Typed(x)
	if err != nil {
		return x, err
	}

	if of, ok := complexFunctions[name]; ok && x.kind.isComplex() {
		if x.kind == Complex64 {
			return one(x.kind, x, eachComplex[complex64](of)), nil
		}
		return one(x.kind, x, eachComplex[complex128](of)), nil
	}

	if of, ok := floatFunctions[name]; ok {
		return inFloats(name, x, eachFloat[float32](of), eachFloat[float64](of))
	}

	switch name {
	case "abs":
		return magnitudes(x), nil
	case "sqrt":
		return inFloats(name, x, roots[float32], roots[float64])
	case "square":
		return squares(x)
	case "reciprocal":
		if !x.kind.isFloat() {
			return x, errKinds(name, x)
		}
		v, _, err := knownPower(x, Float(-1), x.kind)
		return v, err
	case "floor", "ceil", "trunc", "rint", "round":
		return wholeNumbers(name, x)
	case "sign":
		return directions(x)
	case "isnan", "isinf", "isfinite":
		return classes(name, x)
	case "real", "imag", "conj":
		return parts(name, x)
	case "angle":
		// The arguments of complex numbers, in radians.
		im, err := parts("imag", x)
		if err != nil {
			return x, err
		}
		re, err := parts("real", x)
		if err != nil {
			return x, err
		}
		return call2("arctan2", im, re)
	case "negative":
		return Unary("-", x)
	case "invert":
		return Unary("~", x)
	}

	if x, err = Cast(x, Bool); err != nil { // logical_not
		return x, err
	}
	return Unary("~", x)
}

// call2 returns the result of a function of two arguments, or of an operator.
func call2(name string, x, y Value) (Value, error) {
	var err error
	if logical, ok := map[string]string{"logical_and": "&", "logical_or": "|", "logical_xor": "^"}[name]; ok {
		if x, err = Cast(x, Bool); err != nil {
			return x, err
		}

		y, err = Cast(y, Bool)
		if err != nil {
			return x, err
		}
		return Binary(logical, x, y)
	}

	if x.literal != nil && y.literal != nil {
		if x, err = Typed(x); err != nil {
			return x, err
		}

		y, err = Typed(y)
		if err != nil {
			return x, err
		}
	}

	_, own := others[name]
	if _, pair := pairFunctions[name]; !own && (!pair || name == "**") {
		return Binary(name, x, y)
	}

	k := common(x, y)
	if !own && !k.isFloat() {
		if k.isComplex() {
			return x, errKinds(name, x, y)
		}
		// int8 and uint8 both fit into float16, although what they are promoted to does not.
		if k = floatOf(k); x.literal == nil && y.literal == nil {
			k = max(floatOf(x.kind), floatOf(y.kind))
		}
	}

	if k == Bool {
		v, _ := bools(name, x, y)
		return v, nil
	}

	if x, y, err = both(x, y, k); err != nil {
		return x, err
	}
	return arithmetic(name, x, y)
}

// inFloats returns the result of a function of floats for items of any kind but complex ones.
func inFloats(name string, x Value, single func(dst, x []float32), double func(dst, x []float64)) (Value, error) {
	if x.kind.isComplex() {
		return x, errKinds(name, x)
	}

	k := floatOf(x.kind)
	x, err := Cast(x, k)
	if err != nil {
		return x, err
	}

	if k == Float64 {
		return one(k, x, double), nil
	}
	return rounded(one(k, x, single), k), nil
}

// squares returns x·x; those of bools are int8, as in NumPy.
func squares(x Value) (Value, error) {
	k := x.kind
	if k == Bool {
		k = Int8
	}

	x, err := Cast(x, k)
	if err != nil {
		return x, err
	}
	return arithmetic("*", x, x)
}

func eachFloat[T floating](of func(float64) float64) func(dst, x []T) {
	return func(dst, x []T) {
		for i, v := range x {
			dst[i] = T(of(float64(v)))
		}
	}
}

// cubes rounds once, unlike a product of float32.
func cubes(dst, x []float32) {
	for i, v := range x {
		v := float64(v)
		dst[i] = float32(v * v * v)
	}
}

func roots[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Sqrt(float64(v)))
	}
}
