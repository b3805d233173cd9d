package command

import (
	"bufio"
	"context"
	"flag"
	"math"
	"path"
	"strings"

	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/internal/rows"
)

// headFlags are the flags of head and tail.
type headFlags struct {
	n                 int64
	selection, format string
}

func headVerb(set *flag.FlagSet) action { return rowsVerb(set, "head", "first", false) }

func tailVerb(set *flag.FlagSet) action { return rowsVerb(set, "tail", "last", true) }

// rowsVerb returns the action of head or of tail.
func rowsVerb(set *flag.FlagSet, verb, which string, tail bool) action {
	var f headFlags
	set.Int64Var(&f.n, "n", -1, "print the "+which+" `N` rows: lines of a grid, or items in CSV and JSON; "+
		"by default 10 of a grid, and all items otherwise")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.StringVar(&f.format, "format", "table", "`FORMAT` of the output: table, csv or json")
	set.BoolFunc("json", "the same as -format json", func(string) error {
		f.format = "json"
		return nil
	})
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		given := false
		set.Visit(func(g *flag.Flag) { given = given || g.Name == "n" })
		if f.n < 0 && given {
			return usagef("-n is %d, must not be negative", f.n)
		}
		chosen, err := parseSelection(f.selection)
		if err != nil {
			return err
		}
		if f.format != "table" && f.format != "csv" && f.format != "json" {
			return usagef("-format: %q is none of table, csv and json", f.format)
		}
		o, err := std.openSource(ctx, operands[0], verb, 0)
		if err != nil {
			return err
		}
		defer o.close()
		part, err := o.part(ctx, chosen)
		if err != nil {
			return err
		}
		return f.print(ctx, std, o, part, tail)
	}
}

// print prints rows of an array.
func (f *headFlags) print(ctx context.Context, std *streams, o *openedSource, part *coords.Array, tail bool) error {
	w := bufio.NewWriter(std.output(ctx))
	p := &rows.Printer{W: w, Array: part, Width: std.width(), Ellipsis: std.plain("…"), Color: std.color,
		EscapeJSON: escapeJSON}
	if key := path.Base("/" + o.key()); key != "/" {
		p.Name = key
	}
	var err error
	n := f.n
	switch {
	case f.format == "table":
		if n < 0 {
			n = 10
		}
		if err = std.rowsHeader(ctx, p); err == nil {
			err = p.Grid(ctx, n, tail)
		}
	default:
		if n < 0 {
			n = math.MaxInt64
		}
		write := p.CSV
		if f.format == "json" {
			write = p.JSON
		}
		err = write(ctx, n, tail)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// rowsHeader prints what an array is, and the dimensions that a selection has removed.
func (std *streams) rowsHeader(ctx context.Context, p *rows.Printer) error {
	a := p.Array
	line := std.plain(shapeText(a.View.Shape())) + " " + a.View.DType().String()
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
	if text := a.Packing(); text != "" {
		p.Line(std.plain(text))
	}
	return nil
}
