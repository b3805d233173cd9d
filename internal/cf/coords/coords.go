// Package coords gives the dimensions of an array their names and coordinates, and selects parts of
// the array by them:
//
//	s, err := coords.Parse("time=2020-01:2020-02, lat=50:60, level=850")
//	a := coords.New(src, lookup)
//	part, err := a.Select(ctx, s)   // part.View, part.Axes
//
// The coordinates of a dimension are an array of one dimension, with the name of the dimension and
// as many items. They are numbers, texts, or times: dates of NumPy, or numbers whose attributes are
// those of the CF conventions. They are looked up when they are needed, and read piece by piece, so
// that they may be of any length.
package coords

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Lookup finds the array with the coordinates of a dimension: one with that name, near the array
// that has the dimension. It returns nil if there is none. What it returns stays open as long as
// the array is used.
type Lookup func(ctx context.Context, name string) (ndarray.Source, error)

// Near returns a Lookup in the group of an array of a tree, and in those around it. open opens an
// array by its key, which begins with a slash, or fails with [cairn.ErrNotFound].
func Near(key string, open Opener) Lookup {
	return func(ctx context.Context, name string) (ndarray.Source, error) {
		if strings.Contains(name, "/") {
			return nil, nil
		}
		for group := path.Join("/", key); group != "/"; {
			group = path.Dir(group)
			src, err := open(ctx, path.Join(group, name))
			if !errors.Is(err, cairn.ErrNotFound) {
				return src, err
			}
		}
		return nil, nil
	}
}

// An Opener opens an array by its key.
type Opener = func(ctx context.Context, key string) (ndarray.Source, error)

// An Array is an array with axes, for one goroutine.
type Array struct {
	View        ndarray.UntypedView
	Axes        []*Axis // one per dimension of the view
	Title       string  // the attribute long_name or standard_name, or ""
	Units       string  // or "": of times, too
	Attributes  meta.Map
	Meaning     *cf.Meaning
	Items       *cf.Meaning // that of the items, which Values has too
	fixed       []*Axis     // which a selection has removed
	lookup      Lookup
	decodeItems decoder
}

// New returns the whole of a source. Labels that cannot be read are left out.
func New(src ndarray.Source, lookup Lookup) *Array {
	a := &Array{View: ndarray.ViewOf(src), lookup: lookup}
	l, _ := ndarray.LabelsOf(src)
	for i, n := range src.Shape() {
		axis := &Axis{Len: n, whole: n, coordinates: &coordinates{lookup: lookup, n: n}}
		if i < len(l.Dims) {
			axis.Name = l.Dims[i]
			axis.coordinates.name = axis.Name
		}
		a.Axes = append(a.Axes, axis)
	}

	a.Attributes = l.Attributes
	a.mean()
	return a
}

// Times returns a function that formats items as times, or nil if they are no numbers with units
// such as "days since 1970-01-01". Dates of NumPy are none either: their dtype says what they are.
func (a *Array) Times() func(item []byte) string {
	if d := a.decodeItems; d.scale != nil && !d.hasNaT {
		s := *d.scale
		s.Shortest = s.Usual()
		d.scale = &s
		return func(item []byte) string { return d.texts([]value{d.value(item)})[0] }
	}
	return nil
}

// Values returns the array with the values that its items stand for.
func (a *Array) Values() *Array {
	if a.Meaning.Plain() || !a.View.DType().Equal(a.Meaning.Stored) { // such as a field of items
		return a
	}
	v := *a
	v.View = ndarray.ViewOf(values.With(a.View, a.Meaning))
	v.Attributes = a.Meaning.ValueAttributes(a.Attributes)
	v.mean()
	return &v
}

// mean takes what the attributes mean.
func (a *Array) mean() {
	a.Meaning = cf.Of(a.View.DType(), a.Attributes)
	if a.Items == nil {
		a.Items = a.Meaning
	}
	a.Title = a.Meaning.Title
	a.Units = a.Meaning.Unit
	a.decodeItems, _ = newDecoder(a.Meaning)
}

// A Fixed is a dimension of which a selection has taken one item.
type Fixed struct {
	Name  string // or ""
	Text  string // the coordinate, or the index in brackets
	Index bool   // there is no coordinate
	Units string // or ""
}

// Fixed returns the dimensions that selections have removed.
func (a *Array) Fixed(ctx context.Context) ([]Fixed, error) {
	var list []Fixed
	for _, axis := range a.fixed {
		f := Fixed{Name: axis.Name, Text: fmt.Sprintf("[%d]", axis.at), Index: true}
		if have, _ := axis.HasCoordinates(ctx); have {
			texts, err := axis.Texts(ctx, 0, 1)
			if err != nil {
				return nil, err
			}
			f.Text = texts[0]
			f.Units = axis.Units(ctx)
			f.Index = false
		}
		list = append(list, f)
	}
	return list, nil
}

// PlaceText returns where an item is, as a selection of it: "time=2020-01-03, lat=50, x[7]". It is
// "" if no dimension has coordinates, or if one without has no name.
func (a *Array) PlaceText(ctx context.Context, at []int64) (string, error) {
	parts := make([]string, len(at))
	known := false
	for i, axis := range a.Axes {
		have, _ := axis.HasCoordinates(ctx)
		switch {
		case axis.Name == "":
			return "", nil
		case !have:
			parts[i] = fmt.Sprintf("%s[%d]", axis.Name, at[i])
		default:
			texts, err := axis.Texts(ctx, at[i], at[i]+1)
			if err != nil {
				return "", err
			}
			parts[i] = axis.Name + "=" + texts[0]
			known = true
		}
	}

	if !known {
		return "", nil
	}
	return strings.Join(parts, ", "), nil
}

