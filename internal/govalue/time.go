package govalue

import (
	"fmt"
	"math"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// NotATime is NumPy's NaT, "not a time". As a [time.Time] it is the zero value, as a duration the
// same number.
const NotATime = math.MinInt64

// maxSeconds bounds the times that are converted to a billion years around 1970, so that
// computations of package time do not overflow.
const maxSeconds = 1 << 55

// A timeScale describes the unit of a datetime: a number of months, of seconds, or of parts of a
// second. The others are 0.
type timeScale struct {
	count   int64
	months  int64 // per unit
	seconds int64 // per unit
	parts   int64 // units per second
}

// scales are the scales of NumPy's units.
var scales = map[string]timeScale{
	"Y": {months: 12}, "M": {months: 1}, "W": {seconds: 7 * 24 * 3600}, "D": {seconds: 24 * 3600},
	"h": {seconds: 3600}, "m": {seconds: 60}, "s": {parts: 1}, "ms": {parts: 1e3}, "us": {parts: 1e6},
	"ns": {parts: 1e9}, "ps": {parts: 1e12}, "fs": {parts: 1e15}, "as": {parts: 1e18},
}

// scaleOf returns the scale of a datetime or timedelta; generic ones have none.
func scaleOf(d meta.DType) (s timeScale, ok bool) {
	unit, count := d.Unit()
	s, ok = scales[unit]
	s.count = int64(count)
	return s, ok && count > 0
}

func (s *timeScale) readTime(t *time.Time, n int64) error {
	if n == NotATime {
		*t = time.Time{}
		return nil
	}

	if s.months > 0 {
		months, ok := multiplied(n, s.count*s.months)
		if most := int64(maxSeconds / (31 * 24 * 3600)); !ok || months > most || months < -most {
			return outOfRange(n, "a time")
		}
		year, month := floorDiv(months, 12)
		*t = time.Date(1970+int(year), time.Month(1+month), 1, 0, 0, 0, 0, time.UTC)
		return nil
	}

	seconds, nanos, err := s.split(n)
	if err == nil && (seconds > maxSeconds || seconds < -maxSeconds) {
		err = outOfRange(n, "a time")
	}
	if err != nil {
		return err
	}

	*t = time.Unix(seconds, nanos).UTC()
	return nil
}

// split returns n units of less than a month as seconds and nonnegative nanoseconds.
func (s *timeScale) split(n int64) (seconds, nanos int64, err error) {
	steps, ok := multiplied(n, s.count)
	if s.seconds > 0 && ok {
		seconds, ok = multiplied(steps, s.seconds)
	}
	if !ok {
		return 0, 0, outOfRange(n, "a time")
	}

	if s.seconds > 0 {
		return seconds, 0, nil
	}

	seconds, rest := floorDiv(steps, s.parts)
	if s.parts <= 1e9 {
		return seconds, rest * (1e9 / s.parts), nil
	}
	nano := s.parts / 1e9
	if rest%nano != 0 {
		return 0, 0, fmt.Errorf("datetime %d is no whole number of nanoseconds: %w", n, cairn.ErrBounds)
	}
	return seconds, rest / nano, nil
}

func (s *timeScale) readDuration(d *time.Duration, n int64) error {
	if n == NotATime {
		*d = NotATime
		return nil
	}

	seconds, nanos, err := s.split(n)
	if err != nil {
		return err
	}

	all, ok := inParts(seconds, nanos, 1e9)
	if !ok || all == NotATime {
		return outOfRange(n, "a duration")
	}
	*d = time.Duration(all)
	return nil
}

// ofTime is the inverse of readTime. A time between two units becomes the earlier one, as NumPy
// does when it casts to a coarser unit.
func (s *timeScale) ofTime(t time.Time) (int64, error) {
	if t.IsZero() {
		return NotATime, nil
	}
	if s.months == 0 {
		return s.join(t.Unix(), int64(t.Nanosecond()), t)
	}

	year, month, _ := t.UTC().Date()
	n, _ := floorDiv((int64(year)-1970)*12+int64(month)-1, s.count*s.months)
	return n, nil
}

// join is the inverse of split, rounding down; value is for errors.
func (s *timeScale) join(seconds, nanos int64, value any) (int64, error) {
	var steps int64
	ok := true

	switch {
	case s.seconds > 0:
		steps, _ = floorDiv(seconds, s.seconds)
	case s.parts <= 1e9:
		steps, ok = inParts(seconds, nanos/(1e9/s.parts), s.parts)
	default:
		steps, ok = inParts(seconds, nanos*(s.parts/1e9), s.parts)
	}

	if !ok || steps == NotATime {
		return 0, fmt.Errorf("%v is beyond what the dtype can hold: %w", value, cairn.ErrBounds)
	}
	n, _ := floorDiv(steps, s.count)
	return n, nil
}

// ofDuration is the inverse of readDuration.
func (s *timeScale) ofDuration(d time.Duration) (int64, error) {
	if d == NotATime {
		return NotATime, nil
	}
	seconds, nanos := floorDiv(int64(d), 1e9)
	return s.join(seconds, nanos, d)
}

// inParts returns seconds × parts + rest, with rest in [0, parts), if that fits into 64 bits.
func inParts(seconds, rest, parts int64) (int64, bool) {
	if seconds < 0 && rest > 0 {
		// so that the product is not farther from 0 than the sum
		seconds, rest = seconds+1, rest-parts
	}
	n, ok := multiplied(seconds, parts)
	sum := n + rest
	return sum, ok && (rest >= 0) == (sum >= n)
}

// multiplied returns a × b if that fits into 64 bits; b must be positive.
func multiplied(a, b int64) (int64, bool) {
	if a > math.MaxInt64/b || a < math.MinInt64/b {
		return 0, false
	}
	return a * b, true
}

// floorDiv returns a / b, rounded down, and the remainder in [0, b).
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient = a / b
	rest = a % b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

func outOfRange(n int64, what string) error {
	return fmt.Errorf("datetime %d is beyond what %s can hold: %w", n, what, cairn.ErrBounds)
}
