package command

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

func copyVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	set.BoolVar(&f.plan, "plan", false, "print the steps and the memory that they take, and do nothing")
	set.BoolVar(&f.verify, "verify", false, "read the copy again and compare it with IN; "+
		"if they differ, OUT stays as it was")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.rawOut, "raw", false, rawOutUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}
		return f.convert(ctx, std, operands)
	}
}

// convert copies what an operand names into the format that the name of the output stands for.
func (f *copyFlags) convert(ctx context.Context, std *streams, operands []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	chosen, err := parseSelection(f.selection)
	if err != nil {
		return err
	}
	f.shaping = shaping{chosen, f.selection, o.ChunkShape, o.BlockShape}
	if row := otherFormat(operands[1]); row != nil {
		return f.export(ctx, &saving{std: std, path: operands[1], how: &formats.Options{CopyOptions: *o}}, operands[0], row, &f.shaping)
	}

	to := place.Of(operands[1])
	in, err := std.at.Open(ctx, place.Of(operands[0]), operand.How{Raw: f.items, AnyOrder: true, Frames: true, Workers: f.workers})
	if err != nil {
		return err
	}
	defer in.Close()
	if done, err := f.copyGroup(ctx, std, in, to, o); done || err != nil {
		return err
	}
	one := isFrameName(operands[1])
	writes, whole := frameFormat, !one && !in.Place.Keyed && in.Store() != nil
	if whole {
		writes = storeFormat
	}
	if isStoreName(operands[1]) && isTree(in) {
		return f.copyTree(ctx, std, in, operands, o)
	}
	if err := std.checkOutput(ctx, operands[1], writes, f.force, operands[0]); err != nil {
		return err
	}
	if whole {
		return f.copyStore(ctx, std, in.Store(), operands, o)
	}
	return f.copyOne(ctx, std, in, operands, chosen, o)
}

// copyOne copies an array, the chosen part of it, or a plain frame.
func (f *copyFlags) copyOne(ctx context.Context, std *streams, in *operand.Opened, operands []string, chosen coords.Selection,
	o *ndarray.CopyOptions) error {
	if err := f.forLeaf(operands[1], o); err != nil {
		return err
	}
	src, err := in.Array(ctx)
	if err != nil {
		return err
	}
	if src == nil && f.selection != "" {
		return fmt.Errorf("%s is a plain frame: -s needs an array", operands[0])
	}
	if src == nil {
		return f.copyFrame(ctx, std, in.Frame(), operands, o)
	}
	if in.Foreign() {
		if err := checkImported(operands[1]); err != nil {
			return err
		}
		o.AutoShapes = true // as import does
	}
	part, err := coords.New(src, in.Sibling).Select(ctx, chosen)
	if err != nil {
		return err
	}
	f.keep = coordinatesToKeep(ctx, part)
	if f.selection != "" {
		src = part.View
	}
	return f.copyArray(ctx, std, src, operands, o)
}

// copyArray copies an array of any format.
func (f *copyFlags) copyArray(ctx context.Context, std *streams, in ndarray.Source, operands []string,
	o *ndarray.CopyOptions) error {
	o.FS = std.sparseIn(operands[1], f.sparse)
	if f.blocks == "auto" && f.chunks == "" {
		o.ChunkShape, _ = in.Grid()
	}
	p, err := ndarray.PlanCopy(in, o)
	if err != nil {
		return err
	}
	if f.plan {
		return std.tellPlan(ctx, p)
	}
	if f.verify && p.Lossy {
		return errVerifyLossy
	}
	std.noteSpace(operands[1], p.Bytes, o.Level)
	bar := std.newBar("copying", p.Bytes)
	defer bar.Close()
	o.Progress = bar.Follow()
	if p, err = ndarray.PlanCopy(in, o); err != nil {
		return err
	}
	run := func(path string) error {
		defer bar.Close()
		return p.Run(ctx, path)
	}
	return f.write(ctx, std, operands[1], run, func(path string) error {
		return compareArrays(ctx, std, in, path, o)
	})
}

// copyFrame copies a plain frame.
func (f *copyFlags) copyFrame(ctx context.Context, std *streams, in *frame.Frame, operands []string,
	o *ndarray.CopyOptions) error {
	if f.chunks != "" || f.blocks != "" || f.plan {
		return fmt.Errorf("%s is a plain frame: -chunks, -blocks and -plan need an array", operands[0])
	}
	if f.verify && loses(in.Info(), o) {
		return errVerifyLossy
	}
	view := in.Snapshot()
	std.noteSpace(operands[1], view.NBytes(), o.Level)
	bar := std.newBar("copying", view.NBytes())
	defer bar.Close()
	run := func(path string) error {
		defer bar.Close()
		return frame.Copy(ctx, path, view, &frame.CopyOptions{
			Codec: o.Codec, Level: o.Level, Filters: o.Filters, Recode: o.Recode, Sparse: o.Sparse,
			Overwrite: o.Overwrite, FS: std.sparseIn(operands[1], f.sparse),
			Workers: parallel.Workers(o.Workers), Progress: bar.Follow(),
		})
	}
	return f.write(ctx, std, operands[1], run, func(path string) error {
		return compareFrames(ctx, std, in, path)
	})
}

// tellPlan prints what a copy would do.
func (std *streams) tellPlan(ctx context.Context, p *ndarray.CopyPlan) error {
	if !std.asJSON {
		return std.Print(ctx, describePlan(p))
	}
	std.job.outs = nil // nothing is written
	return std.PrintJSON(ctx, map[string]any{
		"method": p.Method.String(), "chunks": p.ChunkShape, "num_chunks": p.NumChunks, "blocks": p.BlockShape,
		"boxes": p.BoxShape, "decodes": p.Passes, "memory": p.PeakMemory, "lossy": p.Lossy,
	})
}

// describePlan says what a copy would do.
func describePlan(p *ndarray.CopyPlan) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("method", "%s", p.Method)
	row("chunks", "%s, %d of them", item.Shape(p.ChunkShape), p.NumChunks)
	row("blocks", "%s", item.Shape(p.BlockShape))
	if p.Method == ndarray.CopyRechunk {
		row("boxes", "%s", item.Shape(p.BoxShape))
	}
	row("decodes", "%.4g times the array", p.Passes)
	row("memory", "%s at most", progress.Size(p.PeakMemory))
	if p.Lossy {
		row("loses", "precision, as the codec or the filters say")
	}
	return b.String()
}

// copyTree copies the arrays of a foreign file to a new store, as import does.
func (f *copyFlags) copyTree(ctx context.Context, std *streams, in *operand.Opened, operands []string,
	o *ndarray.CopyOptions) error {
	if f.verify || f.plan {
		return usagef("%s becomes a store: -verify and -plan do not apply", operands[0])
	}
	return importTree(ctx, std, in, operands[0], operands[1], &f.shaping, o)
}

// copyStore copies a whole store.
func (f *copyFlags) copyStore(ctx context.Context, std *streams, s *store.Store, operands []string, o *ndarray.CopyOptions) error {
	in, out := operands[0], operands[1]
	if f.verify || f.sparse || f.plan {
		return usagef("%s is a store with several arrays, so -verify, -sparse and -plan do not apply", in)
	}
	if err := storeName(out); err != nil {
		return err
	}
	var total int64
	for l := range s.Leaves() {
		total += l.Size
	}
	std.noteSpace(out, total, o.Level)
	bar := std.newBar("copying", total)
	defer bar.Close()
	o.Progress = bar.Follow()
	return std.onDisk(ctx, out, f.force, func(path string) error { return s.Copy(ctx, path, o) })
}
