package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
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

// joinInputs opens the inputs of a join as they are needed. The first ones stay open.
type joinInputs struct {
	std     *streams
	verb    string
	workers int

	axis int // that join has joined along

	stay []*openedSource
	late joins.Pool
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
	return o.std.openSource(ctx, p, o.verb, how)
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
		o.std.Complain(note)
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
