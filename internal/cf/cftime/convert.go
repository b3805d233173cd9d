package cftime

import "math"

// Number returns the number that stands for a time: whole units, and the rest as a part of one.
// The scale must be linear. It reports false if the number has more than 63 bits.
func (s Scale) Number(t Time) (whole int64, rest float64, ok bool) {
	seconds := t.Seconds - s.epoch.Seconds
	nanos := t.Nanos - s.epoch.Nanos
	if nanos < 0 {
		seconds--
		nanos += second
	}

	if s.nanos >= second {
		unit := s.nanos / second
		whole = floorDiv(seconds, unit)
		left := floorMod(seconds, unit)*second + nanos
		return whole, float64(left) / float64(s.nanos), s.nanos%second == 0
	}

	perSecond := second / s.nanos
	if max(seconds, -seconds) > math.MaxInt64/perSecond-1 {
		return 0, 0, false
	}
	return seconds*perSecond + nanos/s.nanos, float64(nanos%s.nanos) / float64(s.nanos), true
}

// Linear reports whether numbers are units of a fixed length since a date.
func (s Scale) Linear() bool { return s.month == 0 && !s.dates && s.parts == 1 && s.nanos > 0 }

// OneLine reports whether times of two calendars are on one scale, apart from what their dates are
// called before the reform of 1582-10-15.
func OneLine(a, b Calendar) bool { return a == b || civil(a) && civil(b) }

func civil(c Calendar) bool { return c == Gregorian || c == Standard }

// Reformed reports whether a time has the same date in all calendars that OneLine puts on one scale
// with another.
func Reformed(t Time) bool { return t.Seconds >= reform*secondsPerDay }

// commonUnits are those that a common scale may have, longest first.
var commonUnits = []struct {
	name  string
	nanos int64
}{
	{"days", secondsPerDay * second}, {"hours", 3600 * second}, {"minutes", 60 * second}, {"seconds", second},
	{"milliseconds", 1e6}, {"microseconds", 1e3}, {"nanoseconds", 1},
}

// Common returns a scale since the date of the first one, and its text of units, on which whole
// numbers of all scales are whole numbers too. It reports false if there is none.
func Common(scales ...Scale) (s Scale, text string, ok bool) {
	s = scales[0]
	unit := int64(0)
	for _, other := range scales {
		if !other.Linear() || !OneLine(s.Calendar, other.Calendar) {
			return s, "", false
		}
		unit = gcd(unit, other.nanos)

		for _, c := range commonUnits { // the longest that the dates are apart by
			apart := floorMod(other.epoch.Seconds-s.epoch.Seconds, max(1, c.nanos/second))*second +
				other.epoch.Nanos - s.epoch.Nanos
			if apart%c.nanos == 0 {
				unit = gcd(unit, c.nanos)
				break
			}
		}
	}

	for _, c := range commonUnits {
		if unit%c.nanos == 0 {
			s.nanos = c.nanos
			return s, c.name + " since " + s.Calendar.Format(s.epoch, max(Days, PrecisionOf(s.epoch))), true
		}
	}
	return s, "", false
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
