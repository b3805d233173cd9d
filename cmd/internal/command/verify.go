package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func verifyVerb(set *flag.FlagSet) action {
	workers := set.Int("workers", 0, workersUsage)
	all := set.Bool("all", false,
		"list all faults on standard output, not only the first of each file on standard error")
	asJSON := set.Bool("json", false, "print JSON")

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH given")
		}
		if err := checkWorkers(*workers); err != nil {
			return err
		}

		// Damage goes to standard error as it is found, and all verdicts to standard output.
		verdicts := []verdict{}
		say := func(v verdict) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !v.Sound {
				std.Complain(v.line())
			}
			verdicts = append(verdicts, v)
			return nil
		}

		for _, p := range place.All(operands) {
			if err := std.verifyOperand(ctx, p, *workers, say); err != nil {
				return err
			}
		}

		var err error
		switch {
		case *asJSON:
			err = std.PrintJSON(ctx, verdicts)
		case len(verdicts) == 1:
			err = std.Print(ctx, verdicts[0].text(std, *all))
		default:
			err = std.Print(ctx, verdictTable(verdicts, *all).Text(std.Columns(), std.Color)+total(verdicts))
		}

		if err != nil {
			return err
		}

		// The exit code of verify, for the worst of the verdicts.
		var worst error
		for _, v := range verdicts {
			switch {
			case v.Unsupported:
				worst = exitError(exitLost)
			case !v.Sound:
				return exitError(exitFailed)
			case v.Checksums.Healed && worst == nil:
				worst = exitError(exitHealed)
			}
		}
		return worst
	}
}

// verifyOperand verifies a file, an array or a group in it, or all arrays of a tree. What cannot be
// opened is verified as a frame, which says what is wrong with one.
func (std *streams) verifyOperand(ctx context.Context, p place.Place, workers int, say func(verdict) error) error {
	how := operand.How{All: true, AnyOrder: true, Frames: true, Workers: workers}
	in, probe, err := std.at.Look(ctx, p, how)
	if err != nil {
		return say(missingVerdict(p, err))
	}
	if in.Closer != nil && p.Kind == place.Standard {
		defer in.Closer.Close() // a frame is read once more
		in.Closer = nil
	}
	f, err := operand.OpenInput(ctx, in, probe, p, how)
	if err != nil {
		v := newVerdict(p.String(), &ndarray.Report{}, err)
		var ce *cairn.CorruptError
		errors.As(err, &ce)
		foreign := errors.As(err, new(*operand.ForeignError)) || ce != nil && ce.Layer == "archive"
		if !foreign && !p.Keyed {
			defer std.watch(in)()
			r, err := formats.PlainFrame().Verify(ctx, in, nil, "")
			v = newVerdict(p.String(), &r, err)
		}
		return say(v)
	}
	defer f.Close()

	keys := f.Under(f.Key)
	switch {
	case f.Format.Parts != nil:
		keys = f.Format.Parts(f.Holding, f.Key)
	case !f.Format.Trees && f.Key == "":
		keys = []string{""} // also of a frame without an array
	}
	if len(keys) == 0 && f.Key != "" && !formats.IsGroup(ctx, f, f.Key) {
		return say(missingVerdict(p, f.Choose(ctx, nil)))
	}
	if f.Format.Trees && strings.Trim(f.Key, "/") == "" && (len(keys) != 1 || keys[0] != "") {
		if err := say(treeVerdict(ctx, in, f)); err != nil {
			return err
		}
	}
	return std.verifyParts(ctx, in, f, keys, say)
}

// treeVerdict is about what holds the arrays of a tree together.
func treeVerdict(ctx context.Context, in *formats.Input, f *operand.Opened) verdict {
	name := f.Place.Whole().String()
	if f.Format.Verify == nil {
		v := decodedVerdict(name, f, nil)
		v.Kind = described.TreeKind
		v.leaves = len(f.Keys())
		return v
	}

	r, err := f.Format.Verify(ctx, in, f.Holding, "/")
	v := newVerdict(name, &r, err)
	if kind, err := f.Store().Kind("/"); err == nil {
		v.Kind = described.TreeKind
		v.Container = kind.String()
	}
	v.leaves = len(f.Keys())
	return v
}

