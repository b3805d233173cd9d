package item

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/meta"
)

// notATime is the number of NaT, NumPy's "not a time".
const notATime = math.MinInt64

// A timeUnit describes a unit of NumPy's dates and durations.
type timeUnit struct {
	word   string // in durations
	layout string // of dates, for package time
	months int64  // in one unit
	// or
	seconds int64 // in one unit
	// or
	digits int // after the decimal point of the seconds
}

var timeUnits = map[string]timeUnit{
	"Y":  {word: "years", layout: "2006", months: 12},
	"M":  {word: "months", layout: "2006-01", months: 1},
	"W":  {word: "weeks", layout: "2006-01-02", seconds: 7 * 24 * 3600},
	"D":  {word: "days", layout: "2006-01-02", seconds: 24 * 3600},
	"h":  {word: "hours", layout: "2006-01-02T15", seconds: 3600},
	"m":  {word: "minutes", layout: "2006-01-02T15:04", seconds: 60},
	"s":  {word: "seconds", layout: "2006-01-02T15:04:05", seconds: 1},
	"ms": {word: "milliseconds", layout: "2006-01-02T15:04:05", digits: 3},
	"us": {word: "microseconds", layout: "2006-01-02T15:04:05", digits: 6},
	"ns": {word: "nanoseconds", layout: "2006-01-02T15:04:05", digits: 9},
	"ps": {word: "picoseconds", layout: "2006-01-02T15:04:05", digits: 12},
	"fs": {word: "femtoseconds", layout: "2006-01-02T15:04:05", digits: 15},
	"as": {word: "attoseconds", layout: "2006-01-02T15:04:05", digits: 18},
}

// farthest bounds the dates that package time computes with: years of up to 9 digits.
const farthest = 1 << 54 // seconds

// stepsOf returns the number of steps, or a text if there is none.
func stepsOf(d meta.DType, n int64) (unit timeUnit, steps *big.Int, text string) {
	name, count := d.Unit()
	unit, ok := timeUnits[name]
	switch {
	case n == notATime:
		return unit, nil, "NaT"
	case !ok:
		return unit, nil, strconv.FormatInt(n, 10)
	}
	return unit, new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(count))), ""
}

// dateText writes a date as NumPy does. Dates without a unit, or too far away, are plain numbers.
func dateText(d meta.DType, n int64) string {
	unit, steps, text := stepsOf(d, n)
	if text != "" {
		return text
	}

	if unit.months > 0 {
		months := steps.Mul(steps, big.NewInt(unit.months))
		if !months.IsInt64() || months.CmpAbs(big.NewInt(farthest/(31*24*3600))) > 0 {
			return strconv.FormatInt(n, 10)
		}
		return time.Date(1970, 1+time.Month(months.Int64()), 1, 0, 0, 0, 0, time.UTC).Format(unit.layout)
	}

	seconds := steps
	part := new(big.Int)
	if unit.digits > 0 {
		second := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(unit.digits)), nil)
		seconds, part = steps.DivMod(steps, second, part) // rounded down: the part is not negative
	} else {
		seconds.Mul(steps, big.NewInt(unit.seconds))
	}

	if !seconds.IsInt64() || seconds.CmpAbs(big.NewInt(farthest)) > 0 {
		return strconv.FormatInt(n, 10)
	}

	text = time.Unix(seconds.Int64(), 0).UTC().Format(unit.layout)
	if unit.digits > 0 {
		text += fmt.Sprintf(".%0*s", unit.digits, part.String())
	}
	return text
}
