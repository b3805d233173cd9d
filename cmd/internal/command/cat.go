package command

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/npy"
)

func catVerb(set *flag.FlagSet) action {
	selection := set.String("s", "", selectionUsage)
	raw := set.Bool("raw", false, rawUsage)
	workers := set.Int("workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		chosen, err := parseSelection(*selection)
		if err != nil {
			return err
		}
		if err := checkWorkers(*workers); err != nil {
			return err
		}

		w := std.Output(ctx)
		p := place.Of(operands[0])
		// As in cat a.b2nd >> a.b2nd, which would read what it writes.
		if std.at.Clash(p, place.Of(place.Stream), std.Out) {
			return usagef("standard output is the input %s", p)
		}
		in, err := std.open(ctx, p, inAnyOrder(*workers))
		if err != nil {
			return err
		}
		defer in.Close()

		if in.src == nil {
			if *selection != "" {
				return fmt.Errorf("%s is a plain frame: -s needs an array", p)
			}
			return catFrame(ctx, std, w, in.Frame())
		}

		if err := (&valueFlags{raw: *raw}).values(in); err != nil {
			return err
		}
		std.noteValues(in.meaning, "")
		part, err := in.part(ctx, chosen)
		if err != nil {
			return err
		}

		view := part.View
		bar := std.newBar("reading", view.Len()*int64(view.TypeSize()))
		defer bar.Close()
		o := &npy.SaveOptions{Raw: true, Memory: formats.Budget(in.src, *workers), Progress: bar.Follow()}
		return npy.Write(ctx, w, view, o)
	}
}

// catFrame writes the chunks of a frame in order.
func catFrame(ctx context.Context, std *streams, out io.Writer, f *frame.Frame) error {
	view := f.Snapshot()
	bar := std.newBar("reading", view.NBytes())
	defer bar.Close()
	w := bufio.NewWriterSize(out, 1<<20) // chunks may be tiny
	err := catChunks(ctx, w, view, bar)
	return cmp.Or(err, w.Flush())
}

func catChunks(ctx context.Context, w io.Writer, view *frame.Snapshot, bar *progress.Bar) error {
	limit := cairn.Limits{}.WithDefaults().MaxAlloc
	var buf []byte
	for i := range view.NumChunks() {
		info, err := view.Chunk(i)
		if err != nil {
			return err
		}
		if int64(info.NBytes) > limit {
			return fmt.Errorf("chunk %d has %d bytes, more than the limit of %d: %w", i, info.NBytes, limit,
				cairn.ErrLimit)
		}

		buf = slab.Resize(buf, info.NBytes)
		n, err := view.ReadChunk(ctx, buf, i)
		if err != nil {
			return err
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		bar.Add(int64(n))
	}
	return nil
}
