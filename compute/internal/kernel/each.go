package kernel

// A Reading computes with values as numbers that stand for something else, such as times: those of
// integers as int64, and those of floats as float64.
type Reading[R any] struct {
	Ints   func(dst []R, x []int64)
	Floats func(dst []R, x []float64)
}

// Read returns what a reading makes of real numbers, as values of a kind.
func Read[R any](k Kind, v Value, r Reading[R]) (Value, error) {
	v, err := Typed(v)
	if err != nil {
		return v, err
	}

	switch {
	case v.kind.isComplex():
		return v, errKinds("a name or a time", v)
	case v.kind.isFloat():
		v, err = Cast(v, Float64)
		return one(k, v, r.Floats), err
	}
	v, err = Cast(v, Int64)
	return one(k, v, r.Ints), err
}

// IsFloat reports whether items are real floats.
func (k Kind) IsFloat() bool { return k.isFloat() }
