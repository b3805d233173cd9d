package command

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/jobtext"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	jobs "github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
)

// plan plans a job: JOB IN… OUT.
func (f *jobFlags) plan(ctx context.Context, std *streams, operands []string) error {
	if len(operands) < 3 {
		return wantOperands(operands, "JOB", "IN", "OUT")
	}
	path := operands[0]
	in := operands[1 : len(operands)-1]
	out := targetOf(operands[len(operands)-1])

	var err error
	if f.join {
		if in, err = std.expand(ctx, in); err != nil {
			return err
		}
	}

	o, err := f.jobOptions(in, out)
	if err != nil {
		return err
	}
	if err := std.checkJobOutput(ctx, out, len(o.Leaves) > 0); err != nil {
		return err
	}
	if err := f.lookAtFirst(ctx, std, o, out); err != nil {
		return err
	}

	// Nothing is created before the plan is known to work.
	p, err := f.planned(ctx, std, o)
	if err != nil {
		return err
	}

	if !place.Of(path).Far() {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return err
		}
	}

	b, dir := std.jobBucket(path)
	j, err := jobs.Create(ctx, b, dir, p)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}

	if f.asJSON {
		return f.status(ctx, std, j)
	}
	return std.Print(ctx, std.Wrapped(jobtext.Plan(p, item.Shape(p.Box))))
}

// planned plans a job. An expression names dimensions as for calc, which refuses arrays whose
// coordinates contradict each other too.
func (f *jobFlags) planned(ctx context.Context, std *streams, o *jobs.Options) (*jobs.Plan, error) {
	if o.Kind != jobs.Calc {
		return jobs.New(ctx, std.jobInput, o)
	}
	var arrays []*coords.Array
	for _, in := range o.Inputs {
		opened, err := std.openSource(ctx, place.Of(in.Path), "job", inAnyOrder(0))
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		arrays = append(arrays, coords.New(opened.src, opened.Sibling))
	}
	var err error
	if o.Expression, err = namedAxes(ctx, o.Expression, arrays); err != nil {
		return nil, err
	}
	o.FindGroups(beside.Of(arrays).Groups)
	p, err := jobs.New(ctx, std.jobInput, o)
	if err != nil || f.raw || len(p.Output.Template) == 0 {
		return p, err
	}

	result, err := ndarray.FromBytes(p.Output.Template, nil)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	_, err = coordinatesOfResult(ctx, result, arrays, p.Selected(), false)
	return p, err
}

// checkJobOutput checks the name of an output.
func (std *streams) checkJobOutput(ctx context.Context, out target, several bool) error {
	_, err := os.Lstat(out.Name)
	far := out.Far()

	switch {
	case out.One():
		return usagef("%s: a job writes a file of its own", out)
	case !far && err == nil:
		// Sealing would refuse that.
		return &fs.PathError{Op: "create", Path: out.Name, Err: fs.ErrExist}
	case !several:
		return std.checkOutput(ctx, out, frameFormat, false)
	case far:
		return usagef("%s: a store of several results needs a file system", out)
	}

	if err := out.checkStore(); err != nil {
		return err
	}
	return std.checkOutput(ctx, out, storeFormat, false)
}

