package groups

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/cf/coords"
)

// A part is what times of all years or days have in common.
type part struct {
	name  string // of the dimension of groups
	of    func(d cftime.Date) int
	weeks bool // there must be some
	names []string
}

// parts are the keys for them. Their names are those of xarray.
var parts = map[string]part{
	"season-of-year": {name: "season", of: func(d cftime.Date) int { return d.Month % 12 / 3 },
		names: []string{"DJF", "MAM", "JJA", "SON"}},
	"month-of-year": {name: "month", of: func(d cftime.Date) int { return d.Month }},
	"day-of-year":   {name: "dayofyear", of: func(d cftime.Date) int { return d.YearDay }},
	"hour-of-day":   {name: "hour", of: func(d cftime.Date) int { return d.Hour }},
	"weekday":       {name: "weekday", of: func(d cftime.Date) int { return d.Weekday }, weeks: true},
}

// timesOf returns the times of an axis.
func (k Key) timesOf(ctx context.Context, x *coords.Axis) ([]cftime.Time, cftime.Scale, error) {
	times, scale, err := x.Times(ctx)
	if err != nil {
		return nil, scale, fmt.Errorf("groups by %s: %w", k, err)
	}
	if len(times) == 0 {
		return nil, scale, fmt.Errorf("groups by %s: there are no times: %w", k, cairn.ErrBounds)
	}
	return times, scale, nil
}

// numbered returns groups for keys of the indexes, in the order of the keys.
func numbered[K cmp.Ordered](keys []K) (of []int, all []K) {
	all = slices.Compact(slices.Sorted(slices.Values(keys)))
	of = make([]int, len(keys))
	for i, key := range keys {
		of[i], _ = slices.BinarySearch(all, key)
	}
	return of, all
}

// partsOf divides times by what they have in common.
func (k Key) partsOf(ctx context.Context, x *coords.Axis) (*Division, error) {
	times, scale, err := k.timesOf(ctx, x)
	if err != nil {
		return nil, err
	}
	if k.part.weeks && !scale.Calendar.HasWeeks() {
		return nil, fmt.Errorf("groups by %s: the calendar has no weeks: %w", k, cairn.ErrUnsupported)
	}

	keys := make([]int, len(times))
	for i, t := range times {
		keys[i] = k.part.of(scale.Calendar.Date(t))
	}
	of, all := numbered(keys)
	d := &Division{Of: of, Count: len(all), Name: k.part.name}
	if k.part.names == nil {
		d.Coordinates, err = integers(d.Name, all)
		return d, err
	}

	var names []string
	for _, n := range all {
		names = append(names, k.part.names[n])
	}
	d.Coordinates, err = texts(d.Name, names)
	return d, err
}

// runsOf divides times into periods that follow each other.
func (k Key) runsOf(ctx context.Context, x *coords.Axis) (*Division, error) {
	times, scale, err := k.timesOf(ctx, x)
	if err != nil {
		return nil, err
	}

	r := *k.runs
	origin := slices.MinFunc(times, func(a, b cftime.Time) int { return cmp.Compare(a.Seconds, b.Seconds) })
	origin.Nanos = 0
	origin.Seconds -= floorMod(origin.Seconds, day)
	if _, named := periods[k.text]; !named && r.months > 0 {
		d := scale.Calendar.Date(origin)
		r.shift = floorMod(12*d.Year+int64(d.Month)-1, r.months)
	}

	keys := make([]int64, len(times))
	for i, t := range times {
		keys[i] = r.number(scale.Calendar, origin, t)
	}
	of, all := numbered(keys)
	var starts, ends []cftime.Time
	for _, n := range all {
		starts = append(starts, r.start(scale.Calendar, origin, n))
		ends = append(ends, r.start(scale.Calendar, origin, n+1))
	}

	d := &Division{Of: of, Count: len(all), Name: x.Name}
	return d, d.periods(ctx, x, scale, k.Label, starts, ends)
}

// number returns the number of the period of a time.
func (r *runs) number(c cftime.Calendar, origin, t cftime.Time) int64 {
	if r.months > 0 {
		d := c.Date(t)
		return floorDiv(12*d.Year+int64(d.Month)-1-r.shift, r.months)
	}
	return floorDiv(t.Seconds-origin.Seconds, r.seconds)
}

// start returns when a period begins.
func (r *runs) start(c cftime.Calendar, origin cftime.Time, number int64) cftime.Time {
	if r.months > 0 {
		return c.MonthStart(0, r.months*number+r.shift+1)
	}
	return cftime.Time{Seconds: origin.Seconds + number*r.seconds}
}

func floorDiv(a, b int64) int64 { return (a - floorMod(a, b)) / b }

func floorMod(a, b int64) int64 { return (a%b + b) % b }
