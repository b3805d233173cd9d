package command

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/described"
)

// An outcome is what -json prints about an output.
type outcome struct {
	*described.Array
	NumArrays int     `json:"num_arrays,omitempty"` // of a store or an archive
	Seconds   float64 `json:"seconds"`              // that the verb took
}

// printOutcomes prints what a verb has written, an object for each output, if -json asks for it.
func (std *streams) printOutcomes(ctx context.Context) error {
	if !std.asJSON {
		return nil
	}

	seconds := time.Since(std.job.started).Seconds()
	for _, out := range std.job.outs {
		o, err := std.outcome(ctx, out)
		if err != nil {
			return fmt.Errorf("%s is complete, but cannot be described: %w", out, err)
		}

		o.Path = out.String()
		o.Seconds = seconds
		if o.Ratio == 0 {
			o.Ratio = described.Ratio(o.NBytes, o.FileBytes)
		}
		if err := std.PrintJSON(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// outcome looks at an output.
func (std *streams) outcome(ctx context.Context, out target) (*outcome, error) {
	o := &outcome{Array: &described.Array{}}
	row := out.other()
	if row != nil {
		o.Format = row.Name
	}
	if !out.Keyed {
		o.FileBytes = operand.SizeOnDisk(out.Name)
		if row != nil && row.Detect == nil { // items without a header
			o.Kind = described.ArrayKind
			o.NBytes = o.FileBytes
			return o, nil
		}
	}
	in, err := std.at.Open(ctx, out.Place, operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := in.Several(ctx)
	if err != nil {
		return nil, err
	}
	if t != nil {
		o.Kind = described.TreeKind
		o.NumArrays = len(t.Names)
		o.NBytes = bytesOfTree(ctx, t)
		return o, nil
	}

	if in.Foreign() {
		size := o.FileBytes
		o.Array = described.InTree(ctx, in.Holding, in.Under(in.Key)[0], nil)
		o.Format = in.Format.Name
		o.FileBytes = size
		return o, nil
	}
	src, err := in.Array(ctx)
	if err != nil {
		return nil, err
	}
	o.Array, err = describeFrame(ctx, in, src)
	return o, err
}
