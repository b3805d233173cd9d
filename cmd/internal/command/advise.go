package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/advise"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

func adviseVerb(set *flag.FlagSet) action {
	goal := set.String("for", string(advise.Balanced), "what matters: `GOAL` is "+oneOf(adviceGoals())+
		"; balanced by default")
	access := set.String("access", "", "the `SHAPE` of the boxes that will be read, such as ':,1,1'; a colon "+
		"is a whole dimension; everything by default")
	precision := set.Int("precision", 0, "keep only `N` bits of the mantissas of floats, which loses the rest")
	var bounds loss.Flags
	bounds.Declare(set)
	limit := set.Duration("time", 10*time.Second, "take at most `TIME`, such as 30s; 10s by default")
	seed := set.Uint64("seed", 1, "take samples from the places that number `N` leads to; "+
		"1 by default")
	rows := set.Int("n", 10, "show the best `N` settings; 10 by default")
	asJSON := set.Bool("json", false, "print JSON")
	workers := set.Int("workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := errors.Join(wantOperands(operands, "PATH"), checkWorkers(*workers)); err != nil {
			return err
		}

		o := &advise.Options{Goal: advise.Goal(*goal), Time: *limit, Seed: *seed, Workers: *workers}
		bound, err := bounds.Bound()
		switch {
		case err != nil:
			return usagef("%v", err)
		case bound.Rule != rounding.None && *precision != 0:
			return usagef("-precision and %s exclude each other", bounds.Words()[0])
		case !slices.Contains(advise.Goals(), o.Goal):
			return unknownValue("for", "goal", *goal, adviceGoals())
		case *precision < 0 || *precision > 52:
			return usagef("-precision is %d, must be 1 to 52", *precision)
		case *limit <= 0 || *rows < 1:
			return usagef("-time and -n must be positive")
		}
		o.Precision = int8(*precision)

		p := place.Of(operands[0])
		in, err := std.openSource(ctx, p, "advise", inAnyOrder(*workers))
		if err != nil {
			return err
		}
		defer in.Close()
		if o.Access, err = parseAccess(*access, in.src.Shape()); err != nil {
			return err
		}

		a := &advice{Path: p.String(), options: bounds.Words()}
		if err := a.measure(ctx, std, p, in.src, bound, o); err != nil {
			return err
		}

		// All settings are measured; -n is only about how many are shown.
		a.Settings = a.Settings[:min(*rows, len(a.Settings))]
		if *asJSON {
			a.Own = a.Own[:min(*rows, len(a.Own))]
			return std.PrintJSON(ctx, a)
		}
		return std.Print(ctx, a.text(std))
	}
}

// adviceGoals lists the values of -for.
func adviceGoals() []string {
	var names []string
	for _, goal := range advise.Goals() {
		names = append(names, string(goal))
	}
	return names
}

// parseAccess reads the shape of boxes to read; it is nil for an empty text.
func parseAccess(text string, shape ndarray.Shape) (ndarray.Shape, error) {
	if text == "" {
		return nil, nil
	}

	parts := strings.Split(text, ",")
	if len(parts) != len(shape) {
		return nil, usagef("-access: %q has %s, and the array %d", text, console.Count(len(parts), "dimension"), len(shape))
	}

	access := make(ndarray.Shape, len(shape))
	for d, part := range parts {
		if part = strings.TrimSpace(part); part == ":" {
			access[d] = shape[d]
			continue
		}
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 1 || n > shape[d] {
			return nil, usagef("-access: %q: want a colon or a number from 1 to %d", part, shape[d])
		}
		access[d] = n
	}
	return access, nil
}

// An advice is the output of advise; its fields are those of the JSON output.
type advice struct {
	Path     string           `json:"path"`
	Shape    ndarray.Shape    `json:"shape"`
	DType    string           `json:"dtype"`
	Goal     advise.Goal      `json:"goal"`
	Access   ndarray.Shape    `json:"access,omitempty"`
	Bound    string           `json:"bound,omitempty"` // of what items lose, in words
	Sampled  int64            `json:"sampled"`         // bytes of items
	Places   int              `json:"places"`
	Tried    int              `json:"tried"`
	Settings []advisedSetting `json:"settings"`   // the best first
	Own      []advisedSetting `json:"cairn_only"` // the best first, of those that only cairn reads
	errors   string           // that rounding made, in words
	options  []string         // of the commands, besides the settings
}

type advisedSetting struct {
	Codec   string        `json:"codec"`
	Level   int           `json:"level"`
	Filters []string      `json:"filters"`
	Chunks  ndarray.Shape `json:"chunks"`
	Blocks  ndarray.Shape `json:"blocks"`
	Ratio   float64       `json:"ratio"`
	Exact   float64       `json:"exact_ratio,omitempty"` // before rounding, if it was measured
	Write   float64       `json:"write"`                 // bytes of items per second
	Read    float64       `json:"read"`
	Behind  float64       `json:"behind"` // by which share it misses what the best reaches
	Present bool          `json:"present,omitempty"`
	Command string        `json:"command"`
}

