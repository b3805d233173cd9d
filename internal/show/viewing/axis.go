package viewing

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/chart"
)

// A ruler knows the coordinates along a dimension: their indexes if there are no others, or none
// that rise or fall all the way.
type ruler struct {
	axis    *coords.Axis
	n       int64
	first   int64     // number of the first item, where the index is the coordinate
	at      []float64 // indexes of probed items
	values  []float64 // their coordinates; nil if the index is the coordinate
	regular bool      // values are equally far apart
	kind    chart.Kind
	label   string
}

// mostProbed is how many coordinates are read: all of them, or as many at equal distances.
const mostProbed = 1 << 16

func newRuler(ctx context.Context, x *coords.Axis, first int64) (*ruler, error) {
	r := &ruler{axis: x, n: x.Len, first: first, label: x.Name}

	have, err := x.HasCoordinates(ctx)
	if err != nil || !have || x.Len == 0 {
		return r, err
	}

	if err := r.probe(ctx); err != nil || r.values == nil {
		return r, err
	}

	title := x.Title(ctx)
	units := x.Units(ctx)
	r.kind = kindOf(ctx, x, units)
	r.label = title

	if r.kind == chart.Numbers && units != "" && units != "1" {
		r.label += " (" + units + ")"
	}
	if r.kind != chart.Numbers {
		r.label = ""
	}
	return r, nil
}

// kindOf returns how coordinates are written.
func kindOf(ctx context.Context, x *coords.Axis, units string) chart.Kind {
	switch strings.ToLower(units) {
	case "degrees_north", "degree_north", "degrees_n", "degree_n", "degreen", "degreesn":
		return chart.Latitudes
	case "degrees_east", "degree_east", "degrees_e", "degree_e", "degreee", "degreese":
		return chart.Longitudes
	}

	switch name := strings.ToLower(x.Name); {
	case x.IsTime(ctx):
		return chart.Times
	case name == "lat" || name == "latitude":
		return chart.Latitudes
	case name == "lon" || name == "longitude":
		return chart.Longitudes
	}
	return chart.Numbers
}

// probe reads the coordinates.
func (r *ruler) probe(ctx context.Context) error {
	if r.n <= mostProbed {
		values, err := r.axis.Floats(ctx, 0, r.n)
		if err != nil {
			return err
		}
		for i := range values {
			r.at = append(r.at, float64(i))
		}
		r.values = values
	} else {
		const probes = 256
		for i := range int64(probes) {
			at := int64(float64(r.n-1) * float64(i) / (probes - 1))
			v, err := r.axis.Floats(ctx, at, at+1)
			if err != nil {
				return err
			}
			r.at = append(r.at, float64(at))
			r.values = append(r.values, v...)
		}
	}

	r.judge()
	return nil
}

// judge finds out whether the coordinates are regular, and forgets those without an order.
func (r *ruler) judge() {
	last := len(r.values) - 1
	slope := (r.values[last] - r.values[0]) / max(1, r.at[last]-r.at[0])
	r.regular = true

	for i, v := range r.values {
		if v != v || math.IsInf(v, 0) || i > 0 && (v-r.values[i-1])*slope <= 0 {
			r.values = nil
			return
		}

		if math.Abs(r.values[0]+slope*(r.at[i]-r.at[0])-v) > 0.02*math.Abs(slope) {
			r.regular = false
		}
	}
}

// value returns the coordinate at an index between those of items, or half an item outside.
func (r *ruler) value(index float64) float64 {
	if r.values == nil {
		return float64(r.first) + index
	}

	if len(r.values) == 1 {
		return r.values[0] + index - r.at[0]
	}

	i, _ := slices.BinarySearch(r.at, index)
	i = min(max(i, 1), len(r.at)-1)
	w := (index - r.at[i-1]) / (r.at[i] - r.at[i-1])
	return r.values[i-1] + w*(r.values[i]-r.values[i-1])
}

// index returns the index of a coordinate, the inverse of value.
func (r *ruler) index(value float64) float64 {
	last := len(r.values) - 1
	if r.values == nil || last == 0 {
		return value - float64(r.first)
	}

	sign := 1.0
	if r.values[last] < r.values[0] {
		sign = -1
	}

	i, _ := slices.BinarySearchFunc(r.values, value, func(v, want float64) int {
		switch d := sign * (v - want); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})

	i = min(max(i, 1), last)
	w := (value - r.values[i-1]) / (r.values[i] - r.values[i-1])
	return r.at[i-1] + w*(r.at[i]-r.at[i-1])
}

// falls reports whether coordinates fall with the index.
func (r *ruler) falls() bool {
	return r.values != nil && r.values[len(r.values)-1] < r.values[0]
}

// edges returns the axis along all cells, from the outer edge of the first item to that of the
// last one. If the coordinates are not regular, the axis counts items, and ticks are where
// coordinates are round.
func (r *ruler) edges() chart.Axis {
	low := -0.5
	high := float64(r.n) - 0.5

	if r.values == nil || r.regular {
		return chart.Axis{Label: r.label, Kind: r.kind, Whole: r.values == nil, Low: r.value(low), High: r.value(high)}
	}

	a := chart.Axis{Label: r.label, Low: low, High: high}
	round := chart.Axis{Kind: r.kind, Low: r.values[0], High: r.values[len(r.values)-1]}
	// The ticks are at round values, which lie at irregular places, so some would be too near.
	const many, apart = 40, 0.06
	last := math.Inf(-1)
	ticks := round.Marks(many)

	slices.SortFunc(ticks, func(x, y chart.Tick) int {
		if r.index(x.At) < r.index(y.At) {
			return -1
		}
		return 1
	})

	for _, t := range ticks {
		if at := r.index(t.At); at-last >= apart*float64(r.n) {
			a.Ticks = append(a.Ticks, chart.Tick{At: at, Label: t.Label})
			last = at
		}
	}
	return a
}
