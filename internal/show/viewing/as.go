package viewing

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// As returns the numbers that stand for values that are none: "seconds" since 1970-01-01 of dates,
// and of durations; "real", "imag", "abs" or "phase" of complex numbers. Dates are those of NumPy,
// and numbers that m says to be times: these as the seconds of the same date in the Gregorian
// calendar. All numbers are float64, and NaN where there is none.
func As(src ndarray.Source, m *cf.Meaning, how string) (ndarray.Source, error) {
	floats, err := govalue.FloatsOf(src.DType())
	if err != nil {
		return nil, err
	}

	part := map[string]func(re, im float64) float64{
		"real":  func(re, _ float64) float64 { return re },
		"imag":  func(_, im float64) float64 { return im },
		"abs":   math.Hypot,
		"phase": func(re, im float64) float64 { return math.Atan2(im, re) },
	}[how]

	switch {
	case part != nil && floats.Absolute():
		return numbersOf(src, func(dst []float64, raw []byte) { floats.Parts(dst, raw, part) })
	case how == "seconds" && floats.Seconds():
		return numbersOf(src, floats.Convert)
	case how == "seconds" && m.Time != nil:
		bits := 53
		if floats.Float32() {
			bits = 24
		}
		return numbersOf(src, func(dst []float64, raw []byte) {
			floats.Convert(dst, raw)
			for i, v := range dst {
				dst[i] = math.NaN()
				if t, ok := m.Time.Float(v, bits); ok {
					dst[i] = m.Time.Calendar.Gregorian(t)
				}
			}
		})
	}
	return nil, fmt.Errorf("items of dtype %s have no %q: %w", src.DType(), how, cairn.ErrType)
}

// AsNames returns the numbers that As gives for items of a dtype, the usual ones first, and whether
// seconds are those of dates.
func AsNames(d meta.DType, m *cf.Meaning) (names []string, dates bool) {
	floats, err := govalue.FloatsOf(d)
	switch {
	case err != nil:
	case floats.Absolute():
		return []string{"abs", "phase", "real", "imag"}, false
	case floats.Seconds(), m.Time != nil:
		return []string{"seconds"}, floats.Dates() || m.Time != nil
	}
	return nil, false
}

// Finite returns numbers with NaN for those that are infinite.
func Finite(src ndarray.Source) (ndarray.Source, error) {
	floats, err := govalue.FloatsOf(src.DType())
	if err != nil {
		return nil, err
	}

	return numbersOf(src, func(dst []float64, raw []byte) {
		floats.Convert(dst, raw)
		for i, v := range dst {
			if math.IsInf(v, 0) {
				dst[i] = math.NaN()
			}
		}
	})
}

// numbersOf returns what a function makes of the items of a source, as float64.
func numbersOf(src ndarray.Source, convert func(dst []float64, raw []byte)) (ndarray.Source, error) {
	d, err := meta.ParseDType("<f8")
	return values.Floats(src, d, convert), err
}