// An Axis is a dimension of an array.
type Axis struct {
	Name string // or ""
	Len  int64

	coordinates *coordinates
	cuts        []ndarray.Selector // what selections have taken of the coordinates
	whole       int64              // items of the dimension of the whole array
	taken       []ndarray.Selector // what selections have taken of that
	at          int64              // the index that a selection took
	moved       *coordinates       // those of the part that is cut next, or nil
}

// cut returns the axis of a part of the array.
func (x *Axis) cut(s ndarray.Selector, n int64) *Axis {
	part := *x
	part.Len = n
	part.taken = append(slices.Clone(x.taken), s)
	if x.moved != nil {
		part.coordinates = x.moved
		part.cuts = nil
		part.moved = nil
		return &part
	}
	part.cuts = append(slices.Clone(x.cuts), s)
	return &part
}

// HasCoordinates reports whether there are coordinates. It fails if there is an array for them
// that cannot be used.
func (x *Axis) HasCoordinates(ctx context.Context) (bool, error) {
	err := x.coordinates.load(ctx)
	return err == nil && x.coordinates.found, err
}

// IsTime reports whether the axis has coordinates that are times.
func (x *Axis) IsTime(ctx context.Context) bool {
	have, _ := x.HasCoordinates(ctx)
	return have && x.coordinates.scale != nil
}

// IsText reports whether the axis has coordinates that are texts.
func (x *Axis) IsText(ctx context.Context) bool {
	have, _ := x.HasCoordinates(ctx)
	return have && x.coordinates.textual
}

// Title returns the attribute long_name or standard_name of the coordinates, or the name.
func (x *Axis) Title(ctx context.Context) string {
	if have, _ := x.HasCoordinates(ctx); have && x.coordinates.title != "" {
		return x.coordinates.title
	}
	return x.Name
}

// Units returns the units of coordinates, or "". Times have none.
func (x *Axis) Units(ctx context.Context) string {
	if have, _ := x.HasCoordinates(ctx); !have || x.coordinates.scale != nil {
		return ""
	}
	return x.coordinates.units
}

// Coordinates returns the array with the coordinates of the axis, cut as the axis is. It reports
// false if there are none.
func (x *Axis) Coordinates(ctx context.Context) (ndarray.UntypedView, bool) {
	if have, err := x.HasCoordinates(ctx); err != nil || !have {
		return ndarray.UntypedView{}, false
	}
	return x.view(), true
}

// TurnedBounds returns the name of the bounds of coordinates that a selection has given other
// values than the stored ones, around the globe, and these coordinates; "" if there are none.
func (x *Axis) TurnedBounds(ctx context.Context) (along ndarray.UntypedView, bounds string) {
	if !x.coordinates.moved {
		return along, ""
	}
	along, _ = x.Coordinates(ctx)
	l, err := along.Labels()
	if err != nil {
		return along, ""
	}
	return along, cf.Text(l.Attributes, "bounds")
}

func (x *Axis) view() ndarray.UntypedView {
	view := x.coordinates.view
	for _, s := range x.cuts {
		view = view.Slice(s)
		if len(view.Shape()) == 0 {
			view = view.ExpandDims(0)
		}
	}
	return view
}

// read reads some coordinates.
func (x *Axis) read(ctx context.Context, start, stop int64) ([]value, error) {
	return x.coordinates.read(ctx, x.view(), start, stop)
}

// Floats returns coordinates as numbers: times as seconds since 1970-01-01 of the same date in
// the Gregorian calendar, and NaN where there is none. Texts are NaN.
func (x *Axis) Floats(ctx context.Context, start, stop int64) ([]float64, error) {
	values, err := x.read(ctx, start, stop)
	if err != nil {
		return nil, err
	}

	floats := make([]float64, len(values))
	for i, v := range values {
		floats[i] = x.coordinates.float(v)
	}
	return floats, nil
}

// Texts returns coordinates as texts, which are as short as they can be without losing digits.
// Dates are all of the same form.
func (x *Axis) Texts(ctx context.Context, start, stop int64) ([]string, error) {
	values, err := x.read(ctx, start, stop)
	if err != nil {
		return nil, err
	}
	return x.coordinates.texts(values), nil
}

// Ends returns the first and the last coordinate as texts. There must be some.
func (x *Axis) Ends(ctx context.Context) (first, last string, err error) {
	if x.Len == 0 {
		return "", "", nil
	}

	head, err := x.read(ctx, 0, 1)
	if err != nil {
		return "", "", err
	}
	tail, err := x.read(ctx, x.Len-1, x.Len)
	if err != nil {
		return "", "", err
	}

	texts := x.coordinates.texts(append(head, tail...))
	return texts[0], texts[1], nil
}

// Describe returns the axis in a few words: "lat (90 to -90 degrees_north, 181 items)".
func (x *Axis) Describe(ctx context.Context) string {
	name := x.Name
	if name == "" {
		name = "(unnamed)"
	}
	items := fmt.Sprintf("%d items", x.Len)
	if x.Len == 1 {
		items = "1 item"
	}

	if have, err := x.HasCoordinates(ctx); err == nil && have && x.Len > 0 {
		if first, last, err := x.Ends(ctx); err == nil {
			return fmt.Sprintf("%s (%s, %s)", name, rangeText(first, last, x.Units(ctx)), items)
		}
	}
	return fmt.Sprintf("%s (%s)", name, items)
}

func rangeText(first, last, units string) string {
	text := first
	if last != first {
		text += " to " + last
	}
	return strings.TrimSpace(text + " " + units)
}
