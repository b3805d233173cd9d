package summary

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/ndarray"
)

// OfComplex returns the statistics of complex numbers, which it reads some times. They have no
// order, and so no extremes. Mean and Std leave out NaN; Mean is a list of two numbers.
func OfComplex(ctx context.Context, src ndarray.Source, workers int) (n Numbers, err error) {
	const count, mean = "sum(~isnan(x))", "sum(where(isnan(x), 0, x)) / sum(~isnan(x))"
	texts := []string{"sum(isnan(x))", "sum(isinf(x))", "sum(x == 0)", count, "real(" + mean + ")", "imag(" + mean + ")",
		"sqrt(sum(where(isnan(x), 0, abs(x - " + mean + ") ** 2)) / " + count + ")"}

	results, err := compute.CalcAll(ctx, texts, map[string]ndarray.Source{"x": src},
		&compute.CalcOptions{Workers: workers})
	if err != nil {
		return n, err
	}

	bits := make([]uint64, len(texts)) // of integers and floats, as counts have 64 bits
	for i, e := range results {
		raw := make([]byte, 8)
		if err := e.ReadBytes(ctx, raw, nil, nil); err != nil {
			return n, err
		}
		bits[i] = binary.LittleEndian.Uint64(raw)
	}

	n.NaN = int64(bits[0])
	n.Inf = int64(bits[1])
	n.Zeros = int64(bits[2])
	n.Count = int64(bits[0] + bits[3])

	if float := math.Float64frombits; bits[3] > 0 {
		n.Mean = []any{item.Value(float(bits[4])), item.Value(float(bits[5]))}
		n.Std = item.Value(float(bits[6]))
	}
	return n, nil
}