// verifyParts verifies arrays by their keys.
func (std *streams) verifyParts(ctx context.Context, in *formats.Input, f *operand.Opened, keys []string,
	say func(verdict) error) error {
	verify := f.Format.Verify
	var bar *progress.Bar
	switch {
	case verify == nil:
		total := int64(0)
		for _, key := range keys {
			src, err := f.Open(ctx, key)
			if err != nil {
				continue
			}
			total += described.Bytes(src)
			operand.CloseSource(src)
		}
		bar = std.newBar("verifying", total)
		defer bar.Close()
	case !f.Format.Trees:
		defer std.watch(in)()
	}

	for _, key := range keys {
		part := f.Place.Whole()
		part.Key = key
		part.Keyed = key != ""
		name := part.String()

		var v verdict
		if verify != nil {
			r, failed := verify(ctx, in, f.Holding, key)
			v = newVerdict(name, &r, failed)
		} else {
			var err error
			if v, err = verifyArray(ctx, f, name, key, bar); err != nil {
				return err
			}
		}
		if err := say(v); err != nil {
			return err
		}
	}
	return nil
}

// watch shows how much has been read of a file of this machine, until the function is called that
// it returns.
func (std *streams) watch(in *formats.Input) (done func()) {
	if in.Path == "" || in.Files != nil {
		return func() {}
	}
	bar := std.newBar("verifying", operand.SizeOnDisk(in.Path))
	if bar != nil {
		in.Files = watchedFS{storage.OS(), bar}
	}
	return bar.Close
}

// checksums says how far checksums vouch for a sound frame.
func checksums(r *frame.Report) string {
	stored := 0
	verified := r.Stored[frame.Verified]
	for _, n := range r.Stored {
		stored += n
	}

	if r.Info.Verdict == frame.Verified && verified == stored {
		return "all checksums match"
	}
	s := "frame " + r.Info.Verdict.String()
	for _, v := range []frame.Verdict{frame.Verified, frame.VerifiedChunkOnly, frame.Unverified} {
		if n := r.Stored[v]; n > 0 {
			s += fmt.Sprintf(", %s %s", console.Count(n, "chunk"), v)
		}
	}
	return s
}

// watchedFS counts the bytes that are read from its files.
type watchedFS struct {
	storage.FS
	bar *progress.Bar
}

// Open opens a file for reading.
func (w watchedFS) Open(name string) (storage.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w.bar}, nil
}

type watchedFile struct {
	storage.File
	bar *progress.Bar
}

// ReadAt reads and counts.
func (f watchedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.bar.Add(int64(n))
	return n, err
}

// decodedVerdict returns a verdict of what is only decoded: err is the only fault.
func decodedVerdict(name string, f *operand.Opened, err error) verdict {
	v := newVerdict(name, &ndarray.Report{}, err)
	v.Format = f.Format.Name
	v.is = f.Format.Is
	v.remarks = ""
	v.Unsupported = errors.Is(err, cairn.ErrUnsupported)
	return v
}

// verifyArray reads one array, box by box.
func verifyArray(ctx context.Context, f *operand.Opened, name, key string, bar *progress.Bar) (verdict, error) {
	src, err := f.Open(ctx, key)
	if err != nil {
		return decodedVerdict(name, f, err), nil
	}
	err = formats.ReadAll(ctx, src, bar.Add)
	v := decodedVerdict(name, f, err)
	v.Kind = described.ArrayKind
	v.Shape = src.Shape()
	v.DType = src.DType().String()
	v.remarks = "; every item decoded"
	return v, errors.Join(ctx.Err(), operand.CloseSource(src))
}
