package groups

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// A Division says how the indexes along an axis are divided into groups, and what the axis of the
// groups is like.
type Division struct {
	Of    []int // by index: the number of its group, or -1 for none
	Count int   // of groups
	Name  string
	// arrays with the coordinates of the groups, and with the bounds of these; nil without
	Coordinates, Bounds ndarray.Source
}

// BoundsName returns the name of the array with the bounds of coordinates that had none.
func BoundsName(coordinates string) string { return coordinates + "_bnds" }

// Divide divides the indexes of an axis. If the key has the name of coordinates that are not those
// of the axis, the axis must be one with these, as Along makes it.
func (k Key) Divide(ctx context.Context, x *coords.Axis) (*Division, error) {
	switch {
	case k.runs != nil:
		return k.runsOf(ctx, x)
	case k.part != nil:
		return k.partsOf(ctx, x)
	case k.count > 0:
		return k.every(ctx, x)
	case k.edges != nil:
		return k.intervals(ctx, x)
	}
	return k.values(ctx, x)
}

// IsTime reports whether the key divides times.
func (k Key) IsTime() bool { return k.runs != nil || k.part != nil }

// Along returns the axis that an array of coordinates other than those of a dimension runs along.
func Along(src ndarray.Source, name string) (*coords.Axis, error) {
	if len(src.Shape()) != 1 {
		return nil, fmt.Errorf("groups by %s: the array has shape %v, want one dimension: %w", name, src.Shape(),
			cairn.ErrUnsupported)
	}
	find := func(context.Context, string) (ndarray.Source, error) { return src, nil }
	x := coords.New(src, find).Axes[0]
	if x.Name == "" {
		return nil, fmt.Errorf("groups by %s: its dimension has no name: %w", name, cairn.ErrNotFound)
	}
	return x, nil
}

// every divides an axis into groups of successive indexes. Their coordinates are means.
func (k Key) every(ctx context.Context, x *coords.Axis) (*Division, error) {
	d := &Division{Of: make([]int, x.Len), Count: int((x.Len + k.count - 1) / k.count), Name: x.Name}
	for i := range d.Of {
		d.Of[i] = i / int(k.count)
	}

	have, err := x.HasCoordinates(ctx)
	if err != nil || !have || x.IsText(ctx) || x.IsTime(ctx) {
		return d, err
	}
	all, err := x.Floats(ctx, 0, x.Len)
	if err != nil {
		return nil, err
	}
	var means []float64
	for part := range slices.Chunk(all, int(k.count)) {
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		means = append(means, sum/float64(len(part)))
	}
	if d.Coordinates, err = floats(ctx, x, means); err != nil {
		return nil, err
	}

	// Bounds are those of all items together, the lower one first where it was.
	all, err = x.Bounds(ctx)
	if all == nil || err != nil {
		return d, err
	}
	var ends []float64
	for part := range slices.Chunk(all, 2*int(k.count)) {
		first := slices.Min(part)
		last := slices.Max(part)
		if part[0] > part[1] {
			first, last = last, first
		}
		ends = append(ends, first, last)
	}
	return d, d.bound("<f8", float64s(ends))
}

// intervals divides coordinates into intervals that have their lower edge; the last one has both.
func (k Key) intervals(ctx context.Context, x *coords.Axis) (*Division, error) {
	have, err := x.HasCoordinates(ctx)
	if err != nil {
		return nil, err
	}
	if !have || x.IsText(ctx) || x.IsTime(ctx) {
		return nil, fmt.Errorf("groups by %s: the coordinates are no numbers: %w", k, cairn.ErrType)
	}
	all, err := x.Floats(ctx, 0, x.Len)
	if err != nil {
		return nil, err
	}

	last := len(k.edges) - 2
	d := &Division{Of: make([]int, len(all)), Count: last + 1, Name: k.Name}
	for i, v := range all {
		n, exact := slices.BinarySearch(k.edges, v)
		if !exact {
			n--
		}
		if v == k.edges[last+1] {
			n = last
		}
		if v != v || n > last {
			n = -1
		}
		d.Of[i] = n
	}

	var middles []float64
	var bounds []float64
	for i, low := range k.edges[:last+1] {
		high := k.edges[i+1]
		middles = append(middles, low+(high-low)/2)
		bounds = append(bounds, low, high)
	}
	if d.Coordinates, err = floats(ctx, x, middles); err != nil {
		return nil, err
	}
	return d, d.bound("<f8", float64s(bounds))
}

// values divides coordinates by what they are: numbers, texts, or what flags mean.
func (k Key) values(ctx context.Context, x *coords.Axis) (*Division, error) {
	have, err := x.HasCoordinates(ctx)
	if err != nil {
		return nil, err
	}
	if !have {
		return nil, fmt.Errorf("groups by %s: there are no such coordinates: %w", k, cairn.ErrNotFound)
	}
	d := &Division{Name: k.Name}
	if x.IsText(ctx) {
		all, err := x.Texts(ctx, 0, x.Len)
		if err != nil {
			return nil, err
		}
		of, names := numbered(all)
		d.Of = of
		d.Count = len(names)
		d.Coordinates, err = texts(d.Name, names)
		return d, err
	}

	all, err := x.Floats(ctx, 0, x.Len)
	if err != nil {
		return nil, err
	}
	var valid []float64
	for _, v := range all {
		if v == v {
			valid = append(valid, v)
		}
	}
	_, values := numbered(valid)
	d.Count = len(values)
	first := make([]int64, len(values))
	for i := len(all) - 1; i >= 0; i-- {
		n, ok := slices.BinarySearch(values, all[i])
		if !ok {
			d.Of = append(d.Of, -1)
			continue
		}
		d.Of = append(d.Of, n)
		first[n] = int64(i)
	}
	slices.Reverse(d.Of)

	// The items are those of the coordinates, with all that they mean.
	own, _ := x.Coordinates(ctx)
	labels, err := ndarray.LabelsOf(own)
	if err != nil {
		return nil, err
	}
	items, err := own.Read(ctx, ndarray.Indices(first))
	if err != nil {
		return nil, err
	}
	labels = ndarray.Labels{Dims: []string{d.Name}, Attributes: cf.WithBounds(labels.Attributes, "")}
	d.Coordinates, err = array(own.DType().String(), ndarray.Shape{int64(d.Count)}, items, labels)
	return d, err
}
