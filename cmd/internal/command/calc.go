package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/ndarray"
)

// calcFlags are the flags of verbs that compute an array.
type calcFlags struct {
	copyFlags
	valueFlags
	rows  int64
	share int64 // of the memory for each of several results: one of so many, if it is not 0

	// findGroups returns the groups that by= names, as CalcOptions have it.
	findGroups func(context.Context, string, []string, ndarray.Shape) ([]compute.Groups, error)
	// coordinate returns coordinates, as CalcOptions have it.
	coordinate func(context.Context, string, []string, ndarray.Shape) (ndarray.Source, error)
	scratch    *whole.Scratch
}

func (f *calcFlags) declare(set *flag.FlagSet) {
	f.copyFlags.declare(set)
	f.declareValues(set)
	set.Int64Var(&f.rows, "n", 10, "without an output, print the first `N` rows; 10 by default")
}

func calcVerb(set *flag.FlagSet) action {
	var f calcFlags
	f.declare(set)
	out := set.String("o", "", "write the result to `OUT`, in the format that its name stands for; print it by default")
	selection := set.String("s", "", selectionUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		part, err := parseSelection(*selection)
		if err != nil {
			return err
		}
		f.scratch = &whole.Scratch{}
		defer f.scratch.Close()
		if len(operands) == 0 {
			return wantOperands(operands, "EXPRESSION")
		}

		var names, paths []string
		for _, operand := range operands[1:] {
			name, path, ok := strings.Cut(operand, "=")
			if !ok || name == "" || path == "" {
				return usagef("%s: write NAME=PATH, with the name that the expression has", operand)
			}
			if slices.Contains(names, name) {
				return usagef("%s: there are two arrays named %s", operand, name)
			}
			names, paths = append(names, name), append(paths, path)
		}

		calculation := &wholeCalc{flags: &f, std: std, text: operands[0], names: names, in: place.All(paths), to: targetOf(*out),
			selection: part, selected: *selection}
		if done, err := calculation.run(ctx); done || err != nil {
			return err
		}

		evaluate := func(ctx context.Context, opened []*openedSource) ([]*compute.Expression, []*coords.Array, error) {
			sources := map[string]ndarray.Source{}
			arrays, err := partsOf(ctx, opened, part)
			if err != nil {
				return nil, nil, err
			}
			for i, o := range opened {
				sources[names[i]] = o.src
				if *selection != "" {
					sources[names[i]] = arrays[i].View
				}
			}

			text, err := namedAxes(ctx, operands[0], arrays)
			if err != nil {
				return nil, nil, err
			}
			names := beside.Of(arrays)
			f.findGroups = names.Groups
			f.coordinate = names.Coordinate
			results, err := f.evaluate(ctx, []string{text}, sources)
			return results, names.Arrays(), err
		}

		return f.calc(ctx, std, targetOf(*out), place.All(paths), nil, evaluate)
	}
}

// leastShare is the memory that each of several results has, if all together have as much.
const leastShare = 64 << 20

// evaluate returns the results of expressions.
func (f *calcFlags) evaluate(ctx context.Context, texts []string,
	sources map[string]ndarray.Source) ([]*compute.Expression, error) {
	memory, err := f.budget(ctx)
	if err != nil {
		return nil, err
	}
	if f.share > 1 {
		memory = max(parallel.Memory(memory)/f.share, min(parallel.Memory(memory), leastShare))
	}
	results, err := compute.CalcAll(ctx, texts, sources, &compute.CalcOptions{Workers: f.workers, Memory: memory,
		By: f.findGroups, Coordinate: f.coordinate, Scratch: f.scratch.New})
	if errors.Is(err, compute.ErrSyntax) {
		return nil, usagef("%v", err)
	}
	return results, err
}

// An evaluateFunc returns the results of expressions of open arrays, and the arrays whose
// coordinates the results may have.
type evaluateFunc func(ctx context.Context, opened []*openedSource) ([]*compute.Expression, []*coords.Array, error)

// calc opens the arrays of expressions, and writes or prints their results. Several results have
// keys, and become the leaves of a store; a single one has none.
func (f *calcFlags) calc(ctx context.Context, std *streams, to target, in []place.Place, keys []string,
	evaluate evaluateFunc) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if f.rows < 0 {
		return usagef("-n is %d, must not be negative", f.rows)
	}

	row, err := f.checkResult(ctx, std, to, in, keys, o)
	if err != nil {
		return err
	}

	var opened []*openedSource
	total := int64(0)
	for _, p := range in {
		a, err := std.openSource(ctx, p, "calc", inAnyOrder(f.workers))
		if err != nil {
			return err
		}
		defer a.Close()
		if err := f.values(a); err != nil {
			return err
		}
		opened = append(opened, a)
		total += described.Bytes(a.src)
	}

	if row != nil && row.Native {
		f.encodeAs(opened, o)
	}

	tell, done := std.reductionBar(total)
	results, arrays, err := evaluate(ndarray.WithProgress(ctx, tell), opened)
	done()
	if err != nil {
		return err
	}
	f.keep, err = coordinatesOfResult(ctx, results[0], arrays, results[0].Selected(), f.raw)
	if err != nil {
		return err
	}

	if !to.none() {
		return f.save(ctx, std, results, keys, ownName(opened, row), row, to,
			&formats.Options{CopyOptions: *o, Plain: plainSources(opened)})
	}
	for i, e := range results {
		key := "" // a single result has none
		if keys != nil {
			key = keys[i]
		}
		if err := f.print(ctx, std, e, key); err != nil {
			return err
		}
	}
	return nil
}

