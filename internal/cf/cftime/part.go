package cftime

import (
	"fmt"
	"maps"
	"slices"
)

// A Part is a number that dates have, such as the month.
type Part struct {
	Names []string // of the numbers 0, 1, … or nil
	of    func(c Calendar, d Date, t Time) int64
	weeks bool
}

// parts are the parts that have names, which are those of pandas and xarray.
var parts = map[string]Part{
	"year":        {of: func(c Calendar, d Date, _ Time) int64 { return c.written(d.Year) }},
	"month":       {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.Month) }},
	"day":         {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.Day) }},
	"hour":        {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.Hour) }},
	"minute":      {of: func(_ Calendar, _ Date, t Time) int64 { return floorMod(t.Seconds, 3600) / 60 }},
	"second":      {of: func(_ Calendar, _ Date, t Time) int64 { return floorMod(t.Seconds, 60) }},
	"microsecond": {of: func(_ Calendar, _ Date, t Time) int64 { return t.Nanos / 1000 }},
	"dayofyear":   {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.YearDay) }},
	"weekday":     {of: weekday, weeks: true},
	"dayofweek":   {of: weekday, weeks: true},
	"quarter":     {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.Month+2) / 3 }},
	"season": {of: func(_ Calendar, d Date, _ Time) int64 { return int64(d.Month % 12 / 3) },
		Names: []string{"DJF", "MAM", "JJA", "SON"}},
	"days_in_month": {of: daysInMonth},
	"daysinmonth":   {of: daysInMonth},
	"days_in_year":  {of: daysInYear},
}

func weekday(_ Calendar, d Date, _ Time) int64 { return int64(d.Weekday) }

func daysInMonth(c Calendar, d Date, _ Time) int64 {
	days := c.daysIn(d.Year, d.Month)
	if c == Standard && d.Year == 1582 && d.Month == 10 {
		days -= 10
	}
	return int64(days)
}

func daysInYear(c Calendar, d Date, _ Time) int64 {
	first, _ := c.day(d.Year, 1, 1)
	next, _ := c.day(d.Year+1, 1, 1)
	return next - first
}

// PartNamed returns the part with a name.
func PartNamed(name string) (Part, bool) {
	p, ok := parts[name]
	return p, ok
}

// PartNames returns the names of all parts, sorted.
func PartNames() []string { return slices.Sorted(maps.Keys(parts)) }

// In returns a function that takes the part of a time. It fails if the calendar has no such part.
func (p Part) In(c Calendar) (func(t Time) int64, error) {
	if p.weeks && !c.HasWeeks() {
		return nil, fmt.Errorf("the calendar has no weeks")
	}
	return func(t Time) int64 { return p.of(c, c.Date(t), t) }, nil
}
