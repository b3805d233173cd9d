package viewing

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// floatsOf reads a source as numbers.
func floatsOf(t *testing.T, src ndarray.Source) []float64 {
	t.Helper()
	n := src.Shape()[0]
	raw, values := make([]byte, n*int64(src.DType().Size())), make([]float64, n)
	f, err := govalue.FloatsOf(src.DType())
	if err == nil {
		err = src.ReadBytes(t.Context(), raw, []int64{0}, []int64{n})
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Convert(values, raw)
	return values
}

func TestAs(t *testing.T) {
	var complexes []complex64
	for range 600 { // more than are converted at a time
		complexes = append(complexes, 3-4i, -1)
	}
	made := func(u *ndarray.Untyped, err error) *ndarray.Untyped {
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	of := func(dtype string, raw ...byte) *ndarray.Untyped {
		u := made(ndarray.NewUntyped(dtype, ndarray.Shape{1}, nil))
		return made(u, u.WriteBox(t.Context(), raw, []int64{0}, []int64{1}))
	}
	c, err := ndarray.FromSlice(complexes, ndarray.Shape{1200}, nil)
	if err != nil {
		t.Fatal(err)
	}
	days, err := ndarray.FromSlice([]float32{0, 31 + 29, 365}, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	noleap := meta.Map{{Key: "units", Value: "days since 2020-01-01"}, {Key: "calendar", Value: "noleap"}}
	for _, c := range []struct {
		src        *ndarray.Untyped
		attributes meta.Map
		as         string
		want       string // the last numbers
	}{
		{c.Untyped, nil, "abs", "[5 1]"}, {c.Untyped, nil, "real", "[3 -1]"}, {c.Untyped, nil, "imag", "[-4 0]"},
		{c.Untyped, nil, "phase", "[-0.9272952180016122 3.141592653589793]"},
		{of("<M8[D]", 2, 0, 0, 0, 0, 0, 0, 0), nil, "seconds", "[172800]"},
		{of(">m8[h]", 0, 0, 0, 0, 0, 0, 0, 2), nil, "seconds", "[7200]"},
		{of("<M8[s]", 0, 0, 0, 0, 0, 0, 0, 128), nil, "seconds", "[NaN]"},
		// 2020-03-02 and 2021-01-01
		{days.Untyped, noleap, "seconds", "[1.5831072e+09 1.6094592e+09]"},
	} {
		src, err := As(c.src, cf.Of(c.src.DType(), c.attributes), c.as)
		if err != nil {
			t.Error(err)
			continue
		}
		got := floatsOf(t, src)
		if text := fmt.Sprint(got[max(0, len(got)-2):]); text != c.want {
			t.Errorf("%s of %s: %s, want %s", c.as, c.src.DType(), text, c.want)
		}
	}
	for _, as := range []string{"abs", "seconds", "colour"} {
		if _, err := As(days, cf.Of(days.DType(), nil), as); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s of floats: %v", as, err)
		}
	}
	for _, u := range []struct {
		src  *ndarray.Untyped
		want string
	}{{c.Untyped, "[abs phase real imag] false"}, {of("<M8[D]", make([]byte, 8)...), "[seconds] true"},
		{of("<m8[D]", make([]byte, 8)...), "[seconds] false"}, {days.Untyped, "[] false"}, {of("|S2", 0, 0), "[] false"}} {
		if names, dates := AsNames(u.src.DType(), cf.Of(u.src.DType(), nil)); fmt.Sprint(names, dates) != u.want {
			t.Errorf("%s: %v %v, want %s", u.src.DType(), names, dates, u.want)
		}
	}
}
