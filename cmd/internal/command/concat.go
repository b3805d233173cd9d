package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// concatFlags are the flags of concat.
type concatFlags struct {
	copyFlags
	axis string
	how  joins.Options
	row  *formats.Format // of the output
}

func concatVerb(set *flag.FlagSet) action {
	var f concatFlags
	f.declare(set)
	set.StringVar(&f.axis, "axis", "0", "join along `AXIS`: "+axisUsage)
	set.BoolVar(&f.how.Stack, "stack", false, "join along a new axis, at the position that -axis counts")
	set.BoolVar(&f.how.Sort, "sort", false, "sort by the coordinates of the axis")
	set.BoolVar(&f.how.Raw, "raw", false, joinUsage)
	outFlag := set.String("o", "", "write `OUT`; the last operand by default")

	return func(ctx context.Context, std *streams, operands []string) error {
		in := operands
		out := *outFlag
		if out == "" && len(operands) >= 2 {
			in = operands[:len(operands)-1]
			out = operands[len(operands)-1]
		}
		if out == "" || len(in) == 0 {
			return wantOperands(operands, "IN…", "OUT")
		}

		names, err := std.expand(ctx, in)
		if err != nil {
			return err
		}
		o, err := f.options()
		if err != nil {
			return err
		}

		// The automatic blocks of one input need not suit the chunks of another.
		switch {
		case f.blocks == "auto" && f.chunks != "auto":
			return usagef("-blocks auto for several arrays needs -chunks auto")
		case f.how.Sort && (f.how.Stack || f.how.Raw):
			return usagef("-sort is by coordinates, which -stack and -raw do not look at")
		}

		to := targetOf(out)
		from := place.All(names)
		if done, err := f.concatWhole(ctx, std, to, from, o); done || err != nil {
			return err
		}
		if f.row, err = f.outputFormat(ctx, std, to, from, o); err != nil {
			return err
		}
		return f.concat(ctx, std, to, from, o)
	}
}

// outputFormat checks the name of an output of one array, and returns its format.
func (f *copyFlags) outputFormat(ctx context.Context, std *streams, to target, in []place.Place,
	o *ndarray.CopyOptions) (*formats.Format, error) {
	if f.named != nil {
		return nil, usagef("-chunks: names of dimensions are for whole files; give a shape such as 64,64")
	}
	row := cmp.Or(to.other(), frameFormat)
	if err := row.Check(&formats.Options{CopyOptions: *o}); err != nil {
		return nil, usagef("%v", err)
	}
	if err := std.checkOutput(ctx, to, row, f.force, in...); err != nil || !row.Native {
		return row, err
	}
	return row, f.forLeaf(to, o)
}

// concat joins the arrays of in.
func (f *concatFlags) concat(ctx context.Context, std *streams, to target, in []place.Place,
	o *ndarray.CopyOptions) error {
	opened := &joinInputs{std: std, verb: "concat", workers: o.Workers}
	defer opened.close()
	joined, err := opened.join(ctx, in, f.axis, f.how)
	if err != nil {
		return err
	}
	for _, c := range joined.Coordinates {
		f.keep = append(f.keep, keptCoordinate{c.Name, c.Source})
	}

	bar := std.newBar("joining", described.Bytes(joined.Source))
	defer bar.Close()
	key := opened.stay[0].Own() // which programs expect in all files of a dataset
	s := &saver{std: std, to: to, raw: f.how.Raw, keys: []string{key}, keep: f.keep, progress: bar.Add}
	return s.one(ctx, f.row, joined.Source, o)
}

// joinedAxis returns the number of the axis to join arrays like the first one along, or the place
// of a new one.
func joinedAxis(ctx context.Context, axis string, stack bool, first *coords.Array) (int, error) {
	if !stack {
		return axisOf(ctx, axis, first)
	}
	at, err := strconv.Atoi(axis)
	if err != nil {
		return 0, usagef("-axis: %q names no place for the new axis that -stack makes; give a number", axis)
	}
	return at, nil
}

// joinUsage describes -raw of verbs that join.
const joinUsage = "join the items as they are stored, without a look at what they and their coordinates stand for"

