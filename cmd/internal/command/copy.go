package command

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/ndarray"
)

func copyVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	f.declareUnlimited(set)
	set.BoolVar(&f.plan, "plan", false, "print the steps and the memory that they take, and do nothing")
	set.BoolVar(&f.verify, "verify", false, "read the copy again and compare it with IN; "+
		"if they differ, OUT stays as it was")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.rawOut, "raw", false, rawOutUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}
		return f.convert(ctx, std, place.Of(operands[0]), targetOf(operands[1]))
	}
}

// convert copies what an operand names into the format that the name of the output stands for.
func (f *copyFlags) convert(ctx context.Context, std *streams, from place.Place, to target) error {
	filters, err := f.forHDF5(to)
	if err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	chosen, err := parseSelection(f.selection)
	if err != nil {
		return err
	}
	f.shaping = shaping{chosen: chosen, selection: f.selection, chunks: o.ChunkShape, blocks: o.BlockShape, named: f.named}
	if row := to.other(); row != nil {
		how := &formats.Options{CopyOptions: *o, HDF5: filters, Unlimited: f.grown()}
		return f.export(ctx, &saver{std: std, to: to, how: how}, from, row, &f.shaping)
	}

	if err := frameFormat.Check(&formats.Options{Unlimited: f.grown()}); err != nil {
		return usagef("%v", err)
	}

	in, err := std.at.Open(ctx, from, operand.How{Raw: f.items, AnyOrder: true, Frames: true, Workers: f.workers})
	if err != nil {
		return err
	}
	defer in.Close()
	f.record(std, in, o)
	if done, err := f.copyGroup(ctx, std, in, to, o); done || err != nil {
		return err
	}
	writes := frameFormat
	whole := !to.is(frameFormat) && !from.Keyed && in.Store() != nil
	if whole {
		writes = storeFormat
	}
	if to.is(storeFormat) && isTree(in) {
		if f.verify || f.plan {
			return usagef("%s becomes a store: -verify and -plan do not apply", in.Place)
		}
		return importTree(ctx, std, in, to, &f.shaping, o)
	}
	if err := std.checkOutput(ctx, to, writes, f.force, from); err != nil {
		return err
	}
	if whole {
		return f.copyStore(ctx, std, in, to, o)
	}
	return f.copyOne(ctx, std, in, to, chosen, o)
}

// copyOne copies an array, the chosen part of it, or a plain frame.
func (f *copyFlags) copyOne(ctx context.Context, std *streams, in *operand.Opened, to target, chosen coords.Selection,
	o *ndarray.CopyOptions) error {
	if err := f.forLeaf(to, o); err != nil {
		return err
	}

	src, err := in.Array(ctx)
	if err != nil {
		return err
	}
	if src == nil && f.selection != "" {
		return fmt.Errorf("%s is a plain frame: -s needs an array", in.Place)
	}
	if src == nil {
		return f.copyFrame(ctx, std, in, to, o)
	}

	if in.Foreign() {
		if err := to.checkImported(); err != nil {
			return err
		}
		o.AutoShapes = true // as import does
	}

	part, err := coords.New(src, in.Sibling).Select(ctx, chosen)
	if err != nil {
		return err
	}
	f.keep, err = keepVariable(to, o, src, coordinatesToKeep(ctx, part))
	if err != nil {
		return err
	}
	if f.selection != "" {
		src = part.View
	}
	if err := f.chunksByName(src, o); err != nil {
		return err
	}
	return f.copyArray(ctx, std, src, to, o)
}

// copyArray copies an array of any format.
func (f *copyFlags) copyArray(ctx context.Context, std *streams, in ndarray.Source, to target,
	o *ndarray.CopyOptions) error {
	o.FS = std.sparseIn(to, f.sparse)

	if f.blocks == "auto" && f.chunks == "" {
		o.ChunkShape, _ = in.Grid()
	}
	p, err := ndarray.PlanCopy(in, o)
	if err != nil {
		return err
	}
	if f.plan {
		// Print what a copy would do.
		if !std.asJSON {
			return std.Print(ctx, describePlan(p))
		}
		std.job.outs = nil // nothing is written
		return std.PrintJSON(ctx, map[string]any{
			"method": p.Method.String(), "chunks": p.ChunkShape, "num_chunks": p.NumChunks, "blocks": p.BlockShape,
			"boxes": p.BoxShape, "decodes": p.Passes, "memory": p.PeakMemory, "lossy": p.Lossy,
		})
	}
	if f.verify && p.Lossy {
		return errVerifyLossy
	}

	std.noteSpace(to.Place, p.Bytes, o.Level)
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

	err = f.write(ctx, std, to, run, func(path string) error {
		return compareArrays(ctx, std, in, path, o)
	})
	return std.withLoss(err, o)
}

// copyFrame copies a plain frame.
func (f *copyFlags) copyFrame(ctx context.Context, std *streams, opened *operand.Opened, to target,
	o *ndarray.CopyOptions) error {
	if loss.BoundOf(o.Loss).Rule != rounding.None {
		return fmt.Errorf("%s is a plain frame, whose items are not known: they cannot be rounded", opened.Place)
	}
	if f.chunks != "" || f.blocks != "" || f.plan {
		return fmt.Errorf("%s is a plain frame: -chunks, -blocks and -plan need an array", opened.Place)
	}

	in := opened.Frame()
	if f.verify && isLossy(in.Info(), o) {
		return errVerifyLossy
	}

	view := in.Snapshot()
	std.noteSpace(to.Place, view.NBytes(), o.Level)
	bar := std.newBar("copying", view.NBytes())
	defer bar.Close()

	run := func(path string) error {
		defer bar.Close()
		return frame.Copy(ctx, path, view, &frame.CopyOptions{
			Codec: o.Codec, Level: o.Level, Filters: o.Filters, Recode: o.Recode, Sparse: o.Sparse,
			Overwrite: o.Overwrite, FS: std.sparseIn(to, f.sparse),
			Workers: parallel.Workers(o.Workers), Progress: bar.Follow(),
		})
	}

	return f.write(ctx, std, to, run, func(path string) error {
		return compareFrames(ctx, std, in, path)
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

// copyStore copies a whole store.
func (f *copyFlags) copyStore(ctx context.Context, std *streams, in *operand.Opened, to target, o *ndarray.CopyOptions) error {
	if f.verify || f.sparse || f.plan {
		return usagef("%s is a store with several arrays, so -verify, -sparse and -plan do not apply", in.Place)
	}
	if err := to.checkStore(); err != nil {
		return err
	}
	s := in.Store()
	var total int64
	for l := range s.Leaves() {
		total += l.Size
	}
	std.noteSpace(to.Place, total, o.Level)
	bar := std.newBar("copying", total)
	defer bar.Close()
	o.Progress = bar.Follow()

	var omitted omission
	objects, err := s.Objects()
	if err != nil {
		return err
	}
	left := func(key string, err error) error {
		if isDamaged(err) {
			err = naming.Reason(err) // without the temporary name of the copy
		}
		_, part := operand.ObjectAround(objects, key)
		if part || !isDamaged(err) || len(in.Keys()) == 1 {
			return err
		}
		omitted.note(std, in.Name+place.Mark+key, err)
		if omitted.count() >= len(in.Keys()) {
			return noArrays(in.Name)
		}
		return nil
	}
	err = std.onDisk(ctx, to, f.force, func(path string) error { return s.CopyFunc(ctx, path, o, left) })
	if err != nil {
		return err
	}
	return omitted.code()
}
