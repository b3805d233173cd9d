package cftime

import (
	"math"
	"strconv"
	"strings"
)

// A Scale turns numbers into times: units since an epoch.
type Scale struct {
	Calendar Calendar
	// Shortest is the shortest text that numbers are written with.
	Shortest Precision

	epoch Time
	nanos int64 // in one unit, or
	month int64 // months in one unit
	parts int64 // units in a nanosecond, of which whole ones are kept; 1 unless they are shorter
	dates bool  // numbers are dates, such as 20000131.25, and nanos those of a day
}

var unitNanos = map[string]int64{
	"nanosecond": 1, "nanosec": 1, "ns": 1,
	"microsecond": 1e3, "microsec": 1e3, "us": 1e3,
	"millisecond": 1e6, "millisec": 1e6, "msec": 1e6, "ms": 1e6,
	"second": second, "sec": second, "s": second,
	"minute": 60 * second, "min": 60 * second,
	"hour": 3600 * second, "hr": 3600 * second, "h": 3600 * second,
	"day": secondsPerDay * second, "d": secondsPerDay * second,
	"week": 7 * secondsPerDay * second,
}

// ParseScale parses the attributes "units", such as "hours since 1900-01-01 00:00:0.0", and
// "calendar". Months and years have no fixed length and are not understood but in calendars where
// they have one: months of 30 days, and "common_years" of 365. The units "day as %Y%m%d.%f", which
// CDO writes, are of numbers that look like dates.
func ParseScale(units, calendar string) (Scale, bool) {
	words := strings.Fields(units)
	c, ok := ParseCalendar(calendar)
	if !ok || len(words) < 3 || len(units) > 200 {
		return Scale{}, false
	}

	s := Scale{Calendar: c, Shortest: Days, parts: 1}
	unit := strings.ToLower(words[0])
	if words[1] == "as" {
		s.dates = true
		s.nanos = unitNanos["day"]
		return s, unit == "day" && strings.Join(words[2:], " ") == "%Y%m%d.%f"
	}

	if s.nanos, ok = c.unit(unit); !ok || !strings.EqualFold(words[1], "since") {
		return Scale{}, false
	}
	s.epoch, ok = c.epoch(words[2:])
	return s, ok
}

// unit returns the nanoseconds in a unit.
func (c Calendar) unit(name string) (nanos int64, ok bool) {
	one := strings.TrimSuffix(name, "s")
	switch {
	case one == "month" && c == Days360:
		return 30 * unitNanos["day"], true
	case one == "common_year" && c == NoLeap:
		return 365 * unitNanos["day"], true
	}

	if nanos, ok = unitNanos[name]; !ok {
		nanos, ok = unitNanos[one]
	}
	return nanos, ok
}

// NumPyScale returns the scale of dates of NumPy, for count units such as "ns".
func NumPyScale(unit string, count int) (Scale, bool) {
	s := Scale{Calendar: Gregorian, Shortest: Days, parts: 1}
	many := int64(count)
	if many < 1 || many > math.MaxInt32 {
		return s, false
	}

	switch unit {
	case "Y":
		s.month = 12 * many
		s.Shortest = Years
	case "M":
		s.month = many
		s.Shortest = Months
	case "W", "D", "h", "m", "s", "ms", "us", "ns":
		of := map[string]string{"W": "week", "D": "day", "m": "min"}[unit]
		if of == "" {
			of = unit
		}
		s.nanos = unitNanos[of]
		if s.nanos > math.MaxInt64/many {
			return s, false
		}
		s.nanos *= many
	case "ps", "fs", "as":
		s.nanos = many
		s.parts = map[string]int64{"ps": 1e3, "fs": 1e6, "as": 1e9}[unit]
	default:
		return s, false
	}
	return s, true
}

// epoch parses the date in units, which is written in many ways: "1900-1-1", "1900-01-01
// 00:00:0.0", "1970-01-01T00:00:00Z", "2000-01-01 12:00 -6:00", "20000101", "20000101T0630".
func (c Calendar) epoch(words []string) (Time, bool) {
	text := strings.NewReplacer("T", " ", "Z", " Z", "UTC", " Z", "GMT", " Z").Replace(strings.Join(words, " "))
	fields := strings.Fields(text)
	if len(fields) < 1 || len(fields) > 3 {
		return Time{}, false
	}

	ymd, ok := dateOf(fields[0])
	if !ok {
		return Time{}, false
	}
	year, ok := c.astronomical(ymd[0])
	if !ok {
		return Time{}, false
	}
	n, ok := c.day(year, int(ymd[1]), int(ymd[2]))
	if !ok {
		return Time{}, false
	}

	clock := ""
	zone := ""
	for _, field := range fields[1:] {
		i := strings.LastIndexAny(field, "+-")
		switch {
		case zone != "":
			return Time{}, false
		case field == "Z" || i == 0 || clock != "":
			zone = field
		case i > 0:
			clock = field[:i]
			zone = field[i:]
		default:
			clock = field
		}
	}

	at, good := clockOf(clock)
	east, known := zoneOf(zone)
	t := timeOf(n*secondsPerDay+at.Seconds-east, at.Nanos)
	return t, good && known && max(t.Seconds, -t.Seconds) < Farthest
}

// dateOf parses year, month and day: "1900-1-1", "2000", "20000101".
func dateOf(text string) (ymd [3]int64, ok bool) {
	unsigned := strings.TrimLeft(text, "+-")
	if len(unsigned) == 8 && digits(unsigned) == 8 {
		unsigned = unsigned[:4] + "-" + unsigned[4:6] + "-" + unsigned[6:]
	}
	ymd, ok = numbers(unsigned, "-", 3)
	if strings.HasPrefix(text, "-") {
		ymd[0] = -ymd[0]
	}
	return ymd, ok
}

