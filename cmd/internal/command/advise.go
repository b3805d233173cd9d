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
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/internal/place"
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
		switch {
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

		a, err := advised(ctx, std, p, in.src, o)
		if err != nil {
			return err
		}

		// All settings are measured; -n is only about how many are shown.
		a.Settings = a.Settings[:min(*rows, len(a.Settings))]
		if *asJSON {
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
	Sampled  int64            `json:"sampled"` // bytes of items
	Places   int              `json:"places"`
	Tried    int              `json:"tried"`
	Settings []advisedSetting `json:"settings"` // the best first
}

type advisedSetting struct {
	Codec   string        `json:"codec"`
	Level   int           `json:"level"`
	Filters []string      `json:"filters"`
	Chunks  ndarray.Shape `json:"chunks"`
	Blocks  ndarray.Shape `json:"blocks"`
	Ratio   float64       `json:"ratio"`
	Write   float64       `json:"write"` // bytes of items per second
	Read    float64       `json:"read"`
	Behind  float64       `json:"behind"` // by which share it misses the goal
	Present bool          `json:"present,omitempty"`
	Command string        `json:"command"`
}

// advised measures settings for a source.
func advised(ctx context.Context, std *streams, p place.Place, src ndarray.Source, o *advise.Options) (*advice, error) {
	o.Also = presentSetting(src)
	bar := std.newBar("measuring", 0)
	defer bar.Close()
	o.Progress = func(done, total int) { bar.Set(int64(done), int64(total)) }

	found, err := advise.Run(ctx, src, o)
	if err != nil {
		return nil, err
	}
	a := &advice{Path: p.String(), Shape: src.Shape(), DType: src.DType().String(), Goal: o.Goal, Access: o.Access,
		Sampled: found.Sampled, Places: found.Places, Tried: found.Tried, Settings: []advisedSetting{}}

	for i := range found.Trials {
		t := &found.Trials[i]
		s := advisedSetting{Codec: fmt.Sprint(t.Codec), Level: t.Level, Chunks: t.Chunks, Blocks: t.Blocks,
			Ratio: t.Ratio(), Write: t.WriteRate(), Read: t.ReadRate(), Behind: t.Behind(&found.Trials[0])}
		for _, f := range t.Filters {
			s.Filters = append(s.Filters, f.String())
		}
		s.Present = o.Also != nil && fmt.Sprint(*o.Also) == fmt.Sprint(t.Setting)
		s.Command = s.command(p)
		a.Settings = append(a.Settings, s)
	}
	return a, nil
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
func (s *advisedSetting) command(p place.Place) string {
	words := []string{"cairn copy -codec", s.Codec, "-level", strconv.Itoa(s.Level),
		"-filters", strings.Join(s.Filters, ",")}
	if len(s.Chunks) > 0 {
		words = append(words, "-chunks", commas(s.Chunks), "-blocks", commas(s.Blocks))
	}
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

// text shows the settings as a table, and the command for the first one.
func (a *advice) text(std *streams) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s %s\n", std.Color.Paint(table.Bold, console.OneLine(a.Path)), item.Shape(a.Shape), console.OneLine(a.DType))
	b.WriteString(std.Wrapped(fmt.Sprintf("measured %s from %s, %s, for %s", progress.Size(a.Sampled),
		console.Count(a.Places, "place"), console.Count(a.Tried, "setting"), a.Goal)) + "\n")

	t := table.New(table.Column{Name: "codec", Keep: true}, table.Column{Name: "ratio", Right: true},
		table.Column{Name: "write", Right: true}, table.Column{Name: "read", Right: true}, table.Column{Name: "filters"},
		table.Column{Name: "chunks"}, table.Column{Name: "blocks"})

	for i, s := range a.Settings {
		style := table.Style("")
		if i == 0 {
			style = table.Green
		}
		name := fmt.Sprintf("%s %d", s.Codec, s.Level)
		if s.Present {
			name += " (now)"
		}
		t.Add(style, name, fmt.Sprintf("%.2f", s.Ratio),
			progress.Size(int64(s.Write))+"/s", progress.Size(int64(s.Read))+"/s",
			strings.Join(s.Filters, ","), commas(s.Chunks), commas(s.Blocks))
	}

	b.WriteString(t.Text(std.Columns(), std.Color))
	fmt.Fprintf(&b, "\n%s\n", a.Settings[0].Command)
	return b.String()
}
