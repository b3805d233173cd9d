package hdf5

import (
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/inplace"
)

// A newObject is an object of a new file, or a link. Headers are written when all objects are
// known: their places, of which links and references need the addresses, depend on their sizes
// alone.
type newObject struct {
	key        string
	attributes []newAttribute
	children   []*newObject // of a group
	target     string       // of a soft or an external link
	file       string       // of an external link
	same       string       // the key of the object that this is another name of
	further    int          // names besides the first

	datatype *format.Datatype // of a dataset, or what the object is
	space    *format.Dataspace
	layout   *format.Layout // of a dataset
	filters  []filter.Filter
	fill     []byte
	isScale  bool
	scales   []string // keys of those that are attached

	existing bool // the file had it before

	at    int64            // of the header
	dense *format.NewDense // where attributes are that are not in the header
}

// A newAttribute is an attribute whose values are not encoded yet.
type newAttribute struct {
	format.Attribute
	value any
}

// headerStart is the bytes at the beginning of a header that appending, or a change, may replace by
// one write, which a sector must have.
const headerStart = 64

func (o *newObject) isGroup() bool { return o.datatype == nil && !o.isLink() }

// isLink reports whether there is no object, but a name of one that is elsewhere.
func (o *newObject) isLink() bool { return o.target != "" || o.same != "" }

// mostHeader is the most bytes of a header: the HDF5 library keeps them in memory whole.
const mostHeader = 16 << 20

// mostAttribute is the most bytes of an attribute.
const mostAttribute = 16 << 20

// planAttributes returns attributes that fit into a file.
func planAttributes(list []Attribute) ([]newAttribute, error) {
	made := make([]newAttribute, len(list))
	for i := range list {
		a := &list[i]
		t, shape, null, err := a.typed()
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}

		n := t.Size
		for _, extent := range shape {
			if n *= extent; n > mostAttribute {
				break
			}
		}
		if null {
			n = 0
		}
		made[i] = newAttribute{value: a.Value, Attribute: format.Attribute{Name: a.Name, Type: t,
			Space: format.Dataspace{Null: null, Shape: shape}}}
		if n <= mostAttribute {
			made[i].Data = make([]byte, n)
		}
		switch {
		case a.Name == "":
			return nil, unsupported("an attribute without a name")
		case len(list) > format.MaxAttributes:
			return nil, unsupported("%d attributes, more than %d", len(list), format.MaxAttributes)
		case len(shape) > format.MaxRank || n > mostAttribute || !made[i].Fits():
			return nil, unsupported("attribute %.80q: values of more than 16 MiB, or a datatype of 64 KiB", a.Name)
		case slices.ContainsFunc(made[:i], func(b newAttribute) bool { return b.Name == a.Name }):
			return nil, fmt.Errorf("two attributes are called %q: %w", a.Name, cairn.ErrBounds)
		}
	}
	return made, nil
}

// header returns the header of an object.
func (o *newObject) header() *format.Header {
	h := &format.Header{}
	if o.isGroup() {
		h.AddGroup(len(o.children))
	}
	if o.space != nil {
		h.AddDataspace(*o.space)
	}
	if o.datatype != nil {
		h.AddDatatype(o.datatype)
	}
	if o.layout != nil {
		h.AddFill(o.fill, o.layout)
		h.AddLayout(o.layout)
	}
	if len(o.filters) > 0 {
		h.AddPipeline(o.filters)
	}

	if o.further > 0 {
		h.AddReferences(1 + o.further)
	}
	h.AddAttributeInfo(len(o.attributes), o.dense)
	for i := range o.attributes {
		if o.dense == nil {
			h.AddAttribute(&o.attributes[i].Attribute, i)
		}
	}
	for i, c := range o.children {
		l := format.Link{Name: path.Base(c.key), Address: c.at, Target: c.target, File: c.file}
		switch {
		case c.file != "":
			l.Kind = format.External
		case c.target != "":
			l.Kind = format.Soft
		}
		h.AddLink(&l, i)
	}
	return h
}

// finish writes all headers, and what says where they are.
func (w *Writer) finish() error {
	if err := w.settle([]*newObject{w.root}, func() error { return nil }); err != nil {
		return err
	}
	if err := w.file.Truncate(w.end); err != nil {
		return err
	}
	_, err := w.file.WriteAt(format.AppendSuperblock(nil, w.end, w.root.at), 0)
	return err
}

