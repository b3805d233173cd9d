package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/viewing"
)

// viewFlags are the flags of view and of watch -plot.
type viewFlags struct {
	valueFlags
	selections []string
	out, size  string
	title      string
	colours    string
	limits     string
	reduce     string
	field      string
	log, hist  bool
	bars, grid int
	workers    int
	force      bool
}

func (f *viewFlags) declare(set *flag.FlagSet) {
	set.Func("s", selectionUsage+"; give it several times to compare", func(text string) error {
		f.selections = append(f.selections, text)
		return nil
	})

	set.StringVar(&f.out, "o", "", "write a picture to `FILE`.png or FILE.svg instead of the terminal")
	set.StringVar(&f.size, "size", "", "`WIDTHxHEIGHT` of the picture in pixels; what suits the data by default")
	set.StringVar(&f.title, "title", "", "`TEXT` above the picture; the title of the data by default")
	set.StringVar(&f.colours, "map", "", "colour map `NAME`: "+strings.Join(chart.ColourNames(), ", ")+
		", or one with -r behind, which swaps its ends; "+chart.ColourNames()[0]+" by default")
	set.StringVar(&f.limits, "limits", "",
		"show values from `LOW,HIGH`, each a number, a percentile such as 2%, or empty; "+
			"all finite values by default")
	set.StringVar(&f.reduce, "reduce", "",
		"`HOW` several items become one: mean, max, min or nearest; nearest for labels and dates by default, else mean")
	set.StringVar(&f.field, "field", "", "show the field `NAME` of structures")
	f.declareValues(set)

	set.BoolVar(&f.log, "log", false, "use a logarithmic scale")
	set.BoolVar(&f.hist, "hist", false, "show how often values occur")
	set.IntVar(&f.bars, "bars", 60, "use `N` bars for -hist; 60 by default")
	set.IntVar(&f.grid, "grid", 1, "show the first `N` slices beside each other; 1 by default")

	set.IntVar(&f.workers, "workers", 0, workersUsage)
	set.BoolVar(&f.force, "force", false, forceUsage)
}

func viewVerb(set *flag.FlagSet) action {
	var f viewFlags
	f.declare(set)

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH given")
		}

		o, err := f.options()
		if err != nil {
			return err
		}

		var selections []coords.Selection
		for _, text := range f.selections {
			s, err := parseSelection(text)
			if err != nil {
				return err
			}
			selections = append(selections, s)
		}

		in := place.All(operands)
		save, err := f.picture(std, in)
		if err != nil {
			return err
		}

		// Slices are reduced while they are read, to as many places as the picture has.
		screen := std.Screen()
		o.FieldSize = chart.FieldSize
		o.Points = chart.Points
		if f.out == "" && !std.Kitty {
			o.FieldSize = screen.FieldSize
			o.Points = screen.Points()
		}

		subjects, done, err := std.subjects(ctx, in, selections, &f)
		defer done()
		if err != nil {
			return err
		}

		c, err := viewing.Chart(ctx, subjects, o)
		if err != nil {
			return err
		}

		if f.title != "" {
			c.Title = f.title
		}
		std.plainTitles(c)

		if save != nil {
			return save(c)
		}
		return std.show(ctx, c, screen)
	}
}

// options returns what the flags say; mistakes are usage errors.
func (f *viewFlags) options() (*viewing.Options, error) {
	limits, err := viewing.ParseLimits(f.limits)
	if err != nil {
		return nil, usagef("-limits: %v", err)
	}

	o := &viewing.Options{
		Colours: f.colours, Limits: limits, Log: f.log, Reduce: viewing.Reduction(f.reduce), Histogram: f.hist,
		Bars: f.bars, Grid: f.grid, Workers: f.workers,
	}
	const mostBars, mostSlices = 1000, 64
	_, known := chart.ColoursNamed(f.colours)

	switch {
	case f.colours != "" && !known:
		return nil, unknownValue("map", "colour map", f.colours, chart.ColourNames())
	case !slices.Contains([]viewing.Reduction{"", viewing.Mean, viewing.Max, viewing.Min, viewing.Nearest}, o.Reduce):
		return nil, unknownValue("reduce", "reduction", f.reduce, valuesOf("view", "reduce"))
	case f.bars < 1 || f.bars > mostBars:
		return nil, usagef("-bars is %d, must be 1 to %d", f.bars, mostBars)
	case f.grid < 1 || f.grid > mostSlices:
		return nil, usagef("-grid is %d, must be 1 to %d", f.grid, mostSlices)
	}
	return o, checkWorkers(f.workers)
}

