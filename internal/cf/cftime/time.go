package cftime

import (
	"cmp"
	"fmt"
	"strings"
)

// A Time is a point in time: whole seconds since 1970-01-01 in its calendar, rounded down, and
// what is left. Times of the calendars Gregorian, Standard and Julian are on one scale.
type Time struct{ Seconds, Nanos int64 }

// Farthest bounds the seconds of a Time, so that they are exact as float64.
const Farthest = 1 << 53

const second = 1_000_000_000 // nanoseconds

// timeOf returns the time that is some nanoseconds after some seconds.
func timeOf(seconds, nanos int64) Time {
	return Time{seconds + floorDiv(nanos, second), floorMod(nanos, second)}
}

// Compare orders times as cmp.Compare does.
func (t Time) Compare(u Time) int {
	return cmp.Or(cmp.Compare(t.Seconds, u.Seconds), cmp.Compare(t.Nanos, u.Nanos))
}

// before returns the time one nanosecond earlier.
func (t Time) before() Time { return timeOf(t.Seconds, t.Nanos-1) }

// A Precision says how much of times is written.
type Precision uint8

// Precisions, from the shortest text to the longest.
const (
	Years Precision = iota
	Months
	Days
	Minutes
	Seconds
	Millis
	Micros
	Nanos
)

// PrecisionOf returns the shortest precision from Days on that shows a time exactly.
func PrecisionOf(t Time) Precision {
	switch {
	case t.Nanos%1000 != 0:
		return Nanos
	case t.Nanos%1_000_000 != 0:
		return Micros
	case t.Nanos != 0:
		return Millis
	case t.Seconds%60 != 0:
		return Seconds
	case floorMod(t.Seconds, secondsPerDay) != 0:
		return Minutes
	}
	return Days
}

// Format writes a time as in ISO 8601. What the precision leaves out is cut off.
func (c Calendar) Format(t Time, p Precision) string {
	year, month, day := c.date(floorDiv(t.Seconds, secondsPerDay))
	year = c.written(year)

	var b strings.Builder
	if year < 0 {
		b.WriteByte('-')
		year = -year
	}

	fmt.Fprintf(&b, "%04d", year)
	if p >= Months {
		fmt.Fprintf(&b, "-%02d", month)
	}
	if p >= Days {
		fmt.Fprintf(&b, "-%02d", day)
	}

	clock := floorMod(t.Seconds, secondsPerDay)
	if p >= Minutes {
		fmt.Fprintf(&b, "T%02d:%02d", clock/3600, clock/60%60)
	}
	if p >= Seconds {
		fmt.Fprintf(&b, ":%02d", clock%60)
	}
	if p >= Millis {
		fmt.Fprint(&b, fmt.Sprintf(".%09d", t.Nanos)[:1+3*int(p-Millis+1)])
	}
	return b.String()
}
