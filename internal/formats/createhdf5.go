package formats

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// createHDF5 writes arrays as the datasets of an HDF5 file.
func createHDF5(ctx context.Context, w *Writing) error {
	f, err := hdf5.Create(w.Path, &hdf5.CreateOptions{Overwrite: w.Overwrite, Workers: w.Workers, Checked: w.Checked})
	if err != nil {
		return err
	}

	h := &hdf5Writing{w, f, originOf(w.Origin)}
	if err := h.types(ctx); err != nil {
		return errors.Join(err, f.Abort())
	}
	scaling := h.scaling(ctx)
	for _, key := range w.Keys {
		err := h.put(ctx, key, scaling)
		if errors.Is(err, cairn.ErrUnsupported) {
			err = w.Skip(key, err)
		}
		if err != nil {
			return errors.Join(OfKey(key, err), f.Abort())
		}
	}

	if err := scaling.makeBare(f); err != nil {
		return errors.Join(err, f.Abort())
	}

	err = w.eachGroup(ctx, hdf5Key, func(group string, attributes meta.Map) error {
		return f.Group(group, h.attributes(ctx, group, attributes))
	})
	if err == nil {
		err = h.links()
	}
	if err == nil {
		err = h.arrange(ctx)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// An hdf5Writing is an HDF5 file that is being written.
type hdf5Writing struct {
	*Writing
	f      *hdf5.Writer
	origin *origin
}

func (w *hdf5Writing) put(ctx context.Context, key string, scaling *scaling) error {
	src, done, err := w.Open(key)
	if err != nil {
		return err
	}

	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return errors.Join(err, done())
	}
	o, err := w.chunksOf(ctx, src, key, labels, hdf5Keeps)
	if err != nil {
		return errors.Join(err, done())
	}
	o.Type, o.Fill = w.origin.items(ctx, key, src)
	o.Attributes = w.attributes(ctx, key, labels.Attributes)
	scaling.give(w.nameOf(key), o, labels)

	report := w.follow()
	report(0, 0)
	err = w.f.Put(ctx, w.nameOf(key), src, o)
	if err == nil {
		report(bytesOf(src), 0)
	}
	return errors.Join(err, done())
}

// bytesOf returns the bytes of all items.
func bytesOf(src ndarray.Source) int64 {
	n := int64(src.DType().Size())
	for _, extent := range src.Shape() {
		n *= extent
	}
	return n
}

// nameOf returns the key of an array in a file that has no array at its root: one without a key has
// the name of the file.
func (w *Writing) nameOf(key string) string {
	if key = Key(key); key != "/" {
		return key
	}
	name := path.Base(strings.ReplaceAll(w.Path, "\\", "/"))
	return "/" + strings.TrimSuffix(name, path.Ext(name))
}

// mayGrow returns how far the dimensions of an array may grow, -1 for one without bound; nil if
// none may.
func (w *Writing) mayGrow(shape ndarray.Shape, labels ndarray.Labels) ndarray.Shape {
	most := slices.Clone(labels.MaxShape)
	if len(most) != len(shape) {
		most = nil
	}
	for d, name := range labels.Dims {
		if !slices.Contains(w.Unlimited, name) || d >= len(shape) {
			continue
		}
		if most == nil {
			most = slices.Clone(shape)
		}
		most[d] = -1
	}
	return most
}

// smallest is the least bytes of an array that is stored in chunks, if these are not asked for.
const smallest = 16 << 10

// chunksOf returns how the chunks of an array are stored: as those of the source, or as its blocks
// if they are large, encoded as the options say. If they do not say it, the chunks of the source
// keep filters that keeps takes, so that they can be taken over as they are stored.
func (w *Writing) chunksOf(ctx context.Context, src ndarray.Source, key string, labels ndarray.Labels,
	keeps func(filter.ID) bool) (*hdf5.DatasetOptions, error) {
	o := &hdf5.DatasetOptions{Chunks: slices.Clone(w.ChunkShape)}
	shape := src.Shape()
	if o.Chunks != nil && len(o.Chunks) != len(shape) && w.Own(key) {
		o.Chunks = nil
	}
	o.MaxShape = w.mayGrow(shape, labels)
	plain := w.Plain && w.usual()
	if len(shape) == 0 || o.Chunks == nil && o.MaxShape == nil && (plain || bytesOf(src) < smallest) {
		return o, nil
	}

	if o.Chunks == nil {
		const most = 4 << 20
		chunks, blocks := src.Grid()
		size := int64(src.DType().Size())
		for _, n := range chunks {
			size *= n
		}
		if o.Chunks = chunks; size > most {
			o.Chunks = blocks
		}
	}
	for d := range o.Chunks {
		if o.MaxShape == nil || o.MaxShape[d] >= 0 {
			o.Chunks[d] = min(o.Chunks[d], shape[d])
		}
		o.Chunks[d] = max(1, o.Chunks[d])
	}

	size := int64(src.DType().Size())
	bytes := size
	for _, n := range o.Chunks {
		bytes *= n
	}
	var err error
	if o.Filters, err = w.filtersKept(ctx, src, bytes, keeps); err != nil || o.Filters != nil || plain {
		return o, err
	}
	f, err := w.stored()
	if err == nil {
		o.Filters, err = f.of(size, bytes)
	}
	return o, err
}

// attributes returns the attributes that HDF5 has a form for, with the datatypes that they had.
func (w *hdf5Writing) attributes(ctx context.Context, key string, attributes meta.Map) (list []hdf5.Attribute) {
	for _, p := range attributes {
		a := hdf5.Attribute{Name: fmt.Sprint(p.Key), Value: p.Value}
		if typed, ok := w.origin.hdf5Attribute(ctx, key, a.Name, a.Value); ok && typed.Check() == nil {
			a = typed
		}
		if err := w.checkAttribute(&a); err != nil {
			w.LeftOut(key, a.Name, Plain(err))
			continue
		}
		list = append(list, a)
	}

	// Those without a value are in no tree.
	for _, t := range w.origin.attributes(ctx, key) {
		switch a := t.hdf5; {
		case a == nil:
		case a.Err != nil:
			w.LeftOut(key, a.Name, Plain(a.Err))
		case a.Value == nil && a.Shape == nil && a.Check() == nil:
			list = append(list, hdf5.Attribute{Name: a.Name, Type: a.Type})
		}
	}
	return list
}

// checkAttribute returns an error unless the file can have an attribute.
func (w *hdf5Writing) checkAttribute(a *hdf5.Attribute) error {
	err := a.Check()
	if err == nil && a.Type != nil {
		references(a.Type, a.Value, func(key string) bool {
			if !w.writes(key) {
				err = lost(key)
			}
			return err == nil
		})
	}
	return err
}

// writes reports whether an object of the file that arrays come from is written.
func (w *hdf5Writing) writes(key string) bool {
	return slices.ContainsFunc(w.Keys, func(k string) bool { return Key(k) == key }) ||
		w.Groups != nil && slices.Contains(w.Groups.Groups(), key)
}

// whole reports whether all that an HDF5 file has is written, so that its names can be kept.
func (w *hdf5Writing) whole() bool {
	return w.origin.hdf5 != nil && w.Tree && w.Groups != nil && Key(w.Base) == "/"
}

// types writes the datatypes that have names in an HDF5 file.
func (w *hdf5Writing) types(ctx context.Context) error {
	if !w.whole() {
		return nil
	}

	for _, group := range w.Groups.Groups() {
		keys, err := w.origin.hdf5.Types(ctx, group)
		if err != nil {
			return err
		}

		for _, key := range keys {
			is, err := w.origin.hdf5.Describe(ctx, key)
			if err == nil {
				err = w.f.Commit(key, is.Type)
			}
			if err == nil || errors.Is(err, cairn.ErrBounds) { // it has another name
				continue
			}
			if err = w.Skip(key, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// links writes the links of an HDF5 file that are not the first names of objects.
func (w *hdf5Writing) links() error {
	if !w.whole() {
		return nil
	}

	links := w.Groups.Links()
	for i := range links {
		l := &links[i]
		var err error

		switch l.What {
		case hdf5.SoftLink.String():
			err = w.f.Link(l.Key, l.Target)
		case hdf5.ExternalLink.String():
			err = w.f.ExternalLink(l.Key, l.File, l.Target)
		case hardLink:
			if err = l.Err; err == nil && !w.writes(l.To) {
				err = lost(l.To)
			}
			if err == nil {
				err = w.f.HardLink(l.Key, l.To)
			}
		default:
			err = fmt.Errorf("a link that only its program understands: %w", cairn.ErrUnsupported)
		}

		if err != nil {
			if err = w.Skip(l.Key, Plain(err)); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrange gives what is in groups the order that it has in an HDF5 file.
func (w *hdf5Writing) arrange(ctx context.Context) error {
	if !w.whole() {
		return nil
	}
	for _, group := range w.Groups.Groups() {
		links, err := w.origin.hdf5.Links(ctx, group)
		if err != nil {
			return err
		}
		names := make([]string, len(links))
		for i, l := range links {
			names[i] = l.Name
		}
		err = w.f.Arrange(group, names)
		if err != nil && !errors.Is(err, cairn.ErrNotFound) { // a group that was left out
			return err
		}
	}
	return nil
}

// hdf5Key returns an error unless an HDF5 file may have an array or a group of a key.
func hdf5Key(key string) error {
	for name := range strings.SplitSeq(strings.Trim(key, "/"), "/") {
		if name == "." || strings.Contains(name, "\x00") || len(name) > 1000 {
			return fmt.Errorf("nothing in an HDF5 file can be called %.40q: %w", name, cairn.ErrUnsupported)
		}
	}
	return nil
}
