package joins

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/ndarray"
)

// An Input is an array to join with others.
type Input struct {
	Name  string // for errors and notes
	Array *coords.Array
}

// Options say how arrays are joined.
type Options struct {
	Axis  int  // which has been resolved, or the place of the new one
	Stack bool // along a new axis
	Sort  bool // by the coordinates of the axis
	Raw   bool // the items as they are stored, whatever they and their coordinates stand for
}

// A Joined is the result of a join.
type Joined struct {
	Source      ndarray.Source
	Parts       []ndarray.Source // of Append: what the arrays give, in the form of the first
	Same        []bool           // which of them are the arrays as they are
	Coordinates []Coordinate     // of the dimensions of the result
	Notes       []string         // what was converted or left out
	Turned      bool             // some arrays were turned round, or sorted
}

// A Coordinate is the array with the coordinates of a dimension.
type Coordinate struct {
	Name   string
	Source ndarray.Source
}

// ErrOrder means that the coordinates of joined arrays are out of order.
var ErrOrder = errors.New("the coordinates are out of order")

// Sources joins arrays that are without coordinates, along an axis.
func Sources(ctx context.Context, axis int, names []string, sources []ndarray.Source) (ndarray.Source, error) {
	var inputs []Input
	for i, src := range sources {
		inputs = append(inputs, Input{names[i], coords.New(src, nil)})
	}

	if axis < 0 {
		axis += len(sources[0].Shape())
	}

	joined, err := Join(ctx, inputs, Options{Axis: axis})
	if err != nil {
		return nil, err
	}
	return joined.Source, nil
}

// Join joins arrays along an axis, or stacks them along a new one.
func Join(ctx context.Context, inputs []Input, o Options) (*Joined, error) {
	j := &joining{Options: o, inputs: inputs}
	for _, in := range inputs {
		j.views = append(j.views, in.Array.View)
	}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	return j.result(ctx)
}

// prepare makes what is joined of the inputs.
func (j *joining) prepare(ctx context.Context) error {
	if j.Raw {
		for i, v := range j.views {
			if want := j.views[0].DType(); !v.DType().Equal(want) && j.fixed {
				return fmt.Errorf("%s has dtype %s, and %s has %s: %w", j.inputs[i].Name, v.DType(), j.inputs[0].Name,
					want, cairn.ErrType)
			}
			j.sources = append(j.sources, v)
		}
		return nil
	}

	if err := j.alignNames(); err != nil {
		return err
	}
	if err := j.convert(); err != nil {
		return err
	}
	return j.coordinates(ctx)
}

// Append makes arrays ready to be appended to one along an axis: Parts are their items as that
// array would store them, and Coordinates those of the axis, likewise, if all have some. What it
// cannot store exactly fails when it is read.
func Append(ctx context.Context, to Input, more []Input, axis int, raw bool) (*Joined, error) {
	j := &joining{Options: Options{Axis: axis, Raw: raw}, inputs: append([]Input{to}, more...), fixed: true}
	for _, in := range j.inputs {
		j.views = append(j.views, in.Array.View)
	}

	if err := j.prepare(ctx); err != nil {
		return nil, err
	}

	j.Coordinates = nil
	if j.along != nil {
		j.keep(j.axes[0][axis].Name, j.along)
	}
	j.Parts = j.sources[1:]
	for i, src := range j.Parts {
		_, plain := src.(ndarray.UntypedView)
		j.Same = append(j.Same, plain && !j.moved[i+1])
	}
	return &j.Joined, nil
}

// A joining is a join under way.
type joining struct {
	Options
	fixed   bool // the form is that of the first array
	inputs  []Input
	views   []ndarray.UntypedView // of the inputs, with the dimensions of the first
	axes    [][]*coords.Axis      // of the inputs
	sources []ndarray.Source      // of one form
	moved   map[int]bool          // which were transposed or turned round
	form    form
	along   ndarray.Source // the joined coordinates, or nil
	sorting []int64        // the items along the axis in their order, or nil
	Joined
}

func (j *joining) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(j.Notes, text) {
		j.Notes = append(j.Notes, text)
	}
}

// alignNames brings the dimensions of all arrays into the order of those of the first.
func (j *joining) alignNames() error {
	want := namesOf(j.inputs[0].Array)
	for i, in := range j.inputs {
		have := namesOf(in.Array)
		axes := in.Array.Axes
		switch {
		case want == nil || have == nil || slices.Equal(have, want):
		case !slices.Equal(slices.Sorted(slices.Values(have)), slices.Sorted(slices.Values(want))):
			return fmt.Errorf("%s has the dimensions %v, and %s has %v: %w", in.Name, have, j.inputs[0].Name, want,
				cairn.ErrType)
		default:
			order := make([]int, len(want))
			axes = nil
			for k, name := range want {
				order[k] = slices.Index(have, name)
				axes = append(axes, in.Array.Axes[order[k]])
			}
			j.views[i] = j.views[i].Transpose(order...)
			j.move(i)
			j.note("%s has the dimensions %v; transposed to %v", in.Name, have, want)
		}

		j.axes = append(j.axes, axes)
	}
	return nil
}

