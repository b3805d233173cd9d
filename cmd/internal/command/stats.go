package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/summary"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/ndarray"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	valueFlags
	selection string
	quantiles string
	field     string
	bins      int
	perChunk  bool
	asJSON    bool
	workers   int
}

func statsVerb(set *flag.FlagSet) action {
	var f statsFlags
	set.StringVar(&f.selection, "s", "", selectionUsage)
	f.declareValues(set)
	set.StringVar(&f.field, "field", "", "take the field `NAME` of structures")
	set.IntVar(&f.bins, "hist", 0, "print a histogram of `N` bins between minimum and maximum too")
	set.StringVar(&f.quantiles, "quantiles", "",
		"print the quantiles of a `LIST` of fractions too, such as 0.05,0.5,0.95; they are exact")
	set.BoolVar(&f.perChunk, "chunks", false, "print a line for each chunk too")
	set.BoolVar(&f.asJSON, "json", false, "print JSON")
	set.IntVar(&f.workers, "workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		chosen, err := parseSelection(f.selection)
		if err != nil {
			return err
		}
		fractions, err := parseFractions(f.quantiles)
		if err != nil {
			return err
		}
		if err := checkWorkers(f.workers); err != nil {
			return err
		}

		// Chunks are counted in the whole array, and have all fields.
		switch {
		case f.bins < 0 || f.bins > maxBins:
			return usagef("-hist is %d, must be from 1 to %d", f.bins, maxBins)
		case f.perChunk && (f.selection != "" || f.field != ""):
			return usagef("-chunks excludes -s and -field")
		}

		return std.describeEach(ctx, "stats", operands, f.asJSON, func(path string) (describer, error) {
			o, err := std.openSource(ctx, place.Of(path), "stats", inAnyOrder(f.workers))
			if err != nil {
				return nil, err
			}
			defer o.Close()

			if o.Foreign() && f.perChunk {
				return nil, usagef("-chunks: %s is %s, without chunks", path, o.Format.Is)
			}
			if err := f.values(o); err != nil {
				return nil, err
			}

			s := &statistics{Path: path, Selection: f.selection, Field: f.field}
			return s, s.collect(ctx, o, chosen, fractions, &f)
		})
	}
}

// statistics is the output of stats.
type statistics struct {
	Path      string             `json:"path"`
	Selection string             `json:"selection,omitempty"`
	Field     string             `json:"field,omitempty"`
	Shape     ndarray.Shape      `json:"shape"`
	DType     string             `json:"dtype"`
	Units     string             `json:"units,omitempty"`
	Packing   *described.Packing `json:"packing,omitempty"` // how values follow from items
	CBytes    int64              `json:"cbytes,omitempty"`  // of the chunks of a whole array
	Ratio     float64            `json:"ratio,omitempty"`
	All       summary.Numbers    `json:"all"`
	Outside   *int64             `json:"outside_valid,omitempty"` // values that -valid leaves out
	Quantiles []quantile         `json:"quantiles,omitempty"`
	Histogram *summary.Histogram `json:"histogram,omitempty"`
	Chunks    []chunkStatistic   `json:"chunks,omitempty"`
}

type chunkStatistic struct {
	Index  int64   `json:"index"`
	Start  []int64 `json:"start"`
	Kind   string  `json:"kind"`
	CBytes int64   `json:"cbytes"`
	Ratio  float64 `json:"ratio"` // of the items to what is stored; 0 if nothing is
	summary.Numbers
}

// A quantile is the value below which a fraction of the items lie.
type quantile struct {
	Fraction float64 `json:"fraction"`
	Value    any     `json:"value"`
}

// maxFractions bounds the quantiles of a call, each of which reads the items again.
const maxFractions = 100

// parseFractions parses the flag -quantiles.
func parseFractions(text string) (fractions []float64, err error) {
	if text == "" {
		return nil, nil
	}

	for part := range strings.SplitSeq(text, ",") {
		q, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return nil, usagef("-quantiles: %q is not a fraction from 0 to 1", part)
		}
		fractions = append(fractions, q)
	}

	if len(fractions) > maxFractions {
		return nil, usagef("-quantiles has %d fractions, at most %d are possible", len(fractions), maxFractions)
	}
	return fractions, nil
}

// collect reads the array.
func (s *statistics) collect(
	ctx context.Context, o *openedSource, chosen coords.Selection, fractions []float64, f *statsFlags,
) error {
	part, err := o.part(ctx, chosen)
	if err != nil {
		return err
	}

	if f.field != "" {
		if err := takeField(part, f.field); err != nil {
			return err
		}
		part.Units = ""
	}

	s.Shape = part.View.Shape()
	s.DType = part.View.DType().String()
	s.Units = part.Units
	if o.meaning != nil {
		s.Packing = described.PackingOf(o.meaning)
	}

	src := o.src
	if f.selection != "" || f.field != "" {
		src = part.View
	} else if u, ok := o.items().(*ndarray.Untyped); ok {
		if err := s.collectChunks(ctx, u, f.perChunk); err != nil {
			return err
		}
		s.Ratio = described.Ratio(described.Bytes(src), s.CBytes)
	}

	var each func(int64, compute.Summary) // nil unless chunks are listed
	if len(s.Chunks) > 0 {
		each = func(chunk int64, part compute.Summary) { s.Chunks[chunk].Numbers = summary.Of(part) }
	}

	all, err := compute.Summarize(ctx, src, each)
	if errors.Is(err, cairn.ErrType) {
		if numbers, none := summary.OfComplex(ctx, src, f.workers); none == nil {
			s.All = numbers
			if f.bins > 0 || f.quantiles != "" || f.perChunk {
				return usagef("-hist, -quantiles and -chunks: %s has complex numbers, which have no order", s.Path)
			}
			return nil
		}
	}
	if err != nil {
		return err
	}

	s.All = summary.Of(all)
	if o.meaning != nil && f.field == "" {
		if err := s.countOutside(ctx, src, o.meaning.OfValid()); err != nil {
			return err
		}
	}

	if f.bins > 0 {
		s.Histogram, err = summary.HistogramOf(ctx, src, f.bins, all)
	}

	for _, q := range fractions {
		if err != nil || all.N == all.NaN {
			break
		}
		var v float64
		v, err = compute.Value(compute.Quantile(ctx, src, q, &compute.Options{SkipNaN: true}))
		s.Quantiles = append(s.Quantiles, quantile{q, item.Value(v)})
	}
	return err
}

