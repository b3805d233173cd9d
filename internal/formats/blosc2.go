package formats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// Files that tell what a directory of Blosc2 is, besides the first of Marks.
const (
	storeMark  = "embed.b2e"
	bucketMark = "root" // in the folder of a frame in a bucket
)

// native returns the formats of Blosc2. A frame has a metalayer that tells whether it is a store or
// an array, and may be a packed array without.
func native() []Format {
	leafOptions := []string{"chunks", "blocks", "codec", "level", "filters", "recode", "contiguous", "zarrblocks"}
	frameOptions := append(slices.Clone(leafOptions), "sparse")
	magic := func(p *Probe) bool { return HasFrameMagic(p.Head) }
	return []Format{
		{Name: "frame", Is: "a Blosc2 frame", Plural: "Blosc2 frames", Extensions: []string{".b2nd", ".b2frame", ".b2f"}, Native: true, ByPath: true,
			Attributes: true, AnyOrder: true, Takes: frameOptions, Create: createFrame,
			Detect: func(p *Probe) bool { return p.IsFrame() || slices.Contains(p.Entries, bucketMark) },
			Open:   openFrame, Verify: verifyFrame},
		{Name: "store", Is: "a store", Plural: "stores", Extensions: []string{".b2d", ".b2z", ".b2e"}, Native: true, ByPath: true,
			Attributes: true, Trees: true, Groups: true, AnyOrder: true, Takes: leafOptions, CheckKey: store.CheckKey, Create: createStore,
			Detect: func(p *Probe) bool { return magic(p) || slices.Contains(p.Entries, storeMark) || isDamagedStore(p) },
			Open:   openStore, Parts: storeParts, Verify: verifyStore},
		Packed(),
	}
}

// isDamagedStore recognises an archive that cannot be listed, and is a store by its name.
func isDamagedStore(p *Probe) bool {
	return strings.HasPrefix(string(p.Head), "PK") && p.Entries == nil && Extension(p.Name) == ".b2z"
}

// Store is the format of stores.
func Store() Format { return native()[1] }

// Frame is the format of arrays of Blosc2.
func Frame() Format { return native()[0] }

// Packed is the format of arrays that python-blosc2 packs into plain frames.
func Packed() Format {
	return Format{Name: "packed", Is: "an array that python-blosc2 packed", Plural: "packed arrays", Native: true,
		AnyOrder: true, Detect: func(p *Probe) bool { return HasFrameMagic(p.Head) }, Open: openPacked}
}

// PlainFrame is the format of frames that hold bytes and no array. It is the last to try: opening
// something else as one says what that is.
func PlainFrame() Format {
	return Format{Name: "plain", Is: "a plain frame", Plural: "plain frames", Native: true, ByPath: true, AnyOrder: true,
		Detect: func(*Probe) bool { return true }, Open: openPlain, Verify: verifyFrame}
}

func openPacked(_ context.Context, in *Input) (ndarray.Tree, error) {
	a, err := ndarray.OpenPackedReader(in.File, in.Size, &ndarray.OpenOptions{Workers: in.Workers,
		Engine: chunk.Engine{Limits: in.Limits}})
	if err != nil {
		return nil, err
	}
	return single{a, a}, nil
}

func openStore(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &store.OpenOptions{Workers: in.Workers, FS: in.Files, Engine: chunk.Engine{Limits: in.Limits}}
	open := func() (*store.Store, error) { return store.Open(in.Path, o) }
	if in.Path == "" {
		open = func() (*store.Store, error) { return store.OpenReader(in.File, in.Size, in.Name, o) }
	}

	s, err := open()
	if err != nil {
		return nil, err
	}
	return s, nil
}

func openPlain(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &frame.OpenOptions{Workers: in.Workers, FS: in.Files, Engine: chunk.Engine{Limits: in.Limits},
		Verify: in.Compare, Version: in.Version}
	open := func() (*frame.Frame, error) { return frame.Open(in.Path, o) }
	if in.Path == "" {
		open = func() (*frame.Frame, error) { return frame.OpenReader(in.File, in.Size, o) }
	}

	f, err := open()
	if err != nil {
		return nil, err
	}
	return plainTree{f}, nil
}

