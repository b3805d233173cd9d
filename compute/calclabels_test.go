package compute_test

import (
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

// TestCalcAttributesOfPacked checks that packed items stay packed only where the result stands for
// that of the numbers.
func TestCalcAttributesOfPacked(t *testing.T) {
	packed := func(factor, offset any) ndarray.Source {
		p, err := ndarray.New[int16](ndarray.Shape{2, 3}, nil)
		if err == nil {
			attributes := meta.Map{{Key: "units", Value: "K"}, {Key: "scale_factor", Value: factor}, {Key: "add_offset", Value: offset}}
			err = p.SetLabels(ndarray.Labels{Attributes: attributes})
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	sources := map[string]ndarray.Source{"p": packed(0.5, 9.0), "r": packed(-0.5, 9.0), "i": packed(int64(-2), 9.0), "q": packed(0.5, 10.0)}
	for text, stays := range map[string]bool{
		"p": true, "p[0]": true, "mean(p, axis=0)": true, "nanmax(p, axis=1)": true, "median(p)": true, "maximum(p, p)": true,
		"where(p > 0, p, nan)": true, "float64(p)": true,
		"sum(p, axis=0)": false, "std(p)": false, "cumsum(p, axis=0)": false, "p - p": false, "p + p": false, "-p": false,
		"abs(p)": false, "p - mean(p, axis=0)": false, "int32(p)": false, "clip(p, 0, 1)": false, "p * p": false,
		"r": true, "mean(r, axis=0)": true, "median(r)": true, "where(r > 0, r, nan)": true,
		"max(r, axis=0)": false, "nanmin(r)": false, "minimum(r, r)": false, "quantile(r, 0.9)": false, "min(i)": false,
		"maximum(p, 3)": true, "maximum(p, q)": false, "where(p > 0, p, q)": false, "where(q > 0, p, p)": true,
		"minimum(p, float64(p) * 2)": false,
	} {
		e, err := compute.Calc(t.Context(), text, sources, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l, err := e.Labels()
		if want := map[bool]int{true: 3}[stays]; err != nil || len(l.Attributes) != want {
			t.Errorf("%s has the attributes %v, want %d: %v", text, l.Attributes, want, err)
		}
	}
}
