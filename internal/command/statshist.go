package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/command/internal/table"
	"github.com/cairn-go/cairn/ndarray"
)

// maxBins bounds the bins of a histogram.
const maxBins = 100_000

// A histogram counts items in bins of equal width.
type histogram struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Counts []int64 `json:"counts"`
}

// histogramOf counts the items of an array, whose summary is known.
func histogramOf(ctx context.Context, src ndarray.Source, bins int, all compute.Summary) (*histogram, error) {
	if all.N == all.NaN {
		return nil, fmt.Errorf("a histogram needs items that are not NaN: %w", cairn.ErrBounds)
	}
	low, ok := floatOf(all.Min)
	high, also := floatOf(all.Max)
	switch {
	case !ok || !also:
		return nil, fmt.Errorf("a histogram of dtype %s is not possible: %w", src.DType(), cairn.ErrType)
	case math.IsInf(low, 0) || math.IsInf(high, 0):
		return nil, fmt.Errorf("a histogram from %v to %v is not possible: %w", low, high, cairn.ErrBounds)
	case low == high: // as NumPy
		if low, high = low-0.5, high+0.5; !(low < high) {
			return nil, fmt.Errorf("a histogram of items that are all %v is not possible: %w", low, cairn.ErrBounds)
		}
	}
	counts, err := compute.Histogram(ctx, src, bins, low, high)
	return &histogram{low, high, counts}, err
}

// floatOf returns a number or bool as a float.
func floatOf(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int8:
		return float64(v), true
	case int16:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint8:
		return float64(v), true
	case uint16:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case ndarray.Float16:
		return float64(v.Float32()), true
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// text draws a bar for each bin.
func (h *histogram) text(b *strings.Builder, std *streams) {
	rows := make([][2]string, len(h.Counts))
	var wide [2]int
	step := (h.High - h.Low) / float64(len(h.Counts))
	for k, n := range h.Counts {
		low := h.Low + (h.High-h.Low)*float64(k)/float64(len(h.Counts))
		rows[k] = [2]string{edgeText(low, step), fmt.Sprint(n)}
		for i := range wide {
			wide[i] = max(wide[i], len(rows[k][i]))
		}
	}
	room := max(8, std.width()-wide[0]-wide[1]-8)
	most := max(1, slices.Max(h.Counts))
	b.WriteString(std.color.Paint(table.Faint, "  histogram: lower edge, count") + "\n")
	for k, row := range rows {
		bar := barText(float64(h.Counts[k])/float64(most)*float64(room), std.ascii)
		line := fmt.Sprintf("  %*s  %*s  %s", wide[0], row[0], wide[1], row[1], bar)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// edgeText writes the edge of a bin with as many decimals as tell it from the next.
func edgeText(v, step float64) string {
	decimals := 2 - int(math.Floor(math.Log10(step)))
	if v == math.Trunc(v) && step == math.Trunc(step) {
		decimals = 0
	}
	if !(step > 0) || decimals < 0 || decimals > 9 || math.Abs(v) >= 1e9 {
		return fmt.Sprintf("%.6g", v)
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// barText returns a bar of some characters, in eighths of them.
func barText(length float64, ascii bool) string {
	if ascii {
		return strings.Repeat("#", int(math.Round(length)))
	}
	eighths := int(math.Round(8 * length))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return bar
}
