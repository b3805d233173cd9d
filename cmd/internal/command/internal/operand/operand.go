// Package operand gets at what operands of the command name: files, directories and streams of any
// format, here, on web servers and in buckets.
package operand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/internal/delimited"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

// A Finder opens what operands name. It has what all operands of a run share.
type Finder struct {
	In      io.Reader          // standard input
	Links   []string           // folders of other files to which files of this machine may lead
	Table   *delimited.Options // of tables of text, if inputs are said to be some
	Web     *Web               // what URLs of web servers name
	Buckets *bucketurl.FS
}

// New returns a finder whose files are usable until ctx is done. What it reads from web servers is
// kept in a directory; "" means no such cache. Close the finder.
func New(ctx context.Context, in io.Reader, openers bucketurl.Openers, cache string) (*Finder, error) {
	web, err := newWeb(ctx, cache)
	if err != nil {
		return nil, err
	}
	return &Finder{In: in, Web: web, Buckets: bucketurl.New(ctx, openers, formats.Marks[1:])}, nil
}

// Close closes connections, and files of web servers.
func (f *Finder) Close() error { return f.Web.Close() }

// How says how something will be read.
type How struct {
	Raw      *npy.Header // of raw items, given by the user
	All      bool        // everything, so that checksums may be compared first
	AnyOrder bool        // not only from front to back
	Frames   bool        // a frame is a frame, even if it holds a packed array
	Foreign  bool        // nothing of Blosc2 is wanted but packed arrays
	Workers  int
}

// FS returns the file system that has a place, or nil for that of the operating system.
func (f *Finder) FS(p place.Place) storage.FS {
	switch p.Kind {
	case place.Web:
		return f.Web
	case place.Bucket:
		return f.Buckets.At(p.Name)
	}
	return nil
}

// Version splits URL@N, version N of an array in a bucket, unless there is an object of that name.
// For another place the version is 0.
func (f *Finder) Version(p place.Place) (name string, version int64) {
	if p.Kind != place.Bucket {
		return p.Name, 0
	}
	return f.Buckets.At(p.Name).Version(p.Name)
}

// Mark reports what is at a place in a bucket, by the object that marks a folder. For another place
// it returns [bucketurl.AnObject].
func (f *Finder) Mark(p place.Place) (mark string, err error) {
	if p.Kind != place.Bucket {
		return bucketurl.AnObject, nil
	}
	name, version := f.Version(p)
	mark, err = f.Buckets.At(name).Look(name)
	if err == nil && version > 0 && mark != bucketurl.AFrame {
		err = fmt.Errorf("%s has no versions: only arrays in the layout of buckets have: %w", name, cairn.ErrNotFound)
	}
	return mark, err
}

// Shown returns an operand with a name in place of the URL of a web server, without credentials and
// queries. That is all that verbs know and print. An operand may be PATH, PATH::KEY or NAME=PATH.
func (f *Finder) Shown(operand string) string {
	p := place.Of(operand)
	before := ""
	if left, right, ok := strings.Cut(operand, "="); ok && p.Kind != place.Web {
		p = place.Of(right)
		before = left + "="
	}
	if p.Kind != place.Web {
		return operand
	}
	p.Name = f.Web.names.Of(p.Name)
	return before + p.String()
}

// URL returns the URL that a name stands for.
func (f *Finder) URL(p place.Place) string { return f.Web.names.Link(p.Name) }

// IsStore reports whether a place is that of a whole store.
func (f *Finder) IsStore(ctx context.Context, p place.Place) bool {
	if p.Kind == place.Standard || p.Keyed {
		return false
	}
	o, err := f.Open(ctx, p, How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return false
	}
	defer o.Close()
	return o.Store() != nil
}

// closers closes several things, some of which may be nil.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, closer := range c {
		if closer != nil {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}
