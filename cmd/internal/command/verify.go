package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	pathpkg "path"
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
	"github.com/cairn-go/cairn/store"
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
		for _, path := range operands {
			if err := std.verifyOperand(ctx, path, *workers, say); err != nil {
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
		return verifyCode(verdicts)
	}
}

// verifyOperand verifies a file, or all leaves of a store or group. A path that cannot be opened as
// a store is verified as a file.
func (std *streams) verifyOperand(ctx context.Context, path string, workers int,
	say func(verdict) error) error {
	p := place.Of(path)
	how := operand.How{All: true, AnyOrder: true, Frames: true, Workers: workers}
	in, probe, err := std.at.Look(ctx, p, how)
	if err != nil {
		return say(newVerdict(path, &ndarray.Report{}, err))
	}
	if in.Closer != nil && p.Kind == place.Standard {
		defer in.Closer.Close() // for verifyFile
		in.Closer = nil
	}
	f, err := operand.OpenInput(ctx, in, probe, p, how)
	var ce *cairn.CorruptError
	switch {
	case errors.As(err, new(*operand.ForeignError)), errors.As(err, &ce) && ce.Layer == "archive", err != nil && p.Keyed:
		return say(newVerdict(path, &ndarray.Report{}, err))
	case err != nil:
		r, err := std.verifyFile(ctx, in, workers)
		return say(newVerdict(path, &r, err))
	}
	defer f.Close()
	if f.Foreign() {
		return std.verifyForeign(ctx, path, f, say)
	}
	s, name, group, named := f.Store(), p.Name, p.Key, p.Keyed
	if s == nil && named {
		return say(newVerdict(path, &ndarray.Report{}, f.Choose(ctx, nil)))
	}
	if s == nil {
		r, err := std.verifyFile(ctx, in, workers)
		return say(newVerdict(path, &r, err))
	}
	keys := []string{group}
	if _, err := s.Leaf(group); !named || err != nil && formats.IsGroup(ctx, s, group) {
		keys = leavesBelow(ctx, s, group)
	}
	if pathpkg.Join("/", group) == "/" {
		if err := say(storeVerdict(ctx, s, name)); err != nil {
			return err
		}
	}
	for _, key := range keys {
		r, err := s.Verify(ctx, key)
		if err := say(newVerdict(name+place.Mark+key, &r, err)); err != nil {
			return err
		}
	}
	return nil
}

// leavesBelow returns the keys of what is to be verified in a group: leaves, and behind them
// attributes.
func leavesBelow(ctx context.Context, s *store.Store, group string) (keys []string) {
	for l := range s.Leaves() {
		if l.URL == "" && below(l.Key, group) {
			keys = append(keys, l.Key)
		}
	}
	for _, key := range formats.Groups(ctx, s) {
		if attributes := pathpkg.Join(key, store.AttributesName); below(attributes, group) {
			if _, err := s.Leaf(attributes); err == nil {
				keys = append(keys, attributes)
			}
		}
	}
	return keys
}

// storeVerdict is about what holds the leaves of the store at a path together.
func storeVerdict(ctx context.Context, s *store.Store, name string) verdict {
	r, err := s.Verify(ctx, "/")
	v := newVerdict(name, &r, err)
	if kind, err := s.Kind("/"); err == nil {
		v.Kind, v.Container = described.TreeKind, kind.String()
	}
	for range s.Leaves() {
		v.leaves++
	}
	return v
}

// below reports whether a key is that of a group, or of something in it.
func below(key, group string) bool {
	group = pathpkg.Join("/", group)
	return group == "/" || key == group || strings.HasPrefix(key, group+"/")
}

// verifyFile checks one file that is no store.
func (std *streams) verifyFile(ctx context.Context, in *formats.Input, workers int) (ndarray.Report, error) {
	o := &ndarray.OpenOptions{Workers: workers, FS: in.Files, Version: in.Version}
	if in.Path == "" {
		o.FS = inputFS{storage.OS(), in.File, in.Size}
		return ndarray.Verify(ctx, place.Stream, o)
	}
	if o.FS != nil {
		return ndarray.Verify(ctx, in.Path, o)
	}
	if bar := std.newBar("verifying", operand.SizeOnDisk(in.Path)); bar != nil {
		o.FS = watchedFS{storage.OS(), bar}
		defer bar.Close()
	}
	return ndarray.Verify(ctx, in.Path, o)
}

// checksums says how far checksums vouch for a sound frame.
func checksums(r *frame.Report) string {
	stored, verified := 0, r.Stored[frame.Verified]
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

// inputFS is a file system with one file, whatever its name.
type inputFS struct {
	storage.FS
	r    io.ReaderAt
	size int64
}

// Open opens the file.
func (f inputFS) Open(string) (storage.File, error) { return storage.ReaderFile(f.r, f.size), nil }

// Stat describes the file.
func (f inputFS) Stat(name string) (storage.Info, error) {
	return storage.Info{Name: name, Size: f.size}, nil
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

// verifyForeign reads and decodes every item of a foreign file, or of the array or group in it that
// the operand names.
func (std *streams) verifyForeign(ctx context.Context, path string, f *operand.Opened, say func(verdict) error) error {
	keys := f.Under(f.Key)
	if len(keys) == 0 && f.Key != "" || !f.Format.Trees && f.Key != "" {
		return f.Choose(ctx, keys)
	}
	if f.Format.Trees && f.Key == "" && (len(keys) != 1 || keys[0] != "") {
		v := foreignVerdict(path, f, nil)
		v.Kind, v.leaves = described.TreeKind, len(keys)
		if err := say(v); err != nil {
			return err
		}
	}
	total := int64(0)
	for _, key := range keys {
		if src, err := f.Open(ctx, key); err == nil {
			total += described.Bytes(src)
			operand.CloseSource(src)
		}
	}
	bar := std.newBar("verifying", total)
	defer bar.Close()
	for _, key := range keys {
		name := f.Name
		if key != "" {
			name += place.Mark + strings.Trim(key, "/")
		}
		v, err := verifyArray(ctx, f, name, key, bar)
		if err == nil {
			err = say(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foreignVerdict returns a verdict without a report: err is the only fault.
func foreignVerdict(name string, f *operand.Opened, err error) verdict {
	v := newVerdict(name, &ndarray.Report{}, err)
	v.Format, v.is, v.remarks = f.Format.Name, f.Format.Is, ""
	v.Unsupported = errors.Is(err, cairn.ErrUnsupported)
	return v
}

// verify reads one array, box by box.
func verifyArray(ctx context.Context, f *operand.Opened, name, key string, bar *progress.Bar) (verdict, error) {
	src, err := f.Open(ctx, key)
	if err != nil {
		return foreignVerdict(name, f, err), nil
	}
	err = formats.ReadAll(ctx, src, bar.Add)
	v := foreignVerdict(name, f, err)
	v.Kind, v.Shape, v.DType = described.ArrayKind, src.Shape(), src.DType().String()
	v.remarks = "; every item decoded"
	return v, errors.Join(ctx.Err(), operand.CloseSource(src))
}
