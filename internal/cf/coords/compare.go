package coords

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Relation is how the coordinates of two axes relate.
type Relation uint8

// Relations.
const (
	Same      Relation = iota
	Flipped            // the same in the other order
	Different          // or of other units or calendars
)

// Compare returns how the coordinates of two axes of the same length relate, and the first
// difference in words. Both must have some. Numbers of different precision are the same if they are
// within the lower one.
func Compare(ctx context.Context, x, y *Axis) (r Relation, why string, err error) {
	c := x.coordinates
	d := y.coordinates
	switch {
	case c.textual != d.textual || (c.scale == nil) != (d.scale == nil):
		return Different, "they are of different kinds", nil
	case c.scale != nil && !cftime.OneLine(c.scale.Calendar, d.scale.Calendar):
		return Different, "their calendars differ", nil
	case c.scale == nil && !cf.SameUnit(c.units, d.units):
		return Different, fmt.Sprintf("their units are %q and %q", c.units, d.units), nil
	}

	a, err := x.all(ctx)
	if err != nil {
		return 0, "", err
	}
	b, err := y.all(ctx)
	if err != nil {
		return 0, "", err
	}

	same := func(a, b value) bool { return a == b || a.missing() && b.missing() || c.near(d, a, b) }
	at := -1
	for i := range a {
		if !same(a[i], b[i]) {
			at = i
			break
		}
	}

	if at < 0 {
		return Same, "", nil
	}

	why = fmt.Sprintf("item %d is %s and %s", at, c.texts(a[at : at+1])[0], d.texts(b[at : at+1])[0])
	slices.Reverse(b)
	if slices.EqualFunc(a, b, same) {
		return Flipped, why, nil
	}
	return Different, why, nil
}

// near reports whether numbers are the same within the lower precision of two decoders.
func (c *coordinates) near(d *coordinates, a, b value) bool {
	if c.scale != nil || c.textual || !c.floating && !d.floating {
		return false
	}
	short := c.floating && c.number.Size == 4 || d.floating && d.number.Size == 4
	return short && float32(a.hi) == float32(b.hi) && a.lo == b.lo
}

// all reads all coordinates.
func (x *Axis) all(ctx context.Context) ([]value, error) {
	var all []value
	err := x.scan(ctx, func(_ int64, v value) error {
		all = append(all, v)
		return nil
	})
	return all, err
}

// An Order is that of the coordinates of several axes, one after the other.
type Order struct {
	Sorted    bool    // they rise, or fall, or are not expected to
	Sorting   []int64 // the items, numbered through all axes, as they must be to be sorted
	Duplicate string  // a coordinate that occurs twice, or ""
	Break     string  // where they are not sorted
}

// OrderOf returns the order of axes. All must have coordinates. If those of one alone are not
// sorted, then they are not expected to be.
func OrderOf(ctx context.Context, axes []*Axis) (o Order, err error) {
	var all []value
	o.Sorted = true
	up := true
	down := true
	own := true
	var falling bool

	for _, x := range axes {
		values, err := x.all(ctx)
		if err != nil {
			return o, err
		}
		rises := slices.IsSortedFunc(values, compare)
		falls := slices.IsSortedFunc(values, descending)
		own = own && (rises || falls)
		falling = falling || falls && !rises
		all = append(all, values...)
	}

	d := &axes[0].coordinates.decoder
	for i := 1; i < len(all); i++ {
		step := compare(all[i-1], all[i])
		up = up && step < 0
		down = down && step > 0
		if !up && !down && o.Break == "" {
			texts := d.texts(all[i-1 : i+1])
			o.Break = texts[1] + " comes after " + texts[0]
		}
	}

	if up || down || len(all) < 2 {
		o.Break = ""
		return o, nil
	}

	// The sorting descends if the first axis does.
	o.Sorting = make([]int64, len(all))
	for i := range all {
		o.Sorting[i] = int64(i)
	}

	order := compare
	if falling && slices.IsSortedFunc(all[:axes[0].Len], descending) {
		order = descending
	}
	slices.SortStableFunc(o.Sorting, func(i, j int64) int { return order(all[i], all[j]) })

	for k := 1; k < len(all) && o.Duplicate == ""; k++ {
		if i := o.Sorting[k]; compare(all[o.Sorting[k-1]], all[i]) == 0 {
			o.Duplicate = d.texts(all[i : i+1])[0]
		}
	}

	o.Sorted = !own || d.textual
	return o, nil
}

func descending(a, b value) int { return cmp.Compare(0, compare(a, b)) }

// mostKept bounds the coordinates that Keep holds.
const mostKept = 1 << 26

// Keep reads all coordinates into memory, so that what they come from can be closed.
func (a *Array) Keep(ctx context.Context) error {
	for _, axis := range a.Axes {
		have, err := axis.HasCoordinates(ctx)
		if err != nil {
			return err
		}
		if !have {
			axis.coordinates = &coordinates{name: axis.Name, n: axis.Len, loaded: true}
			continue
		}

		view := axis.view()
		if axis.Len > mostKept {
			return fmt.Errorf("coordinates of %s: %d are too many to be held: %w", axis.Name, axis.Len, cairn.ErrLimit)
		}
		raw, err := view.Read(ctx)
		if err != nil {
			return err
		}
		labels, err := view.Labels()
		if err != nil {
			return err
		}

		c := &coordinates{name: axis.Name, n: axis.Len, loaded: true}
		if err := c.use(memory{raw, view.DType(), labels}); err != nil {
			return err
		}

		axis.coordinates = c
		axis.cuts = nil
	}
	return nil
}

// memory is an array of one dimension whose items are in memory.
type memory struct {
	raw    []byte
	dtype  meta.DType
	labels ndarray.Labels
}

func (m memory) DType() meta.DType                    { return m.dtype }
func (m memory) Shape() ndarray.Shape                 { return ndarray.Shape{int64(len(m.raw) / m.dtype.Size())} }
func (m memory) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }
func (m memory) Labels() (ndarray.Labels, error)      { return m.labels, nil }
func (m memory) ReadBytes(_ context.Context, dst []byte, start, _ []int64) error {
	copy(dst, m.raw[start[0]*int64(m.dtype.Size()):])
	return nil
}