// plainSources reports whether no array is compressed in its file.
func plainSources(opened []*openedSource) bool {
	return !slices.ContainsFunc(opened, func(a *openedSource) bool { return !formats.IsPlain(a.items()) })
}

// encodeAs sets the codec and the level of the first array of Blosc2, unless flags have set others.
func (f *calcFlags) encodeAs(opened []*openedSource, o *ndarray.CopyOptions) {
	for _, a := range opened {
		u, ok := a.items().(*ndarray.Untyped)
		if !ok {
			continue
		}

		info := u.Info()
		if f.codec == "" {
			o.Codec = info.Codec
		}
		if f.codec == "" && f.level == levelKept {
			if o.Level = info.Level; info.Level == 0 {
				o.Level = chunk.Stored
			}
		}
		return
	}
}

// reductionBar returns a progress function for reductions of total bytes, which shows a bar for
// each of them, and a function that ends the last one.
func (std *streams) reductionBar(total int64) (tell func(done, of int64), end func()) {
	var bar *progress.Bar
	var before, parts int64
	tell = func(done, of int64) {
		if bar == nil || done < before || of != parts { // the next reduction
			bar.Close()
			bar = std.newBar("reducing", total)
			before = 0
			parts = of
		}

		share := func(n int64) int64 { return int64(float64(total) * float64(n) / float64(max(1, of))) }
		bar.Add(share(done) - share(before))
		before = done
	}
	return tell, func() { bar.Close() }
}

// checkResult checks the name of an output before anything is read. It returns the format, or nil
// without an output.
func (f *calcFlags) checkResult(ctx context.Context, std *streams, to target, in []place.Place, keys []string,
	o *ndarray.CopyOptions) (*formats.Format, error) {
	if to.none() {
		return nil, nil
	}

	if keys != nil {
		row := to.other()
		if to.One() {
			return nil, usagef("%s: several results need a store of their own, such as out.b2z", to)
		}
		if row == nil || !row.Trees {
			row = storeFormat
			if err := to.checkStore(); err != nil {
				return nil, err
			}
		}

		if err := row.Check(&formats.Options{CopyOptions: *o}); err != nil {
			return nil, usagef("%v", err)
		}
		return row, std.checkOutput(ctx, to, row, f.force, in...)
	}
	return f.outputFormat(ctx, std, to, in, o)
}

// ownName returns the name that a single result has in a file with several arrays: that of the
// arrays that it was made of, if they have one name.
func ownName(opened []*openedSource, row *formats.Format) string {
	if row == nil || row.Native || !row.Trees || !row.Attributes {
		return ""
	}
	var names []string
	for _, o := range opened {
		names = append(names, path.Base("/"+o.Own()))
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) != 1 || names[0] == "/" {
		return ""
	}
	return names[0]
}

// save writes results. A single one may have a name, or "".
func (f *calcFlags) save(ctx context.Context, std *streams, results []*compute.Expression, keys []string, name string,
	row *formats.Format, to target, how *formats.Options) error {
	s := &saver{std: std, to: to, how: how, tree: keys != nil, keep: f.keep}
	if s.keys = keys; !s.tree {
		s.keys = []string{name}
	}

	total := int64(0)
	for _, e := range results {
		total += described.Bytes(e)
	}
	bar := std.newBar("computing", total)
	defer bar.Close()
	s.progress = bar.Add

	names := slices.Clone(s.keys)
	s.source = func(key string) (ndarray.Source, func() error, error) {
		return results[slices.Index(names, key)], func() error { return nil }, nil
	}
	return s.deliver(ctx, row)
}

// print prints a result: a single item as it is, an array as head does.
func (f *calcFlags) print(ctx context.Context, std *streams, e *compute.Expression, key string) error {
	w := bufio.NewWriter(std.Output(ctx))
	switch {
	case key == "":
	case std.asJSON && len(e.Shape()) > 0:
		return usagef("-json: several arrays cannot be printed, name an output such as out.b2z")
	case std.asJSON:
	case len(e.Shape()) == 0:
		fmt.Fprintf(w, "%-8s ", key)
	default:
		fmt.Fprintln(w, key)
	}

	if len(e.Shape()) == 0 {
		raw := make([]byte, e.DType().Size())
		if err := e.ReadBytes(ctx, raw, nil, nil); err != nil {
			return err
		}
		if std.asJSON {
			result := map[string]any{"dtype": e.DType().String(), "value": item.JSON(e.DType(), raw)}
			if key != "" {
				result["op"] = key
			}
			return std.PrintJSON(ctx, result)
		}
		fmt.Fprintln(w, console.OneLine(item.Text(e.DType(), raw)))
		return w.Flush()
	}

	// Rows are labelled by the coordinates that a file would have got.
	lookup := func(_ context.Context, name string) (ndarray.Source, error) {
		if i := slices.IndexFunc(f.keep, func(k keptCoordinate) bool { return k.name == name }); i >= 0 {
			return f.keep[i].src, nil
		}
		return nil, nil
	}
	p := &rows.Printer{W: w, Array: coords.New(e, lookup), Width: std.Width(), Ellipsis: std.Plain("…"),
		Color: std.Color, EscapeJSON: console.EscapeJSON}

	if std.asJSON {
		if err := p.JSON(ctx, math.MaxInt64, false); err != nil {
			return err
		}
		return w.Flush()
	}

	if err := std.rowsHeader(ctx, p); err != nil {
		return err
	}
	if err := p.Grid(ctx, f.rows, false); err != nil {
		return err
	}
	return w.Flush()
}
