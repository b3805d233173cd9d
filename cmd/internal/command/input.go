package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// An input is something with arrays other than a frame or store: a file, a directory or a stream.
type input struct {
	formats.Input
	closer io.Closer // may be nil
	reading
}

// A reading says how an input will be read.
type reading struct {
	raw      *npy.Header // of raw items, given by the user
	all      bool        // everything, so that checksums may be compared first
	anyOrder bool        // not only from front to back
	frames   bool        // a frame is a frame, even if it holds a packed array
}

// A foreignFile is an open input of a known format.
type foreignFile struct {
	*formats.Holding
	format formats.Format
	in     *input
	key    string // of the array or group that the operand names, or ""
}

func (f *foreignFile) Close() error { return errors.Join(f.Holding.Close(), f.in.Close()) }

// Close closes what the input is read from.
func (in *input) Close() error {
	if in.closer == nil {
		return nil
	}
	return in.closer.Close()
}

// errNotForeign says that an operand is a frame, a store, or nothing that is known.
var errNotForeign = errors.New("not of a foreign format")

// openForeign opens an operand, PATH or PATH::KEY, that has one of the formats of the table: raw
// items if their header is given. Otherwise it fails with errNotForeign; what was read of standard
// input can be read again.
func (std *streams) openForeign(ctx context.Context, operand string, how reading) (*foreignFile, error) {
	name, key, _ := splitLeaf(operand)
	in := &input{Input: formats.Input{Name: name, Path: name, Key: key, Raw: how.raw, Verify: how.all}, reading: how}
	if !isFar(name) && name != standardIO {
		in.Links = std.links
	}
	p, err := in.look(ctx, std)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	row, ok := in.format(p)
	if !ok {
		what := p.What(max(in.Size, int64(len(p.Head))))
		if what == "" && len(p.Head) > 0 {
			what = fmt.Sprintf("a file that begins with %x", p.Head[:min(6, len(p.Head))])
		}
		return nil, errors.Join(&notForeign{in.Name, what}, in.Close())
	}
	var h *formats.Holding
	if how.anyOrder || row.AnyOrder {
		err = in.spool()
	}
	if err == nil {
		h, err = row.Hold(ctx, &in.Input)
	}
	if err != nil {
		return nil, errors.Join(&foreignError{in.Name, err}, in.Close())
	}
	f := &foreignFile{Holding: h, format: row, in: in, key: key}
	f.resolve(ctx)
	return f, nil
}

// format returns the format of an input that was looked at.
func (in *input) format(p *formats.Probe) (row formats.Format, ok bool) {
	if in.raw != nil {
		return formats.Named(".raw")
	}
	if row, ok = p.Format(); !ok && !in.frames && in.IsPacked(p) {
		return formats.Packed(), true
	}
	if !ok && !in.anyOrder && in.Size+int64(len(p.Head)) < 8 && p.Entries == nil {
		// Too short to be recognised: its reader says what is missing.
		if in.Path == "" {
			return formats.Named(".npy")
		}
		return formats.Named(extensionOf(in.Path))
	}
	return row, ok
}

// A notForeign is the error for an operand that is something else.
type notForeign struct{ name, what string }

func (e *notForeign) Error() string {
	switch {
	case e.what == "a Blosc2 frame":
		return fmt.Sprintf("%s: this is a Blosc2 frame, not a foreign file; use cairn copy: %v",
			e.name, cairn.ErrUnsupported)
	case e.what == "":
		return fmt.Sprintf("%s: this is none of %s: %v", e.name, readable(), cairn.ErrUnsupported)
	}
	return fmt.Sprintf("%s: this is %s, none of %s: %v", e.name, e.what, readable(), cairn.ErrUnsupported)
}

func (e *notForeign) Is(target error) bool {
	return target == errNotForeign || target == cairn.ErrUnsupported
}

// A foreignError is an error of a foreign file, which cairn repair knows nothing about.
type foreignError struct {
	name string
	err  error
}

func (e *foreignError) Error() string { return naming.In(e.name, e.err).Error() }
func (e *foreignError) Unwrap() error { return e.err }

// look opens a file or stream, and looks at its first bytes or at the entries of a directory.
func (in *input) look(ctx context.Context, std *streams) (*formats.Probe, error) {
	r := std.in
	if in.Path == standardIO {
		in.Name, in.Path = "standard input", ""
	} else if isFar(in.Path) {
		return in.lookFar(std)
	} else {
		if info, err := os.Stat(in.Path); err == nil && (info.IsDir() || in.anyOrder && !info.Mode().IsRegular()) {
			return probePath(in.Path)
		}
		f, err := openWaiting(ctx, in.Path)
		if err != nil {
			return nil, err
		}
		in.closer, r = f, f
	}
	if at, end, ok := extent(r); ok {
		in.Size = end - at
		in.File = io.NewSectionReader(r.(*os.File), at, in.Size)
		return formats.ProbeFile(in.Name, in.File, in.Size)
	}
	buffered, ok := r.(*bufio.Reader)
	if !ok {
		buffered = bufio.NewReaderSize(&contextReader{ctx: ctx, r: r}, foreign.Enough)
	}
	in.Stream = buffered
	if in.Path == "" {
		std.in = buffered // for whoever reads it as something else
	}
	head, err := buffered.Peek(foreign.Enough)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return &formats.Probe{Name: in.Name, Head: slices.Clone(head)}, err
}