// measure measures settings for a source, whose items are rounded to a bound if there is one.
func (a *advice) measure(ctx context.Context, std *streams, p place.Place, src ndarray.Source, b rounding.Bound,
	o *advise.Options) error {
	o.Also = presentSetting(src)
	var rounded *loss.Source
	if b.Rule != rounding.None {
		var err error
		if rounded, err = loss.Round(ctx, src, b, ""); err != nil {
			return err
		}
		o.Exact = src
		src = rounded
		a.Bound = rounded.Bound().String()
	}

	bar := std.newBar("measuring", 0)
	defer bar.Close()
	o.Progress = func(done, total int) { bar.Set(int64(done), int64(total)) }
	found, err := advise.Run(ctx, src, o)
	if err != nil {
		return err
	}

	if rounded != nil {
		a.errors = loss.Said(rounded.Errors())
	}
	a.Shape = src.Shape()
	a.DType = src.DType().String()
	a.Goal = o.Goal
	a.Access = o.Access
	a.Sampled = found.Sampled
	a.Places = found.Places
	a.Tried = found.Tried
	a.Settings = a.settings(p, found.Trials, &found.Trials[0], o.Also)
	a.Own = a.settings(p, found.Own, &found.Trials[0], o.Also)
	return nil
}

// settings returns trials in the form of the output, compared with the best one.
func (a *advice) settings(p place.Place, trials []advise.Trial, best *advise.Trial, also *advise.Setting) []advisedSetting {
	settings := []advisedSetting{}
	for i := range trials {
		t := &trials[i]
		s := advisedSetting{Codec: fmt.Sprint(t.Codec), Level: t.Level, Chunks: t.Chunks, Blocks: t.Blocks,
			Ratio: t.Ratio(), Exact: t.ExactRatio(), Write: t.WriteRate(), Read: t.ReadRate(), Behind: t.Behind(best)}
		for _, f := range t.Filters {
			s.Filters = append(s.Filters, f.String())
		}
		s.Present = also != nil && fmt.Sprint(*also) == fmt.Sprint(t.Setting)
		s.Command = s.command(p, a.options)
		settings = append(settings, s)
	}
	return settings
}

// presentSetting returns how an array of Blosc2 is stored, or nil.
func presentSetting(src ndarray.Source) *advise.Setting {
	u, ok := src.(*ndarray.Untyped)
	if !ok {
		return nil
	}

	info := u.Info()
	s := &advise.Setting{Codec: info.Codec, Level: info.Level}
	for _, f := range info.Pipeline {
		if f != shuffle.None {
			s.Filters = append(s.Filters, f)
		}
	}
	if s.Filters == nil {
		s.Filters = []shuffle.Spec{shuffle.None}
	}

	s.Chunks, s.Blocks = u.Grid()
	if slices.Contains(s.Chunks, 0) || slices.Contains(s.Blocks, 0) || s.Level == 0 {
		return nil
	}
	return s
}

// command returns what to type to store an array so.
func (s *advisedSetting) command(p place.Place, options []string) string {
	words := []string{"cairn copy -codec", s.Codec, "-level", strconv.Itoa(s.Level),
		"-filters", strings.Join(s.Filters, ",")}
	if len(s.Chunks) > 0 {
		words = append(words, "-chunks", commas(s.Chunks), "-blocks", commas(s.Blocks))
	}
	words = append(words, options...)
	name := p.Name
	if p.Keyed {
		name = strings.Trim(p.Key, "/")
	}
	out := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) + ".new.b2nd"
	return strings.Join(append(words, shellwords.Quote(p.String()), shellwords.Quote(out)), " ")
}

func commas(shape ndarray.Shape) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ",")
}

// text shows the settings as a table, and the command for the first one. What only cairn reads
// comes last, with a command if it is smaller or suits the goal better.
func (a *advice) text(std *streams) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s %s\n", std.Color.Paint(table.Bold, console.OneLine(a.Path)), item.Shape(a.Shape), console.OneLine(a.DType))
	measured := fmt.Sprintf("measured %s from %s, %s, for %s", progress.Size(a.Sampled),
		console.Count(a.Places, "place"), console.Count(a.Tried, "setting"), a.Goal)
	if a.Bound != "" {
		measured += "; rounded to " + strings.TrimSuffix(a.Bound+", "+a.errors, ", ")
	}
	b.WriteString(std.Wrapped(measured) + "\n")

	columns := []table.Column{{Name: "codec", Keep: true}, {Name: "ratio", Right: true}, {Name: "exact", Right: true},
		{Name: "write", Right: true}, {Name: "read", Right: true}, {Name: "filters"}, {Name: "chunks"}, {Name: "blocks"}}
	if a.Bound == "" {
		columns[2].Name = ""
	}
	t := table.New(columns...)
	for i := range a.Settings {
		style := table.Style("")
		if i == 0 {
			style = table.Green
		}
		t.Add(style, a.Settings[i].cells()...)
	}

	best := &a.Settings[0]
	commands := best.Command
	for i, own := range a.Own {
		if i == 0 {
			t.Span("", "for cairn only, as C-Blosc2 refuses the codec "+own.Codec+":")
		}
		if i == 0 || own.Present {
			t.Add("", own.cells()...)
		}
		if i == 0 && (own.Behind < 0 || own.Ratio > best.Ratio) {
			commands += "\n\nfor cairn only:\n" + own.Command
		}
	}
	b.WriteString(t.Text(std.Columns(), std.Color))
	fmt.Fprintf(&b, "\n%s\n", commands)
	return b.String()
}

// cells returns the row of a setting.
func (s *advisedSetting) cells() []string {
	name := fmt.Sprintf("%s %d", s.Codec, s.Level)
	if s.Present {
		name += " (now)"
	}
	exact := ""
	if s.Exact != 0 {
		exact = fmt.Sprintf("%.2f", s.Exact)
	}
	return []string{name, fmt.Sprintf("%.2f", s.Ratio), exact,
		progress.Size(int64(s.Write)) + "/s", progress.Size(int64(s.Read)) + "/s",
		strings.Join(s.Filters, ","), commas(s.Chunks), commas(s.Blocks)}
}
