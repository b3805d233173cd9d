package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/ndarray"
)

func appendVerb(set *flag.FlagSet) action {
	axis := set.String("axis", "0", "append along `AXIS`: "+axisUsage)
	workers := set.Int("workers", 0, workersUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) < 2 {
			return wantOperands(operands, "FILE", "IN…")
		}
		in, err := std.expand(ctx, operands[1:])
		if err == nil {
			err = std.willWrite(operands[0])
		}
		if err != nil {
			return err
		}
		return changeArray(ctx, operands[0], *workers, func(u *ndarray.Untyped) error {
			for _, path := range in {
				if err := appendFile(ctx, std, u, path, *axis, *workers, besides(operands[0])); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// appendFile appends the array that in names, and holds a bounded number of its items at a time.
func appendFile(ctx context.Context, std *streams, u *ndarray.Untyped, in, axis string, workers int,
	tempDir string) error {
	opened, err := std.open(ctx, in, workers, reading{all: true})
	if err != nil {
		return err
	}
	defer opened.close()
	if opened.src == nil {
		return fmt.Errorf("%s is a plain frame: append needs an array", in)
	}
	name, src := in, opened.src
	if opened.foreign != nil {
		name = opened.foreign.in.name
	}
	shape, more := u.Shape(), src.Shape()
	at, err := axisOf(axis, u)
	if err != nil {
		return err
	}
	if dtype := src.DType().String(); dtype != u.DType().String() {
		return fmt.Errorf("%s has dtype %s, and the array has %s", name, dtype, u.DType().String())
	}
	across := slices.Clone(more)
	if len(more) == len(shape) {
		across[at] = shape[at]
	}
	if !slices.Equal(across, shape) {
		return fmt.Errorf("%s has shape %v, which does not fit an array of %v along axis %d", name, more, shape, at)
	}
	origin := make([]int64, len(shape))
	origin[at] = shape[at]
	shape[at] += more[at]
	if err := u.Resize(ctx, shape, nil); err != nil {
		if strings.HasPrefix(err.Error(), "resize: ") { // the user asked for an append
			err = errors.Unwrap(err)
		}
		return fmt.Errorf("append %s: %w", name, err)
	}
	bar := std.newBar("appending", bytesOf(src))
	defer bar.Close()
	l := loading{name: name, workers: workers, tempDir: tempDir, bar: bar}
	return l.load(ctx, u, origin, src)
}

func resizeVerb(set *flag.FlagSet) action {
	fill := set.String("fill", "zeros",
		"`VALUE` of new items: zeros, nan, a number, true, false, or the bytes of an item as 0x…")
	workers := set.Int("workers", 0, workersUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "FILE", "SHAPE"); err != nil {
			return err
		}
		value, err := parseFill(*fill)
		if err != nil {
			return err
		}
		shape, err := parseExtents("SHAPE", operands[1])
		if err != nil {
			return err
		}
		if err := std.willWrite(operands[0]); err != nil {
			return err
		}
		return changeArray(ctx, operands[0], *workers, func(u *ndarray.Untyped) error {
			return u.Resize(ctx, shape, &ndarray.ResizeOptions{Fill: value})
		})
	}
}

// parseExtents reads the extents of a shape, separated by commas. Extents may be 0. what names the
// argument.
func parseExtents(what, text string) (ndarray.Shape, error) {
	var shape ndarray.Shape
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || n < 0 {
			return nil, usagef("%s: %q is not a number of items", what, part)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