// plainTree is the tree of a plain frame, which has no arrays.
type plainTree struct{ frame *frame.Frame }

func (t plainTree) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	return nil, errors.Join(atRoot(group), ctx.Err())
}

func (t plainTree) Open(context.Context, string) (ndarray.Source, error) {
	return nil, fmt.Errorf("a plain frame is no array: %w", cairn.ErrNotFound)
}

func (t plainTree) Attributes(context.Context, string) (meta.Map, error) { return nil, nil }

func (t plainTree) Close() error { return t.frame.Close() }

func openFrame(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &ndarray.OpenOptions{Workers: in.Workers, FS: in.Files, Engine: chunk.Engine{Limits: in.Limits},
		Verify: in.Compare, Version: in.Version}
	t := &frameTree{open: func() (*ndarray.Untyped, error) { return ndarray.Open(in.Path, o) }}
	if in.Path == "" {
		t.open = func() (*ndarray.Untyped, error) { return ndarray.OpenReader(in.File, in.Size, o) }
	}

	u, err := t.open()
	if err != nil {
		return nil, err
	}

	switch kind, err := store.KindOf(u.Frame()); {
	case err != nil:
		return nil, errors.Join(err, u.Close())
	case kind == store.EmbedStore, kind == store.DictStore, kind == store.TreeStore:
		return nil, errors.Join(fmt.Errorf("a store: %w", cairn.ErrNotFound), u.Close())
	}

	t.idle = u
	return t, nil
}

// createFrame writes the only array.
func createFrame(ctx context.Context, w *Writing) error {
	src, done, err := w.Open(w.Keys[0])
	if err != nil {
		return err
	}
	o := w.CopyOptions
	o.Progress = w.follow()
	return errors.Join(ndarray.Save(ctx, w.Path, src, &o), done())
}

// frameTree is the tree of an array of Blosc2, whose callers get handles of their own.
type frameTree struct {
	open func() (*ndarray.Untyped, error)
	mu   sync.Mutex
	idle *ndarray.Untyped // a handle that nobody has, or nil
}

func (t *frameTree) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	return single{}.Children(ctx, group)
}

func (t *frameTree) Open(ctx context.Context, key string) (ndarray.Source, error) {
	if err := errors.Join(atRoot(key), ctx.Err()); err != nil {
		return nil, err
	}

	t.mu.Lock()
	u := t.idle
	t.idle = nil
	t.mu.Unlock()

	if u != nil {
		return u, nil
	}

	u, err := t.open()
	if err != nil {
		return nil, err
	}
	return u, nil
}

func (t *frameTree) Attributes(ctx context.Context, key string) (meta.Map, error) {
	src, err := t.Open(ctx, key)
	if err != nil {
		return nil, err
	}

	u := src.(*ndarray.Untyped)
	l, err := u.Labels()
	t.mu.Lock()
	if t.idle == nil {
		t.idle, u = u, nil
	}
	t.mu.Unlock()

	if u != nil {
		err = errors.Join(err, u.Close())
	}
	return l.Attributes, err
}

func (t *frameTree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.idle
	t.idle = nil
	if u == nil {
		return nil
	}
	return u.Close()
}

// ErrNoFormat is matched by the errors of [Open] for what has none of the formats.
var ErrNoFormat = fmt.Errorf("no array of a known format: %w", cairn.ErrUnsupported)

// Open opens an input that was looked at as what it is, and returns its format.
func Open(ctx context.Context, in *Input, p *Probe) (ndarray.Tree, Format, error) {
	var failed error
	rows := in.Rows
	if rows == nil {
		rows = All()
	}

	for i, row := range rows {
		if row.Detect == nil || !row.Detect(p) {
			continue
		}
		t, err := row.Open(ctx, in)
		if !row.Native || i == len(rows)-1 || !errors.Is(err, cairn.ErrNotFound) {
			return t, row, err
		}
		failed = err
	}

	if failed != nil {
		return nil, Format{}, fmt.Errorf("a frame with %w (%v)", ErrNoFormat, failed)
	}
	if what := p.What(in.Size); what != "" {
		return nil, Format{}, fmt.Errorf("%s: %w", what, ErrNoFormat)
	}
	return nil, Format{}, ErrNoFormat
}
