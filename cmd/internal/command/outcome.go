package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/suggest"
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

// Exit codes. After a signal, the code is exitSignal plus its number.
const (
	exitOK     = 0
	exitFailed = 1 // of diff: something differs
	exitUsage  = 2 // of diff: any failure
	exitLost   = 3 // some data was lost by repair, left out by a conversion, or not verified
	exitHealed = 4 // of verify: all data is intact, but a header is damaged
	exitAfter  = 5 // everything is written, but something failed afterwards
)

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// exitError ends the command with an exit code, without a further message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// unknownValue returns the error for a flag whose value is not one of a few.
func unknownValue(flag, kind, value string, want []string) error {
	return usagef("-%s: unknown %s %q: want %s%s", flag, kind, value, oneOf(want), suggest.Question(value, want))
}

// oneOf returns names as in "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// wantOperands fails unless there are as many operands as names.
func wantOperands(operands []string, names ...string) error {
	if len(operands) < len(names) {
		return usagef("no %s given", names[len(operands)])
	}
	if len(operands) > len(names) {
		return usagef("unexpected argument %q", operands[len(names)])
	}
	return nil
}
