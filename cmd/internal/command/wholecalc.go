package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// A wholeCalc computes an expression for each variable of a file, as CDO does.
type wholeCalc struct {
	flags     *calcFlags
	std       *streams
	text      string
	names     []string
	in        []place.Place
	to        target
	selection coords.Selection
	selected  string // the text of -s

	operands []*wholeOperand
	base     *wholeFile // whose variables are computed
	results  map[string]*compute.Expression
}

// A wholeOperand is a file, of which the variable with the name of the one that is computed is
// meant, or the only one; or an array that stands for itself.
type wholeOperand struct {
	file *wholeFile
	open openFunc
	one  *openedSource
}

func (o *wholeOperand) Close() error {
	if o.file != nil {
		return o.file.Close()
	}
	return o.one.Close()
}

// run writes the output. It reports false if no operand has several variables, and if there are
// several operands.
func (c *wholeCalc) run(ctx context.Context) (bool, error) {
	row := wholeFormat(c.to)
	if row == nil {
		return false, nil
	}
	defer func() {
		for _, o := range c.operands {
			_ = o.Close()
		}
	}()
	if err := c.openFiles(ctx, row.Native); c.base == nil || err != nil {
		return false, err
	}

	w := c.base
	f := c.flags
	o, err := f.options()
	if err != nil {
		return true, err
	}
	if err := f.checkWhole(ctx, c.std, c.to, row, o, c.in...); err != nil {
		return true, err
	}
	if f.history {
		w.Record(c.std.historyLine())
	}

	as := &shaping{chosen: c.selection, selection: c.selected, chunks: o.ChunkShape, blocks: o.BlockShape, named: f.named}
	s := w.saver(ctx, c.std, c.to, o, "computing")
	if c.selected != "" {
		if _, err := as.check(ctx, c.std, w.Name, w.keys, w.Near); err != nil {
			return true, err
		}
		s.source = as.wrap(ctx, s.source, w.Near)
	}
	if err := c.openOthers(ctx, o, as); err != nil {
		return true, err
	}

	var all whole.Calculation
	if err := c.each(ctx, &all); err != nil {
		return true, err
	}
	keys, own, gone, err := all.Outputs(w.arrays)
	if err != nil {
		return true, naming.In(w.Name, err)
	}
	s.keys = keys
	s.source = as.grid(c.released(resultOr(own, s.source, gone)))
	return true, s.saveParts(ctx, row, s.bytes(), &shaping{}, nil)
}

// released returns a function that opens what another one does, and frees the memory of results
// that are closed.
func (c *wholeCalc) released(open openFunc) openFunc {
	return func(key string) (ndarray.Source, func() error, error) {
		src, done, err := open(key)
		if e := c.results[key]; e != nil && err == nil {
			return src, func() error { e.Release(); return done() }, nil
		}
		return src, done, err
	}
}

// openFiles opens the operands that are files. base is the first one with several variables; a
// single operand may have one, unless the output is a store.
func (c *wholeCalc) openFiles(ctx context.Context, native bool) error {
	c.operands = nil
	for _, p := range c.in {
		w, err := c.std.openWhole(ctx, p, c.flags.workers)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		c.operands = append(c.operands, &wholeOperand{file: w})
		if several := len(w.meant) > 1; c.base == nil && (several || len(c.in) == 1 && len(w.meant) == 1 && !native) {
			c.base = w
		}
	}
	return nil
}

// openOthers makes the operands those of the names, in their order.
func (c *wholeCalc) openOthers(ctx context.Context, how *ndarray.CopyOptions, as *shaping) error {
	files := c.operands
	var all []*wholeOperand
	for _, p := range c.in {
		i := slices.IndexFunc(files, func(o *wholeOperand) bool { return o.file.Place == p })
		if i >= 0 {
			o := files[i]
			files = slices.Delete(files, i, i+1)
			o.open = as.wrap(ctx, o.file.saver(ctx, c.std, c.to, how, "").source, o.file.Near)
			all = append(all, o)
			continue
		}

		one, err := c.std.openSource(ctx, p, "calc", inAnyOrder(c.flags.workers))
		if err == nil {
			err = c.flags.values(one)
			all = append(all, &wholeOperand{one: one})
		}
		if err != nil {
			c.operands = append(all, files...)
			return err
		}
	}
	c.operands = all
	return nil
}