// countOutside counts the values outside the valid range. It reads them again if there are some.
func (s *statistics) countOutside(ctx context.Context, src ndarray.Source, valid *cf.Meaning) error {
	if valid == nil {
		return nil
	}
	s.Outside = new(int64)
	low, ok := cf.NumberOf(s.All.Min)
	high, also := cf.NumberOf(s.All.Max)
	if ok && also && valid.Valid.Has(low.Float) && valid.Valid.Has(high.Float) {
		return nil
	}
	within, err := compute.Summarize(ctx, values.With(src, valid), nil)
	*s.Outside = within.NaN - s.All.NaN
	return err
}

// maxListed bounds the chunks that are listed.
const maxListed = 1_000_000

// collectChunks adds up the stored bytes, and lists the chunks on request.
func (s *statistics) collectChunks(ctx context.Context, u *ndarray.Untyped, list bool) error {
	if !list {
		view := u.Frame().Snapshot()
		have := int(min(u.NumChunks(), int64(view.NumChunks())))
		for i, run := 0, 0; i < have; i += run {
			info, err := view.Peek(i)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			run = min(max(1, view.Inside().SpecialRun(i)), have-i)
			s.CBytes += int64(run) * int64(info.CBytes)
		}
		return nil
	}

	if n := u.NumChunks(); n > maxListed {
		return fmt.Errorf("%s: -chunks lists at most %d chunks, and there are %d; leave it out: %w",
			s.Path, maxListed, n, cairn.ErrLimit)
	}

	for c, err := range u.Chunks(ctx) {
		if err != nil {
			return err
		}
		s.CBytes += c.Stored
		s.Chunks = append(s.Chunks, chunkStatistic{
			Index: c.Index, Start: c.Start, Kind: c.Kind.String(), CBytes: c.Stored,
			Ratio: described.Ratio(c.Items()*int64(u.TypeSize()), c.Stored),
		})
	}
	return nil
}

// text returns the statistics for people.
func (s *statistics) text(std *streams) string {
	list := &table.List{Least: 5}
	line := func(name, value string) { list.Add("", name, value) }
	if s.Selection != "" {
		line("part", console.OneLine(s.Selection))
	}
	if s.Field != "" {
		line("field", console.OneLine(s.Field))
	}

	line("shape", item.Shape(s.Shape))
	line("dtype", console.OneLine(s.DType))
	if s.Units != "" {
		line("units", console.OneLine(s.Units))
	}
	if s.Packing != nil {
		line("values", s.Packing.Note+"; -raw takes items")
	}
	if s.Ratio > 0 {
		line("ratio", ratioText(s.Ratio))
	}

	line("count", fmt.Sprint(s.All.Count))
	line("NaN", fmt.Sprint(s.All.NaN))
	if s.All.Inf > 0 {
		line("inf", fmt.Sprint(s.All.Inf))
	}
	if s.Outside != nil {
		line("outside valid_range", fmt.Sprint(*s.Outside))
	}

	line("zeros", fmt.Sprint(s.All.Zeros))
	line("min", valueText(s.All.Min))
	line("max", valueText(s.All.Max))
	line("mean", valueText(s.All.Mean))
	line("std", valueText(s.All.Std))

	for _, q := range s.Quantiles {
		line(fmt.Sprintf("%.5g%%", 100*q.Fraction), valueText(q.Value))
	}
	text := std.Titled(s.Path, list)

	// Histograms and chunks are tables of their own, behind the list.
	if s.Histogram != nil {
		var b strings.Builder
		histogramText(s.Histogram, &b, std)
		text += b.String()
	}
	if len(s.Chunks) > 0 {
		text += "\n" + chunkTable(s.Chunks).Text(std.Columns(), std.Color)
	}
	return text
}

// chunkTable lists the chunks.
func chunkTable(chunks []chunkStatistic) *table.Table {
	number := func(name string) table.Column { return table.Column{Name: name, Right: true} }
	t := table.New(number("chunk"), table.Column{Name: "start"}, table.Column{Name: "kind"}, number("stored"),
		number("ratio"), number("NaN"), number("zeros"), number("min"), number("max"), number("mean"), number("std"))
	for _, c := range chunks {
		t.Add("", fmt.Sprint(c.Index), fmt.Sprint(c.Start), c.Kind, fmt.Sprint(c.CBytes), ratioText(c.Ratio),
			fmt.Sprint(c.NaN), fmt.Sprint(c.Zeros),
			valueText(c.Min), valueText(c.Max), valueText(c.Mean), valueText(c.Std))
	}
	return t
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return fmt.Sprintf("%.7g", v)
	case []any: // the parts of a complex number
		return item.Complex(valueText(v[0]), valueText(v[1]))
	case time.Time:
		return v.Format("2006-01-02T15:04:05.999999999")
	}
	return fmt.Sprint(v)
}

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
