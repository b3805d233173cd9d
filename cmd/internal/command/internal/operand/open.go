package operand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/errkind"
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
	chosen []string         // the keys of the arrays that a pattern stands for, or nil
	frame  *frame.Frame     // see Frame
	opened []ndarray.Source // what is closed with it
	part   bool             // of what stays open
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
	o := &Opened{Place: p, Name: in.Name, Key: p.Key, in: in, how: how}
	var err error
	if row, ok := how.given(in, probe); ok {
		o.Format = row
		o.Holding, err = row.Hold(ctx, in)
	} else {
		in.Rows = how.rows()
		o.Holding, o.Format, err = formats.Hold(ctx, in, probe)
	}

	switch {
	case err == nil:
	case how.Foreign && (o.Format.Native || errors.Is(err, formats.ErrNoFormat)):
		what := probe.What(max(in.Size, int64(len(probe.Head))))
		if what == "" && len(probe.Head) > 0 {
			what = fmt.Sprintf("a file that begins with %x", probe.Head[:min(6, len(probe.Head))])
		}
		return nil, &NotForeignError{in.Name, what}
	case o.Foreign():
		return nil, o.explain(err)
	case in.Path == "":
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	default:
		return nil, err
	}

	if o.Format.Trees {
		err = o.resolve(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// rows returns the formats that something may have.
func (how How) rows() []formats.Format {
	if how.Foreign {
		return append([]formats.Format{formats.Packed()}, formats.Foreign()...)
	}
	rows := append(formats.All(), formats.PlainFrame())
	if how.Frames {
		rows = slices.DeleteFunc(rows, func(f formats.Format) bool { return f.Name == formats.Packed().Name })
	}
	return rows
}

// given returns the format of raw items, and of what is too short to be recognised: its reader says
// what is missing.
func (how How) given(in *formats.Input, p *formats.Probe) (formats.Format, bool) {
	switch {
	case how.Raw != nil:
		return formats.Named(".raw")
	case in.Table != nil:
		return formats.Of(".csv")
	case !how.tooShort(p):
		return formats.Format{}, false
	}
	if row, ok := p.Format(); ok {
		return row, true
	}
	if in.Path == "" {
		return formats.Named(".npy")
	}
	return formats.Named(formats.Extension(filepath.ToSlash(in.Path)))
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
	if !o.part {
		errs = append(errs, o.Holding.Close())
	}
	return errors.Join(errs...)
}

// InBucket reports whether what Array has returned is in the layout of buckets.
func (o *Opened) InBucket() bool {
	return o.Place.Kind == place.Bucket && o.in.File == nil && o.Store() == nil && o.Frame() != nil
}

// Stored returns the bytes that the array, the frame or the whole file takes.
func (o *Opened) Stored() int64 {
	switch {
	case o.Store() != nil:
		l, _ := o.Store().Leaf(o.Key) // or nothing
		return l.Size
	case o.InBucket():
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
// by which it was named. Patterns stand for what they match.
func (o *Opened) resolve(ctx context.Context) error {
	if o.Key == "" || len(o.Under(o.Key)) > 0 {
		return nil
	}
	if IsChoice(o.Key) {
		return o.choose(ctx)
	}
	if o.Store() != nil {
		return nil
	}
	if to, err := o.Find(ctx, o.Key); err == nil && formats.IsGroup(ctx, o, to) {
		o.Key = to
	}
	return nil
}

// IsChoice reports whether a key stands for some of the arrays of a file: it is a pattern, or
// several keys or patterns with commas between them.
func IsChoice(key string) bool { return isPattern(key) || strings.Contains(key, ",") }

// choose keeps the arrays that the key stands for, and what they name: coordinates, bounds, grid
// mappings and the like. It fails for a part of the key that stands for none.
func (o *Opened) choose(ctx context.Context) error {
	var found []string
	for pattern := range strings.SplitSeq(o.Key, ",") {
		pattern = path.Join("/", pattern)
		before := len(found)
		for _, key := range o.Keys() {
			ok, err := path.Match(pattern, path.Join("/", key))
			if err != nil {
				return errkind.Mark(fmt.Errorf("%s: a pattern with an open bracket", o.Place), path.ErrBadPattern)
			}
			if ok {
				found = append(found, key)
			}
		}
		if len(found) == before && o.Key == strings.Trim(pattern, "/") {
			return o.Choose(ctx, nil)
		}
		if len(found) == before {
			return fmt.Errorf("%s has no array %q: %w", o.Name, strings.Trim(pattern, "/"), cairn.ErrNotFound)
		}
	}

	all, err := data.List(ctx, o.Tree, o.Keys())
	if err != nil {
		return o.explain(err)
	}
	o.chosen = data.Follow(all, found)
	o.Key = ""
	return nil
}

// Chosen reports whether the place names some of the arrays of a file by a pattern.
func (o *Opened) Chosen() bool { return o.chosen != nil }

// Keys returns the keys of all arrays, or of those that have been chosen.
func (o *Opened) Keys() []string {
	if o.chosen != nil {
		return o.chosen
	}
	return o.Holding.Keys()
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
