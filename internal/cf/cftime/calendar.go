// Package cftime computes with times as files of climate data have them: a number of units since a
// date, in one of the calendars of the CF conventions. It also knows the units of NumPy's dates.
package cftime

import (
	"strings"
	"time"
)

// A Calendar says how days make up months and years.
type Calendar uint8

// The calendars of the CF conventions. As in the library cftime of Python, texts in the calendars
// Standard and Julian know no year 0, and the others do. Numbers of years are astronomical within
// this package: there is a year 0 in all calendars.
const (
	Gregorian Calendar = iota // for all times: "proleptic_gregorian"
	Standard                  // Julian before 1582-10-15
	Julian
	NoLeap  // 365 days in all years
	AllLeap // 366 days in all years
	Days360 // twelve months of 30 days
)

var calendarNames = map[string]Calendar{
	"": Standard, "standard": Standard, "gregorian": Standard, "proleptic_gregorian": Gregorian,
	"tai": Gregorian, "julian": Julian, "noleap": NoLeap, "365_day": NoLeap, "all_leap": AllLeap, "366_day": AllLeap,
	"360_day": Days360,
}

// ParseCalendar returns the calendar that the attribute "calendar" names; Standard if it is empty.
func ParseCalendar(name string) (Calendar, bool) {
	c, ok := calendarNames[strings.ToLower(strings.TrimSpace(name))]
	return c, ok
}

// hasZero reports whether texts know a year 0. Otherwise the year -1 is before the year 1.
func (c Calendar) hasZero() bool { return c != Standard && c != Julian }

// astronomical returns the astronomical number of a year in a text. It reports false for a year 0
// that the calendar lacks.
func (c Calendar) astronomical(written int64) (year int64, ok bool) {
	if c.hasZero() || written > 0 {
		return written, true
	}
	return written + 1, written != 0
}

// written returns the number that a year has in a text.
func (c Calendar) written(year int64) int64 {
	if c.hasZero() || year > 0 {
		return year
	}
	return year - 1
}

const (
	secondsPerDay = 24 * 60 * 60
	// reform is the Gregorian day 1582-10-15, which follows the Julian day 1582-10-04.
	reform = -141427
	// julianEpoch is the ordinal of 1970-01-01, which is 1969-12-19 in the Julian calendar.
	julianEpoch = 719530
)

// monthDays are the days before each month of a year without a leap day.
var monthDays = [13]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// leap reports whether a year has a leap day.
func (c Calendar) leap(year int64) bool {
	switch c {
	case AllLeap:
		return true
	case Julian:
		return floorMod(year, 4) == 0
	case Gregorian, Standard:
		return floorMod(year, 4) == 0 && (floorMod(year, 100) != 0 || floorMod(year, 400) == 0)
	}
	return false
}

// daysIn returns the number of days of a month.
func (c Calendar) daysIn(year int64, month int) int {
	switch {
	case c == Days360:
		return 30
	case month == 2 && (c.leap(year) || c == Standard && year <= 1582 && Julian.leap(year)):
		return 29
	}
	return int(monthDays[month] - monthDays[month-1])
}

// ordinal returns the days from the start of year 0 to a date, in calendars with simple years.
func (c Calendar) ordinal(year int64, month, day int) int64 {
	if c == Days360 {
		return 360*year + int64(30*(month-1)+day-1)
	}
	n := monthDays[month-1] + int64(day-1)
	if month > 2 && c.leap(year) {
		n++
	}
	return c.yearStart(year) + n
}

// yearStart returns the days from the start of year 0 to the start of a year.
func (c Calendar) yearStart(year int64) int64 {
	switch c {
	case Julian:
		return 365*year + floorDiv(year+3, 4)
	case AllLeap:
		return 366 * year
	case Days360:
		return 360 * year
	}
	return 365 * year
}

// day returns the number of a date, in days since 1970-01-01. There is none for days that the
// calendar lacks.
func (c Calendar) day(year int64, month, day int) (int64, bool) {
	if month < 1 || month > 12 || day < 1 || day > c.daysIn(year, month) {
		return 0, false
	}
	switch c {
	case Gregorian:
		return gregorian(year, month, day), true
	case Standard:
		if n := gregorian(year, month, day); n >= reform && day <= Gregorian.daysIn(year, month) {
			return n, true
		}
		n, _ := Julian.day(year, month, day)
		return n, n < reform
	case Julian:
		return c.ordinal(year, month, day) - julianEpoch, true
	}
	return c.ordinal(year, month, day) - c.yearStart(1970), true
}

func gregorian(year int64, month, day int) int64 {
	return floorDiv(time.Date(int(year), time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix(), secondsPerDay)
}

// date returns the date with a number of days since 1970-01-01.
func (c Calendar) date(n int64) (year int64, month, day int) {
	switch {
	case c == Standard && n < reform:
		return Julian.date(n)
	case c == Gregorian || c == Standard:
		y, m, d := time.Unix(n*secondsPerDay, 0).UTC().Date()
		return int64(y), int(m), d
	case c == Julian:
		n += julianEpoch
		year = floorDiv(4*n, 1461)
	default:
		n += c.yearStart(1970)
		year = floorDiv(n, c.yearStart(1))
	}

	for c.yearStart(year) > n {
		year--
	}
	for c.yearStart(year+1) <= n {
		year++
	}

	rest := int(n - c.yearStart(year))
	for month = 1; rest >= c.daysIn(year, month); month++ {
		rest -= c.daysIn(year, month)
	}
	return year, month, rest + 1
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - b*floorDiv(a, b) }
