package compute

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func TestMistakesOfCallersAreInvalid(t *testing.T) {
	ctx := t.Context()
	a, err := ndarray.FromSlice([]float64{1, 2}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()

	sources := map[string]ndarray.Source{"a": a}
	calc := func(text string, o *CalcOptions) error {
		_, err := Calc(ctx, text, sources, o)
		return err
	}
	_, twice := Mean(ctx, a, Over(0, -1))
	_, memory := Mean(ctx, a, &Options{Memory: -1})
	_, ddof := Var(ctx, a, &Options{DDoF: -1})
	_, quantile := Quantile(ctx, a, 2, nil)
	_, bins := Histogram(ctx, a, 0, 0, 1)
	for name, err := range map[string]error{
		"a syntax error": calc("a +", nil), "an unknown name": calc("b", nil), "an unknown function": calc("sqroot(a)", nil),
		"workers": calc("a", &CalcOptions{Workers: -1}), "memory": calc("a", &CalcOptions{Memory: -1}),
		"an axis twice": twice, "memory of a reduction": memory, "degrees of freedom": ddof, "a quantile": quantile, "bins": bins,
	} {
		if !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
