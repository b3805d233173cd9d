package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/internal/show/table"
)

// headFlags are the flags of head and tail.
type headFlags struct {
	valueFlags
	n                 int64
	selection, format string
}

// itemFormats lists the values of -format.
func itemFormats() []string { return []string{"table", "csv", "json"} }

func headVerb(set *flag.FlagSet) action { return rowsVerb(set, "head", "first", false) }

func tailVerb(set *flag.FlagSet) action { return rowsVerb(set, "tail", "last", true) }

// rowsVerb returns the action of head or of tail.
func rowsVerb(set *flag.FlagSet, verb, which string, tail bool) action {
	var f headFlags
	set.Int64Var(&f.n, "n", -1, "print the "+which+" `N` rows: lines of a grid, or items in CSV and JSON; "+
		"by default 10 of a grid, and all items otherwise")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	f.declareValues(set)
	set.StringVar(&f.format, "format", "table", "`FORMAT` of the output: table, csv or json")
	set.BoolFunc("json", "the same as -format json", func(string) error {
		f.format = "json"
		return nil
	})

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return wantOperands(operands, "PATH…")
		}

		// -1 is the default, which only a look at the flags distinguishes from a mistake.
		given := false
		set.Visit(func(g *flag.Flag) { given = given || g.Name == "n" })
		if f.n < 0 && given {
			return usagef("-n is %d, must not be negative", f.n)
		}

		chosen, err := parseSelection(f.selection)
		if err != nil {
			return err
		}

		if !slices.Contains(itemFormats(), f.format) {
			return unknownValue("format", "format", f.format, itemFormats())
		}
		if f.format == "csv" && len(operands) > 1 {
			return usagef("-format csv: a table of CSV has one array, not %d; give them one by one", len(operands))
		}

		return f.each(ctx, std, verb, operands, func(name, before string) error {
			o, err := std.openSource(ctx, place.Of(name), verb, inAnyOrder(0))
			if err != nil {
				return err
			}
			defer o.Close()
			if err := f.values(o); err != nil {
				return err
			}
			part, err := o.part(ctx, chosen)
			if err != nil {
				return err
			}
			return f.print(ctx, std, o, part, before, tail)
		})
	}
}

// each calls show for each path, with what to print before its rows: several arrays have their
// names above, or are a list in JSON.
func (f *headFlags) each(ctx context.Context, std *streams, verb string, paths []string,
	show func(name, before string) error) error {
	if len(paths) == 1 {
		return show(paths[0], "")
	}

	if f.format == "csv" {
		return usagef("-format csv: %d arrays are no table; give them one by one", len(paths))
	}

	before := "["
	err := std.eachPath(ctx, paths, func(name string) error {
		text := before
		if f.format == "table" {
			text = strings.TrimPrefix(before, "[") + std.Color.Paint(table.Bold, std.Plain(console.OneLine(name))) + "\n"
		}
		if err := show(name, text); err != nil {
			return err
		}

		before = ","
		if f.format == "table" {
			before = "\n"
		}
		return nil
	})

	if f.format == "json" && ctx.Err() == nil {
		err = errors.Join(std.Print(ctx, strings.TrimPrefix(before, ",")+"]\n"), err)
	}
	return err
}

// print prints rows of an array.
func (f *headFlags) print(ctx context.Context, std *streams, o *openedSource, part *coords.Array, before string,
	tail bool) error {
	w := bufio.NewWriter(std.Output(ctx))
	w.WriteString(before)

	p := &rows.Printer{W: w, Array: part, Width: std.Width(), Ellipsis: std.Plain("…"), Color: std.Color,
		EscapeJSON: console.EscapeJSON, Lists: o.Sequences()}
	if key := path.Base("/" + o.Own()); key != "/" {
		p.Name = key
	}

	n := f.n
	write := p.CSV
	switch f.format {
	case "table":
		if n < 0 {
			n = 10
		}
		if err := std.rowsHeader(ctx, p); err != nil {
			return err
		}
		if o.note() != "" {
			p.Line(std.Plain(o.note()))
		}
		write = p.Grid
	case "json":
		write = p.JSON
	}
	if n < 0 {
		n = math.MaxInt64
	}

	if err := write(ctx, n, tail); err != nil {
		return err
	}
	return w.Flush()
}

// rowsHeader prints what an array is, and the dimensions that a selection has removed.
func (std *streams) rowsHeader(ctx context.Context, p *rows.Printer) error {
	a := p.Array
	line := std.Plain(item.Shape(a.View.Shape())) + " " + a.View.DType().String()
	if a.Title != "" {
		line += "  " + a.Title
	}
	if a.Units != "" {
		line += " (" + a.Units + ")"
	}
	p.Line(line)

	fixed, err := a.Fixed(ctx)
	if err != nil {
		return err
	}

	var parts []string
	for _, f := range fixed {
		switch {
		case f.Index:
			parts = append(parts, f.Name+f.Text)
		default:
			parts = append(parts, strings.TrimSpace(f.Name+"="+f.Text+" "+f.Units))
		}
	}

	if len(parts) > 0 {
		p.Line(strings.Join(parts, ", "))
	}
	return nil
}