// picture returns the function that writes the picture, or nil if there is no -o.
func (f *viewFlags) picture(std *streams, operands []place.Place) (func(*chart.Chart) error, error) {
	var width, height int
	const least, most = 100, 8000

	if f.size != "" {
		if n, err := fmt.Sscanf(f.size, "%dx%d", &width, &height); err != nil || n != 2 ||
			f.size != fmt.Sprintf("%dx%d", width, height) || min(width, height) < least || max(width, height) > most {
			return nil, usagef("-size: %q is not WIDTHxHEIGHT with numbers from %d to %d", f.size, least, most)
		}
	}

	if f.out == "" {
		if f.size != "" || f.force {
			return nil, usagef("-size and -force are for -o")
		}
		return nil, nil
	}

	write := (*chart.Picture).WritePNG
	switch ext := strings.ToLower(filepath.Ext(f.out)); ext {
	case ".png":
	case ".svg":
		write = (*chart.Picture).WriteSVG
	default:
		return nil, usagef("-o: %s ends neither in .png nor in .svg", f.out)
	}

	// With -force, the input would be replaced by its picture.
	for _, in := range operands {
		if std.at.Clash(in, place.Of(f.out), std.Out) {
			return nil, usagef("-o: %s is the input", f.out)
		}
	}

	return func(c *chart.Chart) error {
		c.Width = width
		c.Height = height
		out, err := outfile.Create(f.out, f.force)
		if err != nil {
			return err
		}
		if err := write(c.Draw(), out); err != nil {
			out.Abort()
			return err
		}
		return out.Commit()
	}, nil
}

// subjects opens what is to be shown: each selection of each operand. done closes all of it.
func (std *streams) subjects(ctx context.Context, operands []place.Place, selections []coords.Selection, f *viewFlags) (
	subjects []viewing.Subject, done func(), err error,
) {
	var opened []*openedSource
	done = func() {
		for _, o := range opened {
			_ = o.Close()
		}
	}
	if len(selections) == 0 {
		selections = make([]coords.Selection, 1)
	}

	for _, p := range operands {
		o, err := std.openSource(ctx, p, "view", inAnyOrder(f.workers))
		if err != nil {
			return nil, done, err
		}
		opened = append(opened, o)
		if err := f.values(o); err != nil {
			return nil, done, err
		}

		for _, selection := range selections {
			part, err := o.part(ctx, selection)
			if err != nil {
				return nil, done, err
			}
			s := viewing.Subject{Name: nameOf(p), Place: console.OneLine(p.String()),
				Selection: console.OneLine(selection.String()), Array: part}

			if f.field != "" {
				if err := takeField(part, f.field); err != nil {
					return nil, done, err
				}
				s.Name += "." + f.field
			}
			subjects = append(subjects, s)
		}
	}
	return subjects, done, nil
}

// nameOf returns the name of an array for a title.
func nameOf(p place.Place) string {
	if p.Keyed {
		return console.OneLine(filepath.Base(filepath.Clean(p.Key)))
	}
	base := filepath.Base(filepath.Clean(p.Name))
	return console.OneLine(strings.TrimSuffix(base, filepath.Ext(base)))
}

// plainTitles makes the texts of a chart printable.
func (std *streams) plainTitles(c *chart.Chart) {
	c.Title, c.Subtitle = console.OneLine(c.Title), console.OneLine(c.Subtitle)
	if c.Scale != nil {
		c.Scale.Label = console.OneLine(c.Scale.Label)
	}
	for i := range c.Panels {
		p := &c.Panels[i]
		p.Title, p.X.Label, p.Y.Label = console.OneLine(p.Title), console.OneLine(p.X.Label), console.OneLine(p.Y.Label)
	}
}

// show prints a chart on standard output.
func (std *streams) show(ctx context.Context, c *chart.Chart, screen cells.Screen) error {
	w := std.Output(ctx)
	if !std.Kitty {
		return cells.Write(w, c, screen)
	}
	if err := cells.WriteKitty(w, c.Draw(), screen.Width); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
