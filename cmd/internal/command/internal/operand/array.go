package operand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// Array opens the array that the place names: by its key, or the only one that is data. Of a plain
// frame it returns nil. The array is closed with o.
func (o *Opened) Array(ctx context.Context) (ndarray.Source, error) {
	if s := o.Store(); s != nil {
		return o.leaf(ctx, s)
	}
	if f := o.Holding.Frame(); f != nil && o.Key == "" {
		o.frame = f
		return nil, nil
	}

	keys := o.Under(o.Key)
	if meant := data.Of(ctx, o.Tree, keys); len(meant) == 1 && len(keys) > 1 {
		keys = meant
		o.Key = meant[0]
	}
	if len(keys) != 1 || o.Key == "" && !o.Format.Trees && keys[0] != "" {
		return nil, o.Choose(ctx, keys)
	}

	src, err := o.Open(ctx, keys[0])
	if err != nil {
		return nil, o.explain(err)
	}

	o.opened = append(o.opened, src)
	if o.Foreign() && o.how.AnyOrder { // otherwise it must show that its items come in order
		src = foreignSource{src, o}
	}
	return src, nil
}

// Sequences reports whether items of the array are sequences of variable length, as text of JSON.
func (o *Opened) Sequences() bool {
	for _, src := range o.opened {
		if s, ok := src.(interface{ Sequences() bool }); ok && s.Sequences() {
			return true
		}
	}
	return false
}

// leaf opens the array of a store that the place names.
func (o *Opened) leaf(ctx context.Context, s *store.Store) (ndarray.Source, error) {
	key := path.Join("/", o.Key)
	if _, err := s.Leaf(key); o.Place.Keyed && (err == nil || len(o.Under(key)) == 0) {
		return o.named(ctx, s)
	}

	keys := o.Under(key)
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s is a store; name an array in it as %s%s/KEY: %w", o.Name, o.Name, place.Mark,
			cairn.ErrUnsupported)
	}
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	meant := data.Of(ctx, s, keys)
	if len(objects) > 0 || len(meant) != 1 {
		return nil, choice(ctx, o.Name, s, keys)
	}
	o.Key = meant[0]
	return o.named(ctx, s)
}

// named opens the leaf that has the key: an array, or a plain frame.
func (o *Opened) named(ctx context.Context, s *store.Store) (ndarray.Source, error) {
	u, err := s.Array(ctx, o.Key)
	if errors.Is(err, cairn.ErrNotFound) {
		o.frame, err = s.Frame(o.Key)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	o.opened = append(o.opened, u)
	return u, nil
}

// Frame returns the frame of what Array has returned: of an array of Blosc2, or the plain one that
// is no array. Of others it returns nil.
func (o *Opened) Frame() *frame.Frame {
	if o.frame != nil || len(o.opened) == 0 {
		return o.frame
	}
	if u, ok := o.opened[0].(*ndarray.Untyped); ok {
		return u.Frame()
	}
	return nil
}

// Own returns the name of the array in its file, or "".
func (o *Opened) Own() string {
	if o.Store() != nil {
		return path.Base("/" + o.Key)
	}
	return o.Key
}

// Member opens an array by its key from the root.
func (o *Opened) Member(ctx context.Context, key string) (ndarray.Source, error) {
	for _, k := range o.Keys() {
		if strings.Trim(k, "/") == strings.Trim(key, "/") {
			src, err := o.Open(ctx, k)
			return src, o.explain(err)
		}
	}
	return nil, cairn.ErrNotFound
}

// Near opens an array by its key, which may be a path with links, or fails with
// [cairn.ErrNotFound].
func (o *Opened) Near(ctx context.Context, key string) (ndarray.Source, error) {
	src, err := o.Member(ctx, key)
	if errors.Is(err, cairn.ErrNotFound) && o.byLink(ctx, key) {
		return o.Open(ctx, strings.Trim(key, "/"))
	}
	return src, err
}

// Sibling opens the array with a name that is in the same group as the one that the place names, or
// in a group around that. It returns nil if there is none. It is closed with o.
func (o *Opened) Sibling(ctx context.Context, name string) (ndarray.Source, error) {
	if !o.Format.Trees {
		return nil, nil
	}
	keys := o.Under(o.Key)
	if len(keys) == 0 {
		return nil, nil
	}
	src, err := coords.Near(keys[0], o.Member)(ctx, name)
	if err == nil && src != nil {
		o.opened = append(o.opened, src)
	}
	return src, err
}

// CloseSource closes a source that can be closed.
func CloseSource(src ndarray.Source) error {
	if c, ok := src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// A foreignSource is a source whose errors are those of a foreign file.
type foreignSource struct {
	ndarray.Source
	of *Opened
}

func (s foreignSource) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return s.of.explain(s.Source.ReadBytes(ctx, dst, start, stop))
}

// WrittenBoxes reports where the source has items of its own, if it knows.
func (s foreignSource) WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	w, ok := s.Source.(interface {
		WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error)
	})
	if !ok {
		return nil, nil, false, nil
	}
	starts, shape, ok, err = w.WrittenBoxes(ctx)
	return starts, shape, ok, s.of.explain(err)
}

// StoredChunks returns the chunks of the source as they are stored, if it has such.
func (s foreignSource) StoredChunks(ctx context.Context) (*chunked.Stored, error) {
	stored, err := ndarray.ViewOf(s.Source).Inside().StoredChunks(ctx)
	return stored, s.of.explain(err)
}

// Plain is [formats.IsPlain] of the source.
func (s foreignSource) Plain() bool { return formats.IsPlain(s.Source) }

// Labels returns the labels of the source, if it has some.
func (s foreignSource) Labels() (ndarray.Labels, error) {
	return ndarray.LabelsOf(s.Source)
}
