package operand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// Opened is what a place names: a file with one array, or with a tree of them of which the place
// may name one, or a group. It is for one goroutine.
type Opened struct {
	*formats.Holding
	Format formats.Format
	Place  place.Place
	Name   string // for messages
	Key    string // of the array or group, or ""

	in     *formats.Input
	how    How
	frame  *frame.Frame     // see Frame
	opened []ndarray.Source // what is closed with it
}

// Open opens what a place names, in whatever format it is.
func (f *Finder) Open(ctx context.Context, p place.Place, how How) (*Opened, error) {
	in, probe, err := f.Look(ctx, p, how)
	if err != nil {
		return nil, err
	}
	return OpenInput(ctx, in, probe, p, how)
}

// OpenInput opens what [Finder.Look] has found at a place.
func OpenInput(ctx context.Context, in *formats.Input, probe *formats.Probe, p place.Place, how How) (*Opened, error) {
	h, row, err := hold(ctx, in, probe, how)
	o := &Opened{Holding: h, Format: row, Place: p, Name: in.Name, Key: p.Key, in: in, how: how}
	switch {
	case err == nil:
	case o.Foreign():
		return nil, o.explain(err)
	case in.Path == "":
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	default:
		return nil, err
	}
	if o.Format.Trees && o.Store() == nil {
		o.resolve(ctx)
	}
	return o, nil
}

// hold opens an input by the row of its format.
func hold(ctx context.Context, in *formats.Input, p *formats.Probe, how How) (*formats.Holding, formats.Format, error) {
	row, ok := given(in, p, how)
	switch {
	case ok:
		h, err := row.Hold(ctx, in)
		return h, row, err
	case how.Foreign && !in.IsPacked(p):
		return nil, formats.Format{Native: true}, closeAfter(in, notForeign(in, p))
	}

	closer := in.Closer
	in.Closer = nil // until it is certain what it is
	t, row, err := formats.Open(ctx, in, p)
	plain := formats.PlainFrame()
	if errors.Is(err, formats.ErrNoFormat) || err == nil && how.Frames && row.Name == formats.Packed().Name {
		if err == nil {
			err = t.Close()
		}
		row = plain
		t, err = row.Open(ctx, in)
	}
	in.Closer = closer
	h, err := row.Listed(ctx, in, t, err)
	return h, row, err
}

// given returns the format of raw items, of what is not of Blosc2 where that is wanted, and of what
// is too short to be recognised: its reader says what is missing.
func given(in *formats.Input, p *formats.Probe, how How) (formats.Format, bool) {
	if how.Raw != nil {
		return formats.Named(".raw")
	}
	row, ok := p.Format()
	switch {
	case ok && how.Foreign:
		return row, true
	case ok || p.IsFrame() || !how.tooShort(p):
		return row, false
	case in.Path == "":
		return formats.Named(".npy")
	}
	return formats.Named(formats.Extension(filepath.ToSlash(in.Path)))
}

// notForeign says what an input is where other formats are wanted.
func notForeign(in *formats.Input, p *formats.Probe) error {
	what := p.What(max(in.Size, int64(len(p.Head))))
	if what == "" && len(p.Head) > 0 {
		what = fmt.Sprintf("a file that begins with %x", p.Head[:min(6, len(p.Head))])
	}
	return &NotForeignError{in.Name, what}
}

// closeAfter closes an input after an error.
func closeAfter(in *formats.Input, err error) error {
	if in.Closer == nil {
		return err
	}
	return errors.Join(err, in.Closer.Close())
}

// Foreign reports whether something is of another program than Blosc2 or for one: repair and the
// like know nothing about it.
func (o *Opened) Foreign() bool { return !o.Format.Native || o.Format.Name == formats.Packed().Name }

// explain makes an error one of a foreign file, if it is about one.
func (o *Opened) explain(err error) error {
	if err == nil || !o.Foreign() {
		return err
	}
	return &ForeignError{o.Name, err}
}

// Close closes everything.
func (o *Opened) Close() error {
	if o == nil {
		return nil
	}
	var errs []error
	for _, src := range o.opened {
		errs = append(errs, CloseSource(src))
	}
	o.opened = nil
	if o.frame != nil && o.Holding.Frame() == nil {
		errs = append(errs, o.frame.Close())
	}
	return errors.Join(append(errs, o.Holding.Close())...)
}

// InBucket reports whether it is a frame in the layout of buckets.
func (o *Opened) InBucket() bool {
	return o.in.File == nil && o.Place.Kind == place.Bucket && o.Store() == nil
}

// Stored returns the bytes that the array, the frame or the whole file takes.
func (o *Opened) Stored() int64 {
	switch {
	case o.Store() != nil:
		l, _ := o.Store().Leaf(o.Key) // or nothing
		return l.Size
	case o.InBucket() && o.Frame() != nil:
		return o.Frame().Info().CBytes
	case o.in.File != nil:
		return o.in.Size
	}
	return SizeOnDisk(o.in.Path)
}

// SizeOnDisk returns the size of a file, or of all files in a directory.
func SizeOnDisk(path string) int64 {
	total := int64(0)
	filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := os.Stat(name); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// resolve makes the key that of the group to which a path with links leads. An array keeps the path
// by which it was named.
func (o *Opened) resolve(ctx context.Context) {
	if o.Key == "" || len(o.Under(o.Key)) > 0 {
		return
	}
	if to, err := o.Find(ctx, o.Key); err == nil && formats.IsGroup(ctx, o, to) {
		o.Key = to
	}
}

// Under returns the keys of the array or group that has a key; of all if that is empty.
func (o *Opened) Under(key string) []string {
	all := o.Keys()
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
	if found == nil && o.byLink(context.Background(), key) {
		return []string{clean}
	}
	return found
}

// byLink reports whether a key is a path with links that leads to an array.
func (o *Opened) byLink(ctx context.Context, key string) bool {
	_, err := o.Find(ctx, key)
	return err == nil && !formats.IsGroup(ctx, o, key)
}