// concatWhole joins every array of files that has the dimension, and takes the others from the
// first one, which they must equal. It reports false if single arrays are meant.
func (f *concatFlags) concatWhole(ctx context.Context, std *streams, to target, in []place.Place,
	o *ndarray.CopyOptions) (bool, error) {
	row := wholeFormat(to)
	single := func(p place.Place) bool { return p.Kind == place.Standard || p.Keyed && !operand.IsChoice(p.Key) }
	if row == nil || f.how.Stack || slices.ContainsFunc(in, single) {
		return false, nil
	}
	w, err := std.openWhole(ctx, in[0], o.Workers)
	if w == nil || err != nil {
		return false, err
	}
	defer w.Close()
	if dims := w.dims(); len(w.meant) == 1 && (dims == nil || slices.Contains(dims, "")) {
		return false, nil
	}

	axis, err := w.named(f.axis)
	if err != nil {
		return true, err
	}
	along, err := w.having(ctx, axis)
	if err != nil {
		return true, err
	}
	kept := std.at.Keep()
	defer kept.Close()
	for _, p := range in[1:] {
		if same, err := f.alike(ctx, kept, w, p, along); err != nil || !same {
			return err != nil, err
		}
	}

	if err := f.checkWhole(ctx, std, to, row, o, in...); err != nil {
		return true, err
	}
	if f.history {
		w.Record(std.historyLine())
	}
	s := w.saver(ctx, std, to, o, "joining")
	s.raw = f.how.Raw
	open := s.source
	results := map[string]ndarray.Source{}
	var pool joins.Pool
	defer pool.Close()
	inputs := &joinInputs{std: std, verb: "concat", workers: o.Workers, said: map[string]bool{}, kept: kept}
	for _, key := range along {
		if results[key], err = f.joinLate(ctx, inputs, &pool, w, in, key, axis); err != nil {
			return true, err
		}
	}

	s.source = func(key string) (ndarray.Source, func() error, error) {
		if src := results[key]; src != nil {
			return src, func() error { return nil }, nil
		}
		return open(key)
	}
	as := &shaping{named: f.named}
	s.source = as.grid(s.source)
	return true, s.saveParts(ctx, row, s.bytes(), &shaping{}, nil)
}

// alike checks that a file has the arrays that are joined, and that the others are those of the
// first one. It reports false if the only array that is data has another name.
func (f *concatFlags) alike(ctx context.Context, kept *operand.Kept, w *wholeFile, p place.Place, along []string) (bool, error) {
	o, err := kept.Open(ctx, p, inAnyOrder(f.workers))
	if err != nil {
		return false, err
	}
	defer o.Close()

	for i, a := range w.arrays {
		other, err := o.Near(ctx, a.Key)
		joined := slices.Contains(along, a.Key)
		switch {
		case errors.Is(err, cairn.ErrNotFound) && joined && len(w.meant) == 1:
			return false, nil
		case errors.Is(err, cairn.ErrNotFound) && joined:
			return false, fmt.Errorf("%s has no array %q, which %s has: %w", p, a.Key, w.Name, cairn.ErrNotFound)
		case errors.Is(err, cairn.ErrNotFound):
			continue
		case err != nil:
			return false, err
		}

		// Coordinates are compared when arrays that have them are joined.
		same := joined || f.how.Raw || w.arrays[i].Role == cf.Coordinate && a.Rank == 1
		if !same {
			var own ndarray.Source
			if own, err = w.Near(ctx, a.Key); err == nil {
				same, err = sameCoordinates(ctx, own, other)
				err = errors.Join(err, operand.CloseSource(own))
			}
		}
		if err = errors.Join(err, operand.CloseSource(other)); err != nil {
			return false, err
		}
		if !same {
			return false, fmt.Errorf("%s in %s is not that in %s, and has no dimension %s to join along; name the arrays "+
				"to join, such as %s%s%s: %w", a.Key, p, w.Name, f.axis, w.Name, place.Mark, strings.Join(w.meant, ","),
				cairn.ErrType)
		}
	}
	return true, nil
}

