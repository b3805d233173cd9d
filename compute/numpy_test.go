package compute

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// numpyCase is NumPy's result for an array: see testdata/numpy/reductions.py.
type numpyCase struct {
	Op, DType, Want string
	NaN, Skip       bool
	Axes            []int
}

var numpyShape = ndarray.Shape{4, 5, 6}

// numpyItems returns the items of the script's array.
func numpyItems[T ndarray.Real](nan bool) []T {
	values := make([]T, 4*5*6)
	for i := range values {
		x := uint32(uint64(i)*2654435761 + 12345)
		switch {
		case nan && x%7 == 3:
			values[i] = T(math.NaN())
		case x%5 == 0:
			values[i] = 0
		case isFloat[T]():
			values[i] = T((float64(x)/4294967296 - 0.5) * 1000)
		default:
			values[i] = T(x >> 7)
		}
	}
	return values
}

// texts returns the items of a result as texts.
func texts[R any](t *testing.T, a ndarray.Array[R], err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	values, err := a.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
		if b, ok := any(v).(bool); ok {
			out[i] = map[bool]string{true: "1", false: "0"}[b]
		}
	}
	return out
}

func runCase[T ndarray.Real, R realTotal](t *testing.T, c numpyCase, a ndarray.Array[T]) []string {
	ctx, o := t.Context(), &Options{Axes: c.Axes, SkipNaN: c.Skip}
	switch c.Op {
	case "sum":
		r, err := Sum[R](ctx, a, o)
		return texts(t, r, err)
	case "prod":
		r, err := Prod[R](ctx, a, o)
		return texts(t, r, err)
	case "mean":
		r, err := Mean(ctx, a, o)
		return texts(t, r, err)
	case "min":
		r, err := Min[T](ctx, a, o)
		return texts(t, r, err)
	case "max":
		r, err := Max[T](ctx, a, o)
		return texts(t, r, err)
	case "argmin":
		r, err := ArgMin(ctx, a, o)
		return texts(t, r, err)
	case "argmax":
		r, err := ArgMax(ctx, a, o)
		return texts(t, r, err)
	case "var":
		r, err := Var(ctx, a, o)
		return texts(t, r, err)
	case "std1":
		o.DDoF = 1
		r, err := Std(ctx, a, o)
		return texts(t, r, err)
	case "count":
		r, err := CountNonZero(ctx, a, o)
		return texts(t, r, err)
	case "any":
		r, err := Any(ctx, a, o)
		return texts(t, r, err)
	case "all":
		r, err := All(ctx, a, o)
		return texts(t, r, err)
	}
	t.Fatalf("unknown op %q", c.Op)
	return nil
}

func checkCase[T ndarray.Real, R realTotal](t *testing.T, c numpyCase) {
	t.Helper()
	for _, o := range []*ndarray.Options{{ChunkShape: ndarray.Shape{3, 3, 4}, BlockShape: ndarray.Shape{2, 2, 3}, Workers: 3}, nil} {
		a, err := ndarray.FromSlice(numpyItems[T](c.NaN), numpyShape, o)
		if err != nil {
			t.Fatal(err)
		}
		got, want := runCase[T, R](t, c, a), strings.Fields(c.Want)
		if len(got) != len(want) {
			t.Fatalf("%+v: %d items", c, len(got))
		}
		for i := range got {
			if !near(got[i], want[i]) {
				t.Errorf("%+v: item %d is %s, want %s (%v)", c, i, got[i], want[i], reflect.TypeFor[T]())
			}
		}
	}
}

// near compares numbers as texts: floats up to the rounding of a short sum.
func near(got, want string) bool {
	if got == want {
		return true
	}
	g, err1 := strconv.ParseFloat(got, 64)
	w, err2 := strconv.ParseFloat(want, 64)
	if err1 != nil || err2 != nil || !strings.ContainsAny(want, ".en") {
		return false
	}
	return math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= 1e-12*(math.Abs(w)+1) || float32(g) == float32(w) && len(got) < 12
}

func TestReductionsEqualNumPys(t *testing.T) {
	raw, err := os.ReadFile("testdata/numpy/reductions.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []numpyCase
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 300 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for i, c := range cases {
		if testing.Short() && i%3 != 0 {
			continue
		}
		switch c.DType {
		case "i1":
			checkCase[int8, int64](t, c)
		case "u2":
			checkCase[uint16, uint64](t, c)
		case "i8":
			checkCase[int64, int64](t, c)
		case "f4":
			checkCase[float32, float64](t, c)
		case "f8":
			checkCase[float64, float64](t, c)
		}
	}
}
