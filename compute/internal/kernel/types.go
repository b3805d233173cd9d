package kernel

import "math/big"

// An ops is what there is for the items of a kind. Items of Float16 are computed as float32.
type ops struct {
	cast       func(to Kind, v Value) Value
	arithmetic func(op string, x, y Value) (Value, error) // nil for bools
	compare    func(op string, x, y Value) Value          // nil for bools
	signs      func(op string, x Value) Value             // -x or ~x
	magnitude  func(x Value) Value                        // nil if it is x
	direction  func(x Value) Value                        // -1, 0, 1 or NaN; nil if there is none
	choose     func(c, x, y Value) Value
	constant   func(k Kind, i *big.Int) Value // an integer; nil for other kinds
}

// types are the operations of each kind, of which a kind has one row.
var types = [...]ops{
	Bool:       {cast: castBools, choose: chosen[bool]},
	Int8:       signedOps[int8](),
	Int16:      signedOps[int16](),
	Int32:      signedOps[int32](),
	Int64:      signedOps[int64](),
	Uint8:      integerOps[uint8](),
	Uint16:     integerOps[uint16](),
	Uint32:     integerOps[uint32](),
	Uint64:     integerOps[uint64](),
	Float16:    floatOps[float32](),
	Float32:    floatOps[float32](),
	Float64:    floatOps[float64](),
	Complex64:  complexOps[complex64, float32](Float32),
	Complex128: complexOps[complex128, float64](Float64),
}

func integerOps[T integer]() ops {
	return ops{
		cast: castFrom[T], arithmetic: integers[T], compare: comparison[T], signs: integerSigns[T],
		direction: same(sign[T]), choose: chosen[T],
		constant: func(k Kind, i *big.Int) Value { return constant(k, T(i.Uint64())) },
	}
}

func signedOps[T signed]() ops {
	o := integerOps[T]()
	o.magnitude = same(absolute[T])
	o.constant = func(k Kind, i *big.Int) Value { return constant(k, T(i.Int64())) }
	return o
}

func floatOps[T floating]() ops {
	return ops{
		cast: castFrom[T], compare: comparison[T], signs: negatives[T], magnitude: same(absoluteFloats[T]),
		direction: same(sign[T]), choose: chosen[T],
		arithmetic: func(op string, x, y Value) (Value, error) {
			v, err := floats[T](op, x, y)
			if err != nil {
				return v, err
			}
			return rounded(v, x.kind), nil
		},
	}
}

// complexOps returns the operations of complex numbers, whose parts are of type F and a kind.
func complexOps[T complexT, F floating](parts Kind) ops {
	return ops{
		cast: castComplex[T], arithmetic: complexes[T], compare: complexComparison[T], signs: negatives[T],
		magnitude: func(x Value) Value { return one(parts, x, moduli[T, F]) },
		choose:    chosen[T],
	}
}

// same returns a function whose results are of the kind of its argument.
func same[T any](fn func(dst, x []T)) func(x Value) Value {
	return func(x Value) Value { return one(x.kind, x, fn) }
}
