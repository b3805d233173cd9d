package command

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

func splitVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	axis := set.String("axis", "0", "cut along `AXIS`: "+axisUsage)
	size := set.Int64("size", 0, "let each array have `K` items along the axis, the last one perhaps fewer")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUTPATTERN"); err != nil {
			return err
		}
		if *size < 1 {
			return usagef("-size is %d, must be the number of items of each array", *size)
		}

		o, err := f.options()
		if err != nil {
			return err
		}

		from := place.Of(operands[0])
		if done, err := f.splitWhole(ctx, std, from, operands[1], *axis, *size, o); done || err != nil {
			return err
		}
		in, err := std.openSource(ctx, from, "split", inAnyOrder(f.workers))
		if err != nil {
			return err
		}
		defer in.Close()
		if in.Foreign() {
			o.AutoShapes = true // as import does
		}
		return f.split(ctx, std, coords.New(in.src, in.Sibling), in.Own(), from, operands[1], *axis, *size, o)
	}
}

// partNames returns the names of n parts, which do not exist yet unless force is set.
func partNames(pattern string, n int64, force bool) ([]string, error) {
	before, verb, after, ok := cutNumber(pattern)
	if !ok {
		return nil, usagef("%s: a pattern has one %%d or %%03d, for the number of each array", pattern)
	}
	if n > operand.MostFiles {
		return nil, usagef("that makes %d arrays, and at most %d are allowed; give a larger -size", n, operand.MostFiles)
	}

	names := make([]string, n)
	for i := range names {
		names[i] = before + fmt.Sprintf(verb, i) + after
		if _, err := os.Lstat(names[i]); err == nil && !force {
			return nil, &fs.PathError{Op: "create", Path: names[i], Err: fs.ErrExist}
		}
	}
	return names, nil
}

// split writes the parts of an array, one after the other.
func (f *copyFlags) split(ctx context.Context, std *streams, src *coords.Array, key string, from place.Place, pattern,
	axis string, size int64, o *ndarray.CopyOptions) error {
	shape := src.View.Shape()
	at, err := axisOf(ctx, axis, src)
	if err != nil {
		return err
	}

	names, err := partNames(pattern, (shape[at]+size-1)/size, f.force)
	if err != nil {
		return err
	}

	var row *formats.Format // of all outputs
	outs := make([]target, len(names))
	for i, name := range names {
		outs[i] = targetOf(name)
		if row, err = f.outputFormat(ctx, std, outs[i], []place.Place{from}, o); err != nil {
			return err
		}
	}

	std.noteSpace(outs[0].Place, described.Bytes(src.View), o.Level)
	together := len(names) > 1 && path.Dir(names[0]) == path.Dir(names[1])
	bar := std.newBar("splitting", described.Bytes(src.View))
	defer bar.Close()

	for i, name := range names {
		start := int64(i) * size
		chosen, err := coords.Parse(fmt.Sprintf("%s%d:%d", strings.Repeat(":, ", at), start, start+size))
		if err != nil {
			return err
		}

		part, err := src.Select(ctx, chosen)
		if err != nil {
			return err
		}

		keep := coordinatesToKeep(ctx, part)
		if row.Native && together { // one group cannot hold the coordinates of each part
			keep = slices.DeleteFunc(keep, func(k keptCoordinate) bool {
				if k.name == src.Axes[at].Name {
					std.job.leaveOut([]keptCoordinate{k})
				}
				return k.name == src.Axes[at].Name
			})
		}

		s := &saver{std: std, to: outs[i], keys: []string{key}, keep: keep, progress: bar.Add}
		if err := s.one(ctx, row, part.View, o); err != nil {
			return unlessLast(err, name, names)
		}
	}
	return nil
}

// splitWhole writes files with the parts of all arrays that have the dimension, and with the
// others. It reports false if a single array is meant.
func (f *copyFlags) splitWhole(ctx context.Context, std *streams, from place.Place, pattern, axis string, size int64,
	o *ndarray.CopyOptions) (bool, error) {
	row := wholeFormat(targetOf(pattern))
	if row == nil || row.Native {
		return false, nil
	}
	w, err := std.openWhole(ctx, from, f.workers)
	if w == nil || err != nil {
		return false, err
	}
	defer w.Close()
	if dims := w.dims(); len(w.meant) == 1 && (dims == nil || slices.Contains(dims, "")) {
		return false, nil
	}

	name, err := w.named(axis)
	if err != nil {
		return true, err
	}
	extent, err := w.extent(ctx, name)
	if err != nil {
		return true, err
	}
	names, err := partNames(pattern, (extent+size-1)/size, f.force)
	if err != nil {
		return true, err
	}
	for _, out := range names {
		if err := f.checkWhole(ctx, std, targetOf(out), row, o, from); err != nil {
			return true, err
		}
	}
	if f.history {
		w.Record(std.historyLine())
	}

	for i, out := range names {
		start := int64(i) * size
		text := fmt.Sprintf("%s[%d:%d]", name, start, min(start+size, extent))
		chosen, err := parseSelection(text)
		if err != nil {
			return true, err
		}
		as := &shaping{chosen: chosen, selection: text, named: f.named}
		s := w.saver(ctx, std, targetOf(out), o, "splitting")
		s.source = as.grid(as.wrap(ctx, s.source, w.Near))
		if err := s.saveParts(ctx, row, s.bytes(), &shaping{}, nil); err != nil {
			return true, unlessLast(err, out, names)
		}
	}
	return true, nil
}

// cutNumber cuts a pattern around its only verb for a number: %d, or %01d to %09d.
func cutNumber(pattern string) (before, verb, after string, ok bool) {
	for i := range len(pattern) {
		rest := pattern[i:]
		n := 0
		switch {
		case strings.HasPrefix(rest, "%d"):
			n = 2
		case len(rest) >= 4 && rest[:2] == "%0" && '1' <= rest[2] && rest[2] <= '9' && rest[3] == 'd':
			n = 4
		default:
			continue
		}

		if ok {
			return "", "", "", false
		}
		before = pattern[:i]
		verb = rest[:n]
		after = rest[n:]
		ok = true
	}
	return before, verb, after, ok
}
