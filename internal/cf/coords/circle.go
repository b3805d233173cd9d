package coords

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// turned returns the value that stands for the same place as v, and is nearest to another: v itself
// unless the coordinates run around a circle. It is the other one if only rounding keeps it apart.
func (c *coordinates) turned(v, to value) value {
	if c.around == 0 || math.IsInf(to.hi, 0) || v.missing() {
		return v
	}

	turns := math.Round((to.hi - v.hi) / c.around)
	if turns == 0 {
		return v
	}

	v = value{hi: v.hi + v.lo + turns*c.around}
	if math.Abs(v.hi-to.hi) <= c.slack() {
		return to
	}
	return v
}

// slack is how far rounding may bring a value that has been turned from the same one in a text.
func (c *coordinates) slack() float64 {
	if c.floating && c.number.Size < 8 {
		return c.around / (1 << 22)
	}
	return c.around * 1e-12
}

// A place is an item on a circle, with the value that it has in the range that is asked for.
type place struct {
	index int64
	value float64
	moved bool // the value is another one than the stored one
}

// arc returns the items of a range on a circle, from its start to its end, and the coordinates that
// these have in the range if they are others than the stored ones; otherwise nil. A start that is
// greater than the end is west of it: 350:10 is -10:10, and 170:-170 is 170:190.
func (x *Axis) arc(ctx context.Context, q query, t term) (ndarray.Selector, *coordinates, error) {
	stored, descends, err := x.aroundCircle(ctx)
	if err != nil {
		return ndarray.Selector{}, nil, err
	}

	west := q.between.first.hi
	east := q.between.last.hi
	switch {
	case west > east && descends: // as the items are
		swapped, err := x.reverse(t.what)
		if err != nil {
			return ndarray.Selector{}, nil, err
		}
		west = swapped.first.hi
		east = swapped.last.hi
	case west > east && west > x.coordinates.around/2:
		west -= math.Ceil((west-east)/x.coordinates.around) * x.coordinates.around
	case west > east:
		east += math.Ceil((west-east)/x.coordinates.around) * x.coordinates.around
	}

	places := x.within(stored, west, east)
	if len(places) == 0 {
		return ndarray.Selector{}, nil, fmt.Errorf("no item is in the range; there is %s: %w",
			x.Describe(ctx), cairn.ErrNotFound)
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if descends {
			a, b = b, a
		}
		return cmp.Compare(a.value, b.value)
	})
	places = slices.CompactFunc(places, func(a, b place) bool { // the seam, as 0 and as 360
		return a.moved != b.moved && math.Abs(a.value-b.value) <= x.coordinates.slack()
	})

	selector, places := selectorOf(places, q.step)
	if !slices.ContainsFunc(places, func(p place) bool { return p.moved }) {
		return selector, nil, nil
	}

	values := make([]float64, len(places))
	for i, p := range places {
		values[i] = p.value
	}
	c, err := x.coordinates.withValues(values)
	return selector, c, err
}

// aroundCircle returns all coordinates, and whether they descend. They must be sorted, but may
// start anywhere on the circle.
func (x *Axis) aroundCircle(ctx context.Context) (all []float64, descends bool, err error) {
	ups := 0
	downs := 0
	err = x.scan(ctx, func(i int64, v value) error {
		all = append(all, v.hi+v.lo)
		switch {
		case v.missing():
			ups = 2
			downs = 2
		case i > 0 && all[i] > all[i-1]:
			ups++
		case i > 0 && all[i] < all[i-1]:
			downs++
		}
		return nil
	})

	if err == nil && min(ups, downs) > 1 {
		err = fmt.Errorf("the coordinates are not sorted; a range needs that: %w", cairn.ErrUnsupported)
	}
	return all, downs > ups, err
}

// within returns the items whose places are in a range.
func (x *Axis) within(stored []float64, west, east float64) (places []place) {
	around := x.coordinates.around
	slack := x.coordinates.slack()
	for i, v := range stored {
		p := place{int64(i), v, false}
		if v < west || v > east {
			p.value += math.Ceil((west-v-slack)/around) * around
			p.moved = true
			if p.value == v || p.value > east+slack {
				continue
			}
		}
		places = append(places, p)
	}
	return places
}

// selectorOf returns the selector for every step-th of some items, and these.
func selectorOf(places []place, step int64) (ndarray.Selector, []place) {
	together := true
	for i := range places[1:] {
		together = together && places[i+1].index == places[i].index+1
	}

	var taken []place
	var list []int64
	for i := int64(0); i < int64(len(places)); i += min(step, int64(len(places))) {
		taken = append(taken, places[i])
		list = append(list, places[i].index)
	}

	if together {
		return ndarray.Range(places[0].index, places[len(places)-1].index+1).Step(step), taken
	}
	return ndarray.Indices(list), taken
}

// withValues returns coordinates like these with other values, in memory: of their dtype if that is
// one of floats, otherwise as numbers of 64 bits.
func (c *coordinates) withValues(values []float64) (*coordinates, error) {
	labels, err := c.view.Labels()
	if err != nil {
		return nil, err
	}
	m := cf.Of(c.view.DType(), labels.Attributes)
	labels.Attributes = m.ValueAttributes(labels.Attributes)

	shape := ndarray.Shape{int64(len(values))}
	var src ndarray.Source
	if m.Plain() && c.floating && c.number.Size == 4 {
		short := make([]float32, len(values))
		for i, v := range values {
			short[i] = float32(v)
		}
		src, err = labelled(short, shape, labels)
	} else {
		src, err = labelled(values, shape, labels)
	}
	if err != nil {
		return nil, err
	}

	moved := &coordinates{name: c.name, n: shape[0], loaded: true, moved: true}
	return moved, moved.use(src)
}

func labelled[T any](items []T, shape ndarray.Shape, labels ndarray.Labels) (ndarray.Source, error) {
	a, err := ndarray.FromSlice(items, shape, nil)
	if err != nil {
		return nil, err
	}
	return a, a.SetLabels(labels)
}
