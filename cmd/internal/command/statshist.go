package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/show/summary"
	"github.com/cairn-go/cairn/internal/show/table"
)

// maxBins bounds the bins of a histogram.
const maxBins = 100_000

// histogramText draws a bar for each bin.
func histogramText(h *summary.Histogram, b *strings.Builder, std *streams) {
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

	room := max(8, std.Width()-wide[0]-wide[1]-8)
	most := max(1, slices.Max(h.Counts))
	b.WriteString(std.Color.Paint(table.Faint, "  histogram: lower edge, count") + "\n")
	for k, row := range rows {
		bar := barText(float64(h.Counts[k])/float64(most)*float64(room), std.ASCII)
		line := fmt.Sprintf("  %*s  %*s  %s", wide[0], row[0], wide[1], row[1], bar)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// edgeText writes the edge of a bin with as many decimals as distinguish it from the next.
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