// settle writes the headers of all new objects at and below some. It calls placed when all have
// their addresses.
func (w *Writer) settle(tops []*newObject, placed func() error) error {
	var objects []*newObject
	var visit func(o *newObject)
	visit = func(o *newObject) {
		if !o.isLink() {
			objects = append(objects, o)
		}
		for _, c := range o.children {
			visit(c)
		}
	}
	for _, o := range tops {
		visit(o)
	}
	if err := w.attachScales(objects); err != nil {
		return err
	}
	same, err := w.further()
	if err != nil {
		return err
	}

	var b []byte
	for _, o := range objects {
		if o.existing {
			continue
		}
		o.placeAttributes(w)
		b = o.header().Append(b[:0])
		if len(b) > mostHeader {
			return unsupported("%q: a header of %d bytes: too many links or attributes", o.key, len(b))
		}
		w.end = inplace.Fit(w.end, headerStart)
		o.at = w.allocate(int64(len(b)))
	}
	for link, o := range same {
		link.at = o.at
	}

	if err := w.writeHeaders(objects); err != nil {
		return err
	}
	if err := placed(); err != nil {
		return err
	}
	if err := w.heap.flush(); err != nil {
		return err
	}
	for _, r := range w.refer {
		if err := r.write(w); err != nil {
			return err
		}
	}
	return nil
}

// writeHeaders writes the headers of objects, and their attributes, whose values may refer to them.
func (w *Writer) writeHeaders(objects []*newObject) error {
	v := &valueWriter{heap: w.heap, address: w.address}
	var b []byte
	for _, o := range objects {
		for i := range o.attributes {
			if err := o.attributes[i].encode(v); err != nil {
				return fmt.Errorf("%q: %w", o.key, err)
			}
		}
		if o.existing {
			continue
		}

		if _, err := w.file.WriteAt(o.header().Append(b[:0]), o.at); err != nil {
			return err
		}
		if o.dense == nil {
			continue
		}
		if _, err := w.file.WriteAt(o.dense.Append(b[:0]), o.dense.Heap); err != nil {
			return err
		}
	}
	return nil
}

// encode makes the data of the value.
func (a *newAttribute) encode(v *valueWriter) error {
	if a.Space.Null {
		return nil
	}
	data, err := v.append(nil, a.value, a.Type, a.Space.Shape)
	if err != nil {
		return fmt.Errorf("attribute %q: %w", a.Name, err)
	}
	a.Data = data
	return nil
}

// placeAttributes gives attributes a place outside of the header if one is too large for a message.
func (o *newObject) placeAttributes(w *Writer) {
	large := false
	all := make([]*format.Attribute, len(o.attributes))
	for i := range o.attributes {
		all[i] = &o.attributes[i].Attribute
		large = large || len(all[i].Append(nil)) > format.MaxMessage
	}
	if !large {
		return
	}
	o.dense = &format.NewDense{}
	w.end += o.dense.Layout(w.end, all)
}

// further returns the objects of the further names that objects have, and counts those.
func (w *Writer) further() (map[*newObject]*newObject, error) {
	same := map[*newObject]*newObject{}
	for _, link := range w.nodes {
		if link.same == "" {
			continue
		}
		o := w.nodes[link.same]
		if o == nil || o.isLink() {
			return nil, fmt.Errorf("%q is to be another name of %q: %w", link.key, link.same, cairn.ErrNotFound)
		}
		o.further++
		same[link] = o
	}
	return same, nil
}

// A newHeap has items of variable length, in collections that are written when they are full. One
// without a writer only checks them.
type newHeap struct {
	w     *Writer
	c     *format.NewCollection
	total int64 // bytes of objects
}

// mostCollection is about the most bytes of a collection with several items.
const mostCollection = 1 << 20

// append appends a reference to an object of n elements.
func (h *newHeap) append(b, object []byte, n int) ([]byte, error) {
	if h.w == nil {
		return format.AppendHeapRef(b, n, 0, 0), nil
	}
	h.total += int64(len(object))
	if h.c != nil {
		if number, ok := h.c.Add(object); ok {
			return format.AppendHeapRef(b, n, h.c.At(), number), nil
		}
	}

	if err := h.flush(); err != nil {
		return nil, err
	}
	size := format.CollectionSize(int64(len(object)), min(h.total/8, mostCollection))
	h.c = format.BeginCollection(h.w.allocate(size), size)
	number, _ := h.c.Add(object)
	return format.AppendHeapRef(b, n, h.c.At(), number), nil
}

// flush writes the collection that is being filled.
func (h *newHeap) flush() error {
	if h.c == nil {
		return nil
	}
	b, at := h.c.Bytes()
	h.c = nil
	_, err := h.w.file.WriteAt(b, at)
	return err
}

// Check returns an error unless a file can have the attribute. References may lead to any key.
func (a *Attribute) Check() error {
	made, err := planAttributes([]Attribute{*a})
	if err != nil || made[0].Space.Null {
		return err
	}
	v := &valueWriter{heap: &newHeap{}, address: func(string) (int64, bool) { return 0, true }}
	_, err = v.append(nil, a.Value, made[0].Type, made[0].Space.Shape)
	return err
}