// clockOf parses a time of day: "12", "12:30", "0:0:0.0", "0630". An empty text is midnight.
func clockOf(text string) (t Time, ok bool) {
	if text == "" {
		return t, true
	}
	text, fraction, _ := strings.Cut(text, ".")
	switch n := digits(text); {
	case n == len(text) && n == 4:
		text = text[:2] + ":" + text[2:]
	case n == len(text) && n == 6:
		text = text[:2] + ":" + text[2:4] + ":" + text[4:]
	}

	hms, ok := numbers(text, ":", 3)
	if !ok || digits(fraction) != len(fraction) || hms[0] > 24 || hms[1] > 59 || hms[2] > 60 {
		return t, false
	}

	t.Seconds = hms[0]*3600 + hms[1]*60 + hms[2]
	t.Nanos, _ = strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	return t, true
}

// zoneOf parses the offset from UTC, east being positive: "Z", "+01:00", "-6:00", "+0530".
func zoneOf(text string) (seconds int64, ok bool) {
	if text == "" || text == "Z" {
		return 0, true
	}
	sign := int64(1)
	if text[0] == '-' {
		sign = -1
	}

	rest := strings.TrimLeft(text, "+-")
	if len(rest) == 4 && digits(rest) == 4 {
		rest = rest[:2] + ":" + rest[2:]
	}

	hm, ok := numbers(rest, ":", 2)
	return sign * (hm[0]*3600 + hm[1]*60), ok && hm[0] < 24 && hm[1] < 60
}

// numbers parses up to n numbers without sign between separators. Missing ones are 1 in dates and 0
// in times.
func numbers(text, separator string, n int) (list [3]int64, ok bool) {
	if separator == "-" {
		list = [3]int64{1, 1, 1}
	}

	parts := strings.Split(text, separator)
	if len(parts) > n {
		return list, false
	}
	for i, part := range parts {
		if part == "" || len(part) > 9 || digits(part) != len(part) {
			return list, false
		}
		list[i], _ = strconv.ParseInt(part, 10, 64)
	}
	return list, true
}

// Usual returns the precision that times on the scale usually need: that of its unit.
func (s Scale) Usual() Precision {
	switch {
	case s.month > 0 || s.nanos >= secondsPerDay*second:
		return s.Shortest
	case s.nanos >= 60*second:
		return Minutes
	}
	return Seconds
}

// Int returns the time that a whole number stands for; none if it is too far away.
func (s Scale) Int(n int64) (Time, bool) {
	switch {
	case s.month > 0:
		return s.months(n)
	case s.dates:
		return s.date(n)
	}

	if n == math.MinInt64 { // NaT
		return Time{}, false
	}

	n = floorDiv(n, s.parts)
	if s.nanos%second == 0 {
		unit := s.nanos / second
		if max(n, -n) > Farthest/unit {
			return Time{}, false
		}
		return within(Time{s.epoch.Seconds + n*unit, s.epoch.Nanos})
	}

	// n·nanos may be beyond 64 bits; units of a second are not.
	whole := floorDiv(n, second)
	rest := floorMod(n, second)
	if max(whole, -whole) > Farthest/s.nanos || rest > math.MaxInt64/2/s.nanos {
		return Time{}, false
	}
	return within(timeOf(s.epoch.Seconds+whole*s.nanos, s.epoch.Nanos+rest*s.nanos))
}

func within(t Time) (Time, bool) { return t, max(t.Seconds, -t.Seconds) <= Farthest }

// months returns the time that a number of months stands for.
func (s Scale) months(n int64) (Time, bool) {
	if max(n, -n) > 1e9/s.month || n == math.MinInt64 {
		return Time{}, false
	}
	n *= s.month
	day, _ := s.Calendar.day(1970+floorDiv(n, 12), int(floorMod(n, 12))+1, 1)
	return within(Time{Seconds: day * secondsPerDay})
}

// date returns the time that a number such as 20000131 stands for.
func (s Scale) date(n int64) (Time, bool) {
	if n < 0 || n > 1e9*1e4 {
		return Time{}, false
	}

	year, ok := s.Calendar.astronomical(n / 10000)
	if !ok {
		return Time{}, false
	}
	day, ok := s.Calendar.day(year, int(n/100%100), int(n%100))
	if !ok {
		return Time{}, false
	}
	return within(Time{Seconds: day * secondsPerDay})
}

// Float returns the time that a number of the given precision in bits (24 or 53) stands for, or
// none. It is rounded to what neighbouring numbers tell apart, but at most to a second, so that
// thirds of days are the hours that they were made of.
func (s Scale) Float(v float64, bits int) (Time, bool) {
	if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
		return s.Int(int64(v))
	}
	if s.month > 0 || !(math.Abs(v) < Farthest) {
		return Time{}, false
	}

	whole := math.Floor(v)
	t, ok := s.Int(int64(whole))
	_, exponent := math.Frexp(v)
	step := math.Ldexp(float64(s.nanos), exponent-bits) // nanoseconds between numbers
	quantum := int64(1)
	for float64(quantum) < 2*step && quantum < second {
		quantum *= 10
	}

	nanos := math.Round((v-whole)*float64(s.nanos)/float64(quantum)) * float64(quantum)
	return timeOf(t.Seconds, t.Nanos+int64(nanos)), ok
}
