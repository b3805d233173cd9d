package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/cairn-go/cairn/cmd/cairn/internal/npy"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func exportVerb(set *flag.FlagSet) action {
	selection := set.String("s", "", selectionUsage)
	workers := set.Int("workers", 0, workersUsage)
	force := set.Bool("force", false, forceUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH", "OUT.npy"); err != nil {
			return err
		}
		selectors, err := parseSelection(*selection)
		if err == nil {
			err = checkWorkers(*workers)
		}
		if err != nil {
			return err
		}
		if err := std.checkOutput(operands[1], npyFormat, *force, operands[0]); err != nil {
			return err
		}
		c, err := std.openArray(ctx, operands[0], *workers)
		if err != nil {
			return err
		}
		defer c.close()
		u := c.array
		if err := u.Slice(selectors...).Err(); err != nil {
			return err
		}
		if operands[1] == standardIO {
			return exportTo(ctx, std, std.output(ctx), u, selectors, *workers)
		}
		f, err := createFile(operands[1], *force)
		if err != nil {
			return err
		}
		if err := exportTo(ctx, std, namedWriter{f, operands[1]}, u, selectors, *workers); err != nil {
			f.abort()
			return err
		}
		return f.commit()
	}
}

// exportTo writes the selected items as an .npy file.
func exportTo(ctx context.Context, std *streams, w io.Writer, u *ndarray.Untyped, selectors []ndarray.Selector, workers int) error {
	view := u.Slice(selectors...)
	if err := view.Err(); err != nil {
		return err
	}
	dtype, err := exportType(std, u)
	if err != nil {
		return err
	}
	h := npy.Header{DType: dtype, Shape: view.Shape()}
	if _, err := w.Write(h.Append(nil)); err != nil {
		return err
	}
	bar := std.newBar("exporting", h.DataSize())
	defer bar.Close()
	return writeItems(ctx, w, u, selectors, workers, bar)
}

// exportType returns the dtype to export with: that of the array, or raw bytes if its size differs
// from that of the items, which the frame states.
func exportType(std *streams, u *ndarray.Untyped) (meta.DType, error) {
	if d := u.DType(); d.Kind() != 0 {
		return d, nil
	}
	std.complain(fmt.Sprintf("dtype %q does not describe items of %d bytes; exporting raw bytes",
		u.DType(), u.TypeSize()))
	return meta.ParseDType(fmt.Sprintf("|V%d", u.TypeSize()))
}