// each computes the results for the variables. Those that lack an axis, groups or numbers stay as
// they are.
func (c *wholeCalc) each(ctx context.Context, all *whole.Calculation) error {
	c.flags.share = int64(len(c.base.meant))
	c.results = map[string]*compute.Expression{}
	var first error

	for _, key := range c.base.meant {
		err := c.variable(ctx, all, key)
		switch {
		case err == nil:
		case errors.Is(err, cairn.ErrNotFound) || errors.Is(err, cairn.ErrType):
			if first == nil {
				first = naming.In(c.base.Name+place.Mark+strings.Trim(key, "/"), err)
			}
		default:
			return naming.In(c.base.Name+place.Mark+strings.Trim(key, "/"), err)
		}
	}
	if len(c.results) == 0 {
		return first
	}
	return nil
}

// variable adds the result for a variable.
func (c *wholeCalc) variable(ctx context.Context, all *whole.Calculation, key string) error {
	sources := map[string]ndarray.Source{}
	var arrays []*coords.Array
	var of ndarray.Source
	bytes := int64(0)
	for i, o := range c.operands {
		a, err := c.arrayOf(ctx, o, key)
		if err != nil {
			return err
		}
		arrays = append(arrays, a)
		sources[c.names[i]] = a.View
		bytes += described.Bytes(a.View)
		if o.file == c.base && of == nil {
			of = a.View
		}
	}

	text, err := namedAxes(ctx, c.text, arrays)
	if err != nil {
		return err
	}
	near := beside.Of(arrays)
	one := *c.flags
	one.findGroups = near.Groups
	one.coordinate = near.Coordinate
	tell, done := c.std.reductionBar(bytes)
	results, err := one.evaluate(ndarray.WithProgress(ctx, tell), []string{text}, sources)
	done()
	if err != nil {
		return err
	}

	e := results[0]
	keep, err := coordinatesOfResult(ctx, e, near.Arrays(), e.Selected(), one.raw)
	if err != nil {
		return err
	}
	coordinates := map[string]ndarray.Source{}
	for _, k := range keep {
		coordinates[k.name] = k.src
	}
	c.results[key] = e
	return all.Add(key, of, e, coordinates, e.Selected())
}

// arrayOf returns what an operand is for the variable with a key. It stays open with the file.
func (c *wholeCalc) arrayOf(ctx context.Context, o *wholeOperand, key string) (*coords.Array, error) {
	if o.one != nil {
		a := coords.New(o.one.src, o.one.Sibling)
		return a.Select(ctx, c.selection.Only(func(name string) bool { return a.AxisNamed(ctx, name) >= 0 }))
	}

	w := o.file
	switch {
	case w.has(key):
	case len(w.meant) == 1:
		key = w.meant[0]
	default:
		return nil, fmt.Errorf("%s has no variable %s, and several others; name one as %s%sKEY: %w", w.Name, key, w.Name, place.Mark,
			cairn.ErrInvalid)
	}
	open := func(_ context.Context, key string) (ndarray.Source, error) {
		src, end, err := o.open(key)
		if err == nil {
			w.later = append(w.later, end)
		}
		return src, err
	}
	src, err := open(ctx, key)
	if err != nil {
		return nil, err
	}
	values := &openedSource{src: src}
	if err := c.flags.values(values); err != nil {
		return nil, err
	}
	return coords.New(values.src, coords.Near(key, open)).Select(ctx, coords.Selection{})
}