// jobOptions turns flags and operands into options.
func (f *jobFlags) jobOptions(in []string, out target) (*jobs.Options, error) {
	copied, err := f.options()
	if err != nil {
		return nil, err
	}

	switch {
	case f.force:
		return nil, usagef("-force: a job replaces nothing")
	case f.join && f.expression != "", f.ops != "" && (f.join || f.expression != ""):
		return nil, usagef("-calc, -concat and -reduce cannot be combined")
	case f.ops == "" && (f.reduceFlags.keep || f.nan != nanSkip || f.ddof != 0):
		return nil, usagef("-keepdims, -nan and -ddof are for -reduce")
	case f.ops == "" && f.expression == "" && f.raw:
		return nil, usagef("-raw is for -calc and -reduce; everything else takes items")
	case f.ops == "" && !f.join && f.axes != "":
		return nil, usagef("-axis is for -concat and -reduce")
	}

	o := &jobs.Options{
		Kind: jobs.Copy, Sparse: f.sparse, ChunkShape: copied.ChunkShape, BlockShape: copied.BlockShape,
		AutoShapes: copied.AutoShapes, Codec: copied.Codec, Level: copied.Level, Filters: copied.Filters,
		ZarrBlocks: copied.ZarrBlocks, Recode: copied.Recode, Workers: copied.Workers, Memory: copied.Memory, Expression: f.expression,
		Raw: f.raw,
	}

	if o.TaskBytes, err = parseSize("size", f.taskSize); err != nil {
		return nil, err
	}
	if o.Output, err = absolute(out.Place); err != nil {
		return nil, err
	}

	switch {
	case f.ops != "" && len(in) == 1:
		in = []string{"x=" + in[0]}
		if err := f.reductions(o, out); err != nil {
			return nil, err
		}
	case f.ops != "":
		return nil, usagef("%d inputs of a reduction, must be one; join them before with -concat", len(in))
	case f.join:
		o.Kind = jobs.Concat
	case f.expression != "":
		o.Kind = jobs.Calc
	case len(in) > 1:
		return nil, usagef("%d inputs; join them with -concat, or compute with -calc", len(in))
	}

	// Workers may run in other directories than this one, and each opens the inputs by itself.
	for _, operand := range in {
		name := ""
		path := operand
		if o.Kind == jobs.Calc || o.Kind == jobs.Reduce {
			var ok bool
			if name, path, ok = strings.Cut(operand, "="); !ok || name == "" || path == "" {
				return nil, usagef("%s: write NAME=PATH, with the name that the expression has", operand)
			}
		}

		p := place.Of(path)
		if p.Kind == place.Standard {
			return nil, usagef("a job cannot read standard input")
		}
		if path, err = absolute(p); err != nil {
			return nil, err
		}
		o.Inputs = append(o.Inputs, jobs.Input{Name: name, Path: path})
	}
	return o, nil
}

// absolute returns a path as processes in other directories can use it.
func absolute(p place.Place) (string, error) {
	if p.Far() {
		return p.String(), nil
	}
	return filepath.Abs(p.String())
}

// lookAtFirst sets what depends on the first input.
func (f *jobFlags) lookAtFirst(ctx context.Context, std *streams, o *jobs.Options, out target) error {
	if o.Kind == jobs.Calc || o.Kind == jobs.Reduce {
		if err := f.encodeAsInput(ctx, std, o); err != nil {
			return err
		}
	}

	if o.Kind == jobs.Calc {
		return nil
	}

	first, err := std.openSource(ctx, place.Of(o.Inputs[0].Path), "job", inAnyOrder(0))
	if err != nil {
		return err
	}
	defer first.Close()

	switch o.Kind {
	case jobs.Copy:
		o.AutoShapes = o.AutoShapes || first.Foreign() // as import does
		if f.blocks == "auto" && f.chunks == "" {
			o.ChunkShape, _ = first.src.Grid()
		}
		return nil
	case jobs.Reduce:
		if err := f.numberAxes(ctx, coords.New(first.src, first.Sibling)); err != nil {
			return err
		}
		return f.reductions(o, out)
	}

	// Join the inputs as concat does, to see whether they can be, and set the axis.
	opened := &joinInputs{std: std, verb: "job", workers: o.Workers}
	defer opened.close()
	var in []place.Place
	for _, one := range o.Inputs {
		in = append(in, place.Of(one.Path))
	}

	axis := cmp.Or(f.axes, "0")
	joined, err := opened.join(ctx, in, axis, joins.Options{})
	if err != nil {
		return err
	}

	if joined.Turned {
		return fmt.Errorf("a job cannot turn arrays round: %w", cairn.ErrUnsupported)
	}
	o.Axis = opened.axis
	return nil
}

// encodeAsInput sets the codec and the level of the first input of Blosc2, as calc does.
func (f *jobFlags) encodeAsInput(ctx context.Context, std *streams, o *jobs.Options) error {
	for _, in := range o.Inputs {
		a, err := std.openSource(ctx, place.Of(in.Path), "job", inAnyOrder(0))
		if err != nil {
			return err
		}

		as := &ndarray.CopyOptions{Codec: o.Codec, Level: o.Level}
		f.encodeAs([]*openedSource{a}, as)
		blosc := !a.Foreign()
		_ = a.Close()
		if blosc {
			o.Codec = as.Codec
			o.Level = as.Level
			return nil
		}
	}
	return nil
}