// namesOf returns the names of all dimensions, or nil if one has none or two have the same.
func namesOf(a *coords.Array) (names []string) {
	for _, axis := range a.Axes {
		if axis.Name == "" || slices.Contains(names, axis.Name) {
			return nil
		}
		names = append(names, axis.Name)
	}
	return names
}

// convert brings the items of all arrays into one form.
func (j *joining) convert() error {
	var all []items
	for i, in := range j.inputs {
		it, err := itemsOf(in.Name, j.views[i])
		if err != nil {
			return err
		}
		all = append(all, it)
	}

	var err error
	if j.form, err = j.formOf(all); err != nil {
		return err
	}

	for i, v := range j.views {
		src, err := j.form.convert(v, all[i])
		if err != nil {
			return err
		}
		j.sources = append(j.sources, src)
	}
	return nil
}

// formOf returns the form that all items get.
func (j *joining) formOf(all []items) (form, error) {
	f, notes, err := common(all)
	j.Notes = append(j.Notes, notes...)
	if j.fixed {
		f = form{items: all[0]}
	}
	return f, err
}

// together joins sources that have the form.
func (f *form) together(axis int, sources []ndarray.Source) (ndarray.Source, error) {
	view := ndarray.Concat(axis, sources...)
	if err := view.Err(); err != nil {
		return nil, err
	}
	if f.how == asTheyAre {
		return view, nil
	}
	return relabelled(view, f.labels), nil
}

// result joins the arrays.
func (j *joining) result(ctx context.Context) (*Joined, error) {
	var view ndarray.UntypedView
	switch {
	case j.Stack:
		view = ndarray.Stack(j.Axis, j.sources...)
	default:
		view = ndarray.Concat(j.Axis, j.sources...)
	}

	if err := view.Err(); err != nil {
		return nil, err
	}

	if j.sorting != nil {
		j.Turned = true
		view = j.sorted(view)
		if err := view.Err(); err != nil {
			return nil, err
		}
	}

	j.Source = view
	if !j.Raw && j.form.how != asTheyAre {
		labels, err := view.Labels()
		if err != nil {
			return nil, err
		}
		labels.Attributes = j.form.labels.Attributes
		j.Source = relabelled(view, labels)
	}
	return &j.Joined, ctx.Err()
}

// sorted returns the joined view with its items in order: the arrays in another order, if that is
// all.
func (j *joining) sorted(view ndarray.UntypedView) ndarray.UntypedView {
	var starts []int64
	at := int64(0)
	for _, src := range j.sources {
		starts = append(starts, at)
		at += src.Shape()[j.Axis]
	}

	var blocks []ndarray.Source
	for k := int64(0); k < at; {
		i := j.blockAt(starts, k)
		if i < 0 {
			selectors := make([]ndarray.Selector, j.Axis+1)
			for d, n := range view.Shape()[:j.Axis+1] {
				selectors[d] = ndarray.Range(0, n)
			}
			selectors[j.Axis] = ndarray.Indices(j.sorting)
			return view.Slice(selectors...)
		}

		blocks = append(blocks, j.sources[i])
		k += j.sources[i].Shape()[j.Axis]
	}
	return ndarray.Concat(j.Axis, blocks...)
}

// blockAt returns the array all of whose items are in order at a place of the sorting, or -1.
func (j *joining) blockAt(starts []int64, at int64) int {
	for i, start := range starts {
		n := j.sources[i].Shape()[j.Axis]
		if start != j.sorting[at] || n == 0 || at+n > int64(len(j.sorting)) {
			continue
		}
		for k, item := range j.sorting[at : at+n] {
			if item != start+int64(k) {
				return -1
			}
		}
		return i
	}
	return -1
}

// relabelled gives a view other labels.
func relabelled(view ndarray.UntypedView, l ndarray.Labels) ndarray.Source { return labelled{view, l} }

type labelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (l labelled) Labels() (ndarray.Labels, error) { return l.labels, nil }

// StoredChunks returns the chunks of the source as they are stored, if it has such.
func (l labelled) StoredChunks(ctx context.Context) (*chunked.Stored, error) {
	return ndarray.ViewOf(l.Source).Inside().StoredChunks(ctx)
}
