package viewing

import (
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func TestSingle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	flags := meta.Map{{Key: "flag_values", Value: []any{int64(0), int64(1)}}, {Key: "flag_meanings", Value: "land sea"}}
	days := meta.Map{{Key: "units", Value: "days since 2000-01-01"}}
	fill := meta.Map{{Key: "_FillValue", Value: int64(-1)}}
	packing := meta.Map{{Key: "scale_factor", Value: 0.5}}
	for _, c := range []struct {
		name       string
		dtype      string
		attributes meta.Map
		value      func(y, x int) int
		want       bool
	}{
		{"bools", "|b1", nil, func(y, x int) int { return (y ^ x) & 1 }, true},
		{"dates", "<M8[D]", nil, func(y, x int) int { return 365*y + x }, true},
		{"times", "<f8", days, func(y, x int) int { return 365*y + x }, true},
		{"flags", "<i2", flags, func(y, x int) int { return 300*y + 7*x }, true},
		{"labels with a fill value", "<i2", fill, func(y, _ int) int { return y/50 - 1 }, true},
		{"few values", "<i4", nil, func(_, _ int) int { return 60 * random.IntN(5) }, true},
		{"regions", "<u4", nil, func(y, x int) int { return y/8*40 + x/50 }, true},
		{"a photograph", "|u1", nil, func(_, _ int) int { return random.IntN(200) }, false},
		{"heights", "<i2", nil, func(y, x int) int { return 10*y + x }, false},
		{"packed", "<i2", packing, func(_, _ int) int { return random.IntN(5) }, false},
		{"zeros", "<i4", nil, func(_, _ int) int { return 0 }, false},
		{"floats", "<f4", nil, func(_, _ int) int { return random.IntN(3) }, false},
		{"complex", "<c8", nil, func(_, _ int) int { return 1 }, false},
		{"texts", "|S2", nil, func(_, _ int) int { return 1 }, false},
	} {
		u, err := ndarray.NewUntyped(c.dtype, ndarray.Shape{200, 300}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var raw []byte
		for y := range 200 {
			for x := range 300 {
				item := make([]byte, u.TypeSize())
				for i, v := 0, c.value(y, x); i < len(item); i, v = i+1, v>>8 {
					item[i] = byte(v)
				}
				raw = append(raw, item...)
			}
		}
		if err := u.WriteBox(t.Context(), raw, []int64{0, 0}, []int64{200, 300}); err != nil {
			t.Fatal(err)
		}
		if got, err := Single(t.Context(), u, cf.Of(u.DType(), c.attributes)); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	empty, err := ndarray.NewUntyped("<i4", ndarray.Shape{3, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Single(t.Context(), empty, cf.Of(empty.DType(), nil)); got || err != nil {
		t.Error("no items", got, err)
	}
}