// joinLate returns an array of all files, joined when it is read.
func (f *concatFlags) joinLate(ctx context.Context, of *joinInputs, pool *joins.Pool, w *wholeFile, in []place.Place,
	key, axis string) (ndarray.Source, error) {
	places := slices.Clone(in)
	for i := range places {
		places[i].Keyed = true
		places[i].Key = key
	}
	bounded := w.boundedBy(key)

	open := func(ctx context.Context) (ndarray.Source, func(), error) {
		inputs := of.like(bounded)
		joined, err := inputs.join(ctx, places, axis, f.how)
		if err != nil {
			inputs.close()
			return nil, nil, err
		}
		if bounded == "" {
			return joined.Source, inputs.close, nil
		}
		src, err := whole.WithoutUnits(joined.Source, w.attributes(key))
		return src, inputs.close, err
	}

	src, end, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return pool.Late(key, src, open)
}

// joinInputs opens the inputs of a join as they are needed. The first ones stay open.
type joinInputs struct {
	std     *streams
	verb    string
	workers int

	axis int // that join has joined along

	unitsOf string          // the coordinates whose units the inputs have, which are bounds; or ""
	said    map[string]bool // notes that need not be told again
	kept    *operand.Kept   // opens files of which several arrays are joined, or nil

	stay []*openedSource
	late joins.Pool
}

// like returns inputs that are opened in the same way. They are bounds of some coordinates, or "".
func (o *joinInputs) like(unitsOf string) *joinInputs {
	return &joinInputs{std: o.std, verb: o.verb, workers: o.workers, unitsOf: unitsOf, said: o.said, kept: o.kept}
}

// input opens an input and looks at it. It also returns the array as it is.
func (o *joinInputs) input(ctx context.Context, p place.Place) (joins.Input, ndarray.Source, error) {
	opened, err := o.open(ctx, p)
	if err != nil {
		return joins.Input{}, nil, err
	}
	in := joins.Input{Name: p.String(), Array: coords.New(opened.src, opened.Sibling)}
	stream := p.Kind == place.Standard
	if stream && !p.Keyed {
		in.Name = opened.Name
	}

	if len(o.stay) < joins.Few || stream {
		o.stay = append(o.stay, opened)
		return in, opened.src, nil
	}

	defer opened.Close()
	late, err := o.late.Late(in.Name, in.Array.View, func(ctx context.Context) (ndarray.Source, func(), error) {
		again, err := o.open(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		return again.src, func() { _ = again.Close() }, nil
	})
	if err != nil {
		return in, nil, err
	}

	in.Array = coords.New(late, opened.Sibling)
	return in, late, in.Array.Keep(ctx)
}

// open opens an input: for append also one that is read from front to back.
func (o *joinInputs) open(ctx context.Context, p place.Place) (*openedSource, error) {
	how := inAnyOrder(o.workers)
	if o.verb == "append" {
		how = operand.How{All: true, Workers: o.workers}
	}
	find := o.std.at.Open
	if o.kept != nil {
		find = o.kept.Open
	}
	opened, err := openWith(ctx, find, p, how)
	if err == nil && opened.src == nil {
		err = errors.Join(plainFrame(p, o.verb), opened.Close())
	}
	if err != nil || o.unitsOf == "" {
		return opened, err
	}

	of, err := opened.Near(ctx, o.unitsOf)
	if err == nil {
		opened.src, err = whole.WithUnits(opened.src, of)
		err = errors.Join(err, operand.CloseSource(of))
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// close closes all inputs.
func (o *joinInputs) close() {
	for _, opened := range o.stay {
		_ = opened.Close()
	}
	o.late.Close()
}

// join joins inputs, and reports what it converts.
func (o *joinInputs) join(ctx context.Context, places []place.Place, axis string, how joins.Options) (*joins.Joined, error) {
	var inputs []joins.Input
	for _, p := range places {
		in, _, err := o.input(ctx, p)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}

	var err error
	if how.Axis, err = joinedAxis(ctx, axis, how.Stack, inputs[0].Array); err != nil {
		return nil, err
	}
	o.axis = how.Axis

	joined, err := joins.Join(ctx, inputs, how)
	if err != nil {
		return nil, o.hintRaw(err)
	}

	for _, note := range joined.Notes {
		if !o.said[note] {
			o.std.Complain(note)
		}
		if o.said != nil {
			o.said[note] = true
		}
	}
	return joined, nil
}

// hintRaw says what to type where values cannot be joined.
func (o *joinInputs) hintRaw(err error) error {
	if errors.Is(err, cairn.ErrType) && o.verb != "job" {
		return fmt.Errorf("%w; -raw joins the items as they are stored", err)
	}
	return err
}
