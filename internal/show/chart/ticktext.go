package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// minus replaces the hyphen in front of negative numbers.
const minus = "−"

// numberText writes a number with as many decimals as its step needs.
func numberText(v, step float64) string {
	size := max(math.Abs(v), math.Abs(step))
	var text string

	switch {
	case v == 0:
		return "0"
	case math.IsNaN(v) || math.IsInf(v, 0):
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case size >= 1e6 || size < 1e-4:
		text = strconv.FormatFloat(v, 'e', digitsOf(v, step), 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		exponent = strings.TrimLeft(strings.Replace(exponent, "+", "", 1), "0")
		text = mantissa + "e" + strings.Replace(exponent, "-0", "-", 1)
	case step == 0:
		text = strconv.FormatFloat(v, 'g', 6, 64)
	default:
		text = strconv.FormatFloat(v, 'f', max(0, int(math.Ceil(-math.Log10(math.Abs(step))-1e-9))), 64)
	}

	return strings.ReplaceAll(text, "-", minus)
}

// digitsOf returns how many digits behind the first one tell multiples of a step apart.
func digitsOf(v, step float64) int {
	if step == 0 {
		return 4
	}
	return int(min(15, max(0, math.Floor(math.Log10(math.Abs(v))+1e-9)-math.Floor(math.Log10(math.Abs(step))+1e-9))))
}

// Number writes a number for people: integers of up to six digits, and four digits of others.
func Number(v float64) string {
	if v == 0 || math.IsNaN(v) || math.Abs(v) < 1e6 && v == math.Trunc(v) {
		return numberText(v, 1)
	}

	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		rounded = v // an infinity
	}

	step := math.Pow(10, max(-307, math.Floor(math.Log10(math.Abs(v)))-3))
	text := numberText(rounded, step)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// degreeText writes an angle with its direction.
func degreeText(kind Kind, v, step float64) string {
	directions := "SN"
	if kind == Longitudes {
		directions = "WE"
		v = math.Mod(v, 360)
		if v > 180 {
			v -= 360
		} else if v < -180 {
			v += 360
		}
	}

	text := strings.TrimPrefix(numberText(math.Abs(v), step), minus) + "°"
	switch {
	case v == 0 || kind == Longitudes && math.Abs(v) == 180:
		return text
	case v < 0:
		return text + directions[:1]
	}
	return text + directions[1:]
}

// The steps of times: days and shorter ones in seconds, longer ones in months.
const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	month  = 30.44 * day
)

// farthest bounds the times that are written as dates: the years 1 to 9999.
const (
	earliest = -62135596800
	latest   = 253402300799
)

// timeTicks returns round times.
func timeTicks(low, high float64, most int) (ticks []Tick) {
	if low < earliest || high > latest {
		return numberTicks(low, high, 0, most)
	}

	span := (high - low) / float64(most)
	for _, months := range []float64{1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000} {
		if span > 15*day && months*month >= span {
			return monthTicks(low, high, int(months))
		}
	}

	for _, step := range []float64{
		1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
		hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 5 * day, 10 * day, 15 * day,
	} {
		if span > 0.5 && step >= span && step > day {
			return dayTicks(low, high, int(step/day))
		}
		if span > 0.5 && step >= span {
			for _, v := range multiples(step, low, high) {
				ticks = append(ticks, Tick{v, TimeText(v, step)})
			}
			return ticks
		}
	}

	step := roundStep(span) // parts of a second
	for _, v := range multiples(step, low, high) {
		ticks = append(ticks, Tick{v, TimeText(v, step)})
	}
	return ticks
}

// dayTicks returns every so many days of each month, from the first on. The last ones of a month
// are left out where the next month is too near.
func dayTicks(low, high float64, days int) (ticks []Tick) {
	const most = 1000
	at := timeAt(low)
	at = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)

	for len(ticks) < most {
		v := float64(at.Unix())
		if v > high {
			break
		}

		if v >= low {
			ticks = append(ticks, Tick{v, at.Format(time.DateOnly)})
		}

		next := at.AddDate(0, 0, days)
		first := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		if !next.AddDate(0, 0, days/2).Before(first) {
			next = first
		}
		at = next
	}
	return ticks
}

// monthTicks returns the first days of every so many months.
func monthTicks(low, high float64, months int) (ticks []Tick) {
	layout := "2006-01"
	if months%12 == 0 {
		layout = "2006"
	}

	first := timeAt(low)
	count := first.Year()*12 + int(first.Month()) - 1
	for at := count / months * months; ; at += months {
		t := time.Date(at/12, time.Month(at%12+1), 1, 0, 0, 0, 0, time.UTC)
		v := float64(t.Unix())

		if v > high {
			return ticks
		}
		if v >= low {
			ticks = append(ticks, Tick{v, t.Format(layout)})
		}
	}
}

func timeAt(seconds float64) time.Time {
	whole := math.Floor(seconds)
	return time.Unix(int64(whole), int64((seconds-whole)*1e9)).UTC()
}

// TimeText writes a time, in seconds since 1970, as exactly as its step of so many seconds needs.
func TimeText(seconds, step float64) string {
	if !(seconds >= earliest && seconds <= latest) {
		return Number(seconds)
	}

	t := timeAt(seconds)
	switch {
	case step >= 365*day:
		return t.Format("2006")
	case step >= 28*day:
		return t.Format("2006-01")
	case step >= day:
		return t.Format("2006-01-02")
	case step >= minute:
		return t.Format("01-02 15:04")
	case step >= 1:
		return t.Format("15:04:05")
	}
	return t.Format("15:04:05.000")
}
