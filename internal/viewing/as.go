package viewing

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
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

// numbers are float64 that are made of the items of a source.
type numbers struct {
	ndarray.Source
	dtype   meta.DType
	convert func(dst []float64, raw []byte)
	idle    sync.Pool // of *[]byte
}

func numbersOf(src ndarray.Source, convert func(dst []float64, raw []byte)) (ndarray.Source, error) {
	d, err := meta.ParseDType("<f8")
	return &numbers{Source: src, dtype: d, convert: convert}, err
}

func (n *numbers) DType() meta.DType { return n.dtype }

// ReadBytes reads the items into memory of their own, since they may be longer than numbers.
func (n *numbers) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	size := n.Source.DType().Size()
	count := len(dst) / 8
	buf, ok := n.idle.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer n.idle.Put(buf)
	*buf = slices.Grow((*buf)[:0], count*size)[:count*size]
	if err := n.Source.ReadBytes(ctx, *buf, start, stop); err != nil {
		return err
	}
	var values [512]float64
	for raw := *buf; len(raw) > 0; {
		part := values[:min(len(values), len(raw)/size)]
		n.convert(part, raw[:len(part)*size])
		raw = raw[len(part)*size:]
		for i, v := range part {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		}
		dst = dst[8*len(part):]
	}
	return nil
}