// spool makes a stream readable in any order, through a temporary file.
func (in *input) spool() error {
	if in.Stream == nil {
		return nil
	}
	f, err := os.CreateTemp("", "cairn-*.tmp")
	if err != nil {
		return err
	}
	in.closer = closers{in.closer, removeFile{f}}
	in.Size, err = io.Copy(f, io.LimitReader(in.Stream, maxSpooled))
	if err == nil && in.Size == maxSpooled {
		err = fmt.Errorf("more than the %s allowed from a pipe; save it to a file: %w",
			progress.Size(maxSpooled), cairn.ErrLimit)
	}
	in.File, in.Stream = f, nil
	return err
}

// array opens the array that the operand names: by its key, or the only one that is data.
func (f *foreignFile) array(ctx context.Context) (ndarray.Source, error) {
	keys := f.under(f.key)
	if meant := data.Of(ctx, f.Tree, keys); len(meant) == 1 && len(keys) > 1 {
		keys, f.key = meant, meant[0]
	}
	if len(keys) != 1 || f.key == "" && !f.format.Trees && keys[0] != "" {
		return nil, f.choose(ctx, keys)
	}
	src, err := f.Open(ctx, keys[0])
	if err != nil {
		return nil, &foreignError{f.in.Name, err}
	}
	return src, nil
}

// under returns the keys of the array or group that has a key; of all if that is empty.
func (f *foreignFile) under(key string) []string {
	all := f.Keys()
	if key == "" {
		return all
	}
	clean := strings.Trim(path.Clean("/"+key), "/")
	if clean == "" {
		return all
	}
	var found []string
	for _, k := range all {
		if own := strings.Trim(k, "/"); k == key || own == clean || strings.HasPrefix(own, clean+"/") {
			found = append(found, k)
		}
	}
	if found == nil && f.byLink(context.Background(), key) {
		return []string{clean}
	}
	return found
}

// resolve makes the key of an operand that of the group to which a path with links leads. An array
// keeps the path by which it was named.
func (f *foreignFile) resolve(ctx context.Context) {
	if f.key == "" || len(f.under(f.key)) > 0 {
		return
	}
	if to, err := f.Find(ctx, f.key); err == nil && formats.IsGroup(ctx, f, to) {
		f.key = to
	}
}

// byLink reports whether a key is a path with links that leads to an array.
func (f *foreignFile) byLink(ctx context.Context, key string) bool {
	_, err := f.Find(ctx, key)
	return err == nil && !formats.IsGroup(ctx, f, key)
}

// choose returns an error that lists the arrays among which to choose.
func (f *foreignFile) choose(ctx context.Context, keys []string) error {
	if len(f.Keys()) == 0 {
		return fmt.Errorf("%s holds no arrays: %w", f.in.Name, cairn.ErrNotFound)
	}
	var b strings.Builder
	switch {
	case !f.format.Trees:
		return fmt.Errorf("%s is a single array, without %q: %w", f.in.Name, f.key, cairn.ErrNotFound)
	case len(keys) == 0:
		if _, err := f.Find(ctx, f.key); err != nil && !errors.Is(err, cairn.ErrNotFound) {
			return &foreignError{f.in.Name, err}
		}
		fmt.Fprintf(&b, "%s has no array %q; it holds", f.in.Name, f.key)
		keys = f.Keys()
	default:
		return choice(ctx, f.in.Name, f.Tree, keys)
	}
	listArrays(ctx, &b, f.Tree, keys)
	return fmt.Errorf("%s: %w", b.String(), cairn.ErrNotFound)
}

// choice writes the error for a tree with several arrays, none of which is the one that is meant.
func choice(ctx context.Context, name string, tree ndarray.Tree, keys []string) error {
	meant := data.Of(ctx, tree, keys)
	what := count(len(keys), "array")
	if others := len(keys) - len(meant); others > 0 {
		what = fmt.Sprintf("%s, and %d with coordinates and the like", count(len(meant), "array"), others)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds %s; name one as %s%s%s, or give a store (.b2d, .b2z) for all:", name, what,
		name, leafMark, meant[0])
	listArrays(ctx, &b, tree, meant)
	return fmt.Errorf("%s: %w", b.String(), cairn.ErrNotFound)
}

// listArrays writes the first arrays of a list with their shapes and dtypes.
func listArrays(ctx context.Context, b *strings.Builder, tree ndarray.Tree, keys []string) {
	const most = 10
	for i, key := range keys[:min(most, len(keys))] {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + key)
		if src, err := tree.Open(ctx, key); err == nil {
			fmt.Fprintf(b, " (%s, %s)", shapeText(src.Shape()), src.DType())
			_ = closeSource(src)
		}
	}
	if len(keys) > most {
		fmt.Fprintf(b, " and %d more", len(keys)-most)
	}
}

// closeSource closes a source that can be closed.
func closeSource(src ndarray.Source) error {
	if c, ok := src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
