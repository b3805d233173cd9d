package compute_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// calcText returns the result of an expression as "dtype [shape] items".
func calcText(ctx context.Context, text string, sources map[string]ndarray.Source) (string, error) {
	e, err := compute.Calc(ctx, text, sources, nil)
	if err != nil {
		return "", err
	}
	u, err := ndarray.Copy(ctx, e, nil)
	if err != nil {
		return "", err
	}
	items, err := itemsText(ctx, u)
	return fmt.Sprintf("%s %v %s", e.DType().String()[1:], e.Shape(), items), err
}

// itemsText returns the items of an array.
func itemsText(ctx context.Context, u *ndarray.Untyped) (string, error) {
	switch u.DType().String()[1:] {
	case "b1":
		return readText[bool](ctx, u)
	case "f2":
		return halvesText(ctx, u)
	case "f4":
		return readText[float32](ctx, u)
	case "f8":
		return readText[float64](ctx, u)
	case "c16":
		return readText[complex128](ctx, u)
	case "i1":
		return readText[int8](ctx, u)
	case "i2":
		return readText[int16](ctx, u)
	case "u1":
		return readText[uint8](ctx, u)
	case "u8":
		return readText[uint64](ctx, u)
	}
	return readText[int64](ctx, u)
}

func readText[T any](ctx context.Context, u *ndarray.Untyped) (string, error) {
	a, err := ndarray.As[T](u)
	if err != nil {
		return "", err
	}
	values, err := a.Read(ctx)
	return strings.Trim(fmt.Sprint(values), "[]"), err
}

func source[T any](t *testing.T, shape ndarray.Shape, values ...T) ndarray.Source {
	a, err := ndarray.FromSlice(values, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCalc compares with what NumPy 2.4 prints.
func TestCalc(t *testing.T) {
	sources := map[string]ndarray.Source{
		"a": source[float64](t, ndarray.Shape{2, 3}, 1, 2, 3, 4, 5, 6),
		"b": source[float32](t, ndarray.Shape{3}, 10, 20, 30),
		"i": source[int8](t, ndarray.Shape{2, 1}, -7, 100),
		"u": source[uint8](t, ndarray.Shape{3}, 0, 3, 200),
		"m": source[bool](t, ndarray.Shape{3}, true, false, true),
		"c": source[complex128](t, ndarray.Shape{4}, 1+2i, -3.5-0.25i, 0, -4),
	}
	for text, want := range map[string]string{
		"a - mean(a, axis=0)":               "f8 [2 3] -1.5 -1.5 -1.5 1.5 1.5 1.5",
		"a * b":                             "f8 [2 3] 10 40 90 40 100 180",
		"b * 2":                             "f4 [3] 20 40 60",
		"i + i":                             "i1 [2 1] -14 -56",
		"i // 2":                            "i1 [2 1] -4 50",
		"i % u":                             "i2 [2 3] 0 2 193 0 1 100",
		"u / 2":                             "f8 [3] 0 1.5 100",
		"-u":                                "u1 [3] 0 253 56",
		"~m & (b > 15)":                     "b1 [3] false true false",
		"where(m, b, 0)":                    "f4 [3] 10 0 30",
		"m + 1":                             "i8 [3] 2 1 2",
		"m + m":                             "b1 [3] true false true",
		"u < 300":                           "b1 [3] true true true",
		"sum(u)":                            "u8 [] 203",
		"sum(a, axis=(0,1), keepdims=True)": "f8 [1 1] 21",
		"2 ** 10 + 0.5":                     "f8 [] 1024.5",
		"a[:, ::-1][0]":                     "f8 [3] 3 2 1",
		"(a + 1)[1, 1:]":                    "f8 [2] 6 7",
		"sqrt(u)":                           "f2 [3] 0 1.7324219 14.140625",
		"max(a + b)":                        "f8 [] 36",
		"mean(b)":                           "f4 [] 20",
		"clip(i, 0, 50)":                    "i1 [2 1] 0 50",
		"int8(b) + True":                    "i1 [3] 11 21 31",
		"round(a / 3, 2)":                   "f8 [2 3] 0.33 0.67 1 1.33 1.67 2",
		"round(i, decimals=-1)":             "i1 [2 1] -10 100",
		"around(b / 7, 1)":                  "f4 [3] 1.4 2.9 4.3",
		"round(u, 3)":                       "u1 [3] 0 3 200",
		"cumsum(b)":                         "f4 [3] 10 30 60",
		"cumsum(u)":                         "u8 [3] 0 3 203",
		"cumsum(m)":                         "i8 [3] 1 1 2",
		"cumprod(a, axis=1)":                "f8 [2 3] 1 2 6 4 20 120",
		"mean(cumsum(a, 0), axis=1)":        "f8 [2] 2 7",
		"round(angle(c), 12)":               "f8 [4] 1.107148717794 -3.070285188805 0 3.14159265359",
		"angle(b)":                          "f4 [3] 0 0 0",
		"round(real(sqrt(c)), 12)":          "f8 [4] 1.272019649514 0.066772793504 0 0",
		"round(imag(exp(c)), 12)":           "f8 [4] 2.471726672005 -0.007470952218 0 0",
		"round(imag(log(c[:2])), 12)":       "f8 [2] 1.107148717794 -3.070285188805",
		"sqrt(c[3:]) + conj(c[:1])":         "c16 [1] (1+0i)",
		"argmax(a, axis=1)":                 "i8 [2] 2 2",
		"isnan(b / 0 - inf) | False":        "b1 [3] true true true",
		"index(a, 0)":                       "i8 [2 3] 0 0 0 1 1 1",
		"index(a, axis=-1)":                 "i8 [2 3] 0 1 2 0 1 2",
		"index(b)":                          "i8 [3] 0 1 2",
		"where(index(a, 1) > 0, a, 0)":      "f8 [2 3] 0 2 3 0 5 6",
		"index(a[:, 1:], 1)":                "i8 [2 2] 0 1 0 1",
		"index(a, 1)[1:, ::-1]":             "i8 [1 3] 2 1 0",
		"sum(index(a, 1) * a)":              "f8 [] 25",
		"sum(index(a, 0), axis=0)":          "i8 [3] 1 1 1",
		"index(mean(a, axis=0), 0) + b":     "f8 [3] 10 21 32",
	} {
		got, err := calcText(t.Context(), text, sources)
		if err != nil || got != want {
			t.Errorf("%s is %s, want %s: %v", text, got, want, err)
		}
	}
}

func halvesText(ctx context.Context, u *ndarray.Untyped) (string, error) {
	a, err := ndarray.As[ndarray.Float16](u)
	if err != nil {
		return "", err
	}
	halves, err := a.Read(ctx)
	var values []float32
	for _, h := range halves {
		values = append(values, h.Float32())
	}
	return strings.Trim(fmt.Sprint(values), "[]"), err
}
