package kernel

import (
	"strings"
	"testing"
)

// TestEveryOperationOfEveryKind shows that each operation of items of each two kinds either is
// refused or has as many items as are asked for.
func TestEveryOperationOfEveryKind(t *testing.T) {
	names := append(Functions(), strings.Fields("+ - * / // % ** & | ^ << >> < <= > >= == !=")...)
	items := []string{"0", "1", "3"}
	if testing.Short() {
		items = items[2:]
	}
	made, refused := 0, 0
	for a := range dtypes {
		for b := range dtypes {
			for _, item := range items {
				n, err := Number(item)
				if err != nil {
					t.Fatal(err)
				}
				x, err := Cast(n, Kind(a))
				if err != nil {
					t.Fatal(err)
				}
				y, err := Cast(n, Kind(b))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					for _, args := range [][]Value{{x}, {x, y}, {x, n}, {n, y}, {x, y, x}} {
						v, err := Call(name, args...)
						if err != nil {
							refused++
							continue
						}
						made++
						if n := evaluate(t, v, 5); n != 5 {
							t.Fatalf("%s of %v and %v has %d items, want 5", name, Kind(a), Kind(b), n)
						}
					}
				}
			}
		}
	}
	if made < 5_000 || refused < 5_000 {
		t.Errorf("%d operations were possible, %d were not", made, refused)
	}
}

// evaluate returns how many items a vector has for a piece of n items.
func evaluate(t *testing.T, v Value, n int) int {
	v, err := Typed(v)
	if err != nil {
		return n // an integer that no kind can hold
	}
	p := &Piece{Items: n, Serial: 1}
	switch vec := v.vec.(type) {
	case Vec[bool]:
		return len(vec.Eval(p))
	case Vec[int8]:
		return len(vec.Eval(p))
	case Vec[int16]:
		return len(vec.Eval(p))
	case Vec[int32]:
		return len(vec.Eval(p))
	case Vec[int64]:
		return len(vec.Eval(p))
	case Vec[uint8]:
		return len(vec.Eval(p))
	case Vec[uint16]:
		return len(vec.Eval(p))
	case Vec[uint32]:
		return len(vec.Eval(p))
	case Vec[uint64]:
		return len(vec.Eval(p))
	case Vec[float32]:
		return len(vec.Eval(p))
	case Vec[float64]:
		return len(vec.Eval(p))
	case Vec[complex64]:
		return len(vec.Eval(p))
	case Vec[complex128]:
		return len(vec.Eval(p))
	}
	t.Fatalf("%v has vectors of type %T", v.kind, v.vec)
	return 0
}
