package compute_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestCalcAttributes checks that units and titles stay only where they hold.
func TestCalcAttributes(t *testing.T) {
	made := func(units, title string) ndarray.Source {
		a, err := ndarray.New[float32](ndarray.Shape{2, 3}, nil)
		if err == nil {
			attributes := meta.Map{{Key: "units", Value: units}, {Key: "title", Value: title}}
			err = a.SetLabels(ndarray.Labels{Attributes: attributes})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	sources := map[string]ndarray.Source{"t": made("K", "air"), "s": made("K", "sea"), "h": made("km", "height")}
	for text, want := range map[string]string{
		"t": "K air", "t[0]": "K air", "-t": "K air", "mean(t, axis=0)": "K air", "t - mean(t, axis=0)": "K air",
		"t - s": "K", "where(h > 0, t, nan)": "K air", "clip(t, 0, 1)": "K air", "maximum(t, s)": "K",
		"abs(float64(t))": "K air", "t + h": "", "t - 273.15": "", "t * t": "", "t > s": "", "argmax(t, axis=0)": "",
		"sum(t > 0)": "", "var(t, axis=0)": "", "sqrt(t)": "", "nanmax(where(t > 0, s, h))": "",
	} {
		e, err := compute.Calc(t.Context(), text, sources, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l, err := e.Labels()
		var got []string
		for _, p := range l.Attributes {
			got = append(got, p.Value.(string))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s has the attributes %v, want %s: %v", text, got, want, err)
		}
	}
}

// TestCalcAttributesOfPacked checks that attributes of packed items hold for no result of them.
func TestCalcAttributesOfPacked(t *testing.T) {
	made := func(name string, value any) ndarray.Source {
		p, err := ndarray.New[int16](ndarray.Shape{2, 3}, nil)
		if err == nil {
			err = p.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "units", Value: "K"}, {Key: name, Value: value}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	sources := map[string]ndarray.Source{"p": made("scale_factor", 0.5), "f": made("_FillValue", int64(-1)),
		"u": made("_Unsigned", "true"), "q": made("title", "x")}
	for text, want := range map[string]int{
		"p": 2, "p[0]": 2, "mean(p, axis=0)": 0, "maximum(p, p)": 0, "float64(p)": 0, "where(p > 0, q, q)": 2, "-f": 0,
		"f": 2, "u": 2, "mean(u)": 0, "mean(q)": 2, "q + p": 0,
	} {
		e, err := compute.Calc(t.Context(), text, sources, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if l, err := e.Labels(); err != nil || len(l.Attributes) != want {
			t.Errorf("%s has the attributes %v, want %d: %v", text, l.Attributes, want, err)
		}
	}
}

// TestCalcMissing checks that results of floats say that NaN marks what is missing, if a source
// does.
func TestCalcMissing(t *testing.T) {
	nan := float32(math.NaN())
	a, err := ndarray.FromSlice([]float32{nan, 1, 0, 3}, ndarray.Shape{4}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "_FillValue", Value: nan}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]any{
		"a": nan, "nanmean(a)": nan, "a * a": nan, "float64(a) + 1": math.NaN(), "a > 1": nil, "argmax(a)": nil,
	} {
		e, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l, err := e.Labels()
		got, has := l.Attributes.Get("_FillValue")
		if err != nil || has != (want != nil) || fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
			t.Errorf("%s: _FillValue %v (%T), want %v: %v", text, got, got, want, err)
		}
	}

	// Valid items are counted, and NaN is no true item for nanany.
	for text, want := range map[string]int64{"count(a)": 3, "count_nonzero(a)": 3, "count(a > 1)": 4,
		"count_nonzero(a > 1)": 1, "int64(any(a[:1]))": 1, "int64(nanany(a[:1]))": 0, "int64(nanany(a))": 1} {
		e, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		raw := make([]byte, 8)
		if err := e.ReadBytes(t.Context(), raw, nil, nil); err != nil || int64(binary.LittleEndian.Uint64(raw)) != want {
			t.Errorf("%s is %v, want %d: %v", text, raw, want, err)
		}
	}
}
