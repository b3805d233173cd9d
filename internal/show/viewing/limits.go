package viewing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits are the ends of a scale. Without them, it shows all finite values.
type Limits struct{ low, high limit }

// A limit is a value, or a percentile of the values that are shown.
type limit struct {
	given, percent bool
	value          float64
}

// ParseLimits reads two limits, such as "0,1", "2%,98%" or "0,"; an empty one is left open.
func ParseLimits(text string) (l Limits, err error) {
	if text == "" {
		return l, nil
	}

	low, high, ok := strings.Cut(text, ",")
	if !ok {
		return l, fmt.Errorf("%q is not two limits, such as 0,1 or 2%%,98%%", text)
	}

	if l.low, err = parseLimit(low); err != nil {
		return l, err
	}
	if l.high, err = parseLimit(high); err != nil {
		return l, err
	}

	if l.low.given && l.high.given && l.low.percent == l.high.percent && l.low.value >= l.high.value {
		return l, fmt.Errorf("the lower limit %s is not below the upper one %s", low, high)
	}
	return l, nil
}

func parseLimit(text string) (l limit, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return l, nil
	}

	number, percent := strings.CutSuffix(text, "%")
	l = limit{given: true, percent: percent}
	if l.value, err = strconv.ParseFloat(number, 64); err != nil || math.IsNaN(l.value) || math.IsInf(l.value, 0) {
		return l, fmt.Errorf("the limit %q is neither a number nor a percentile", text)
	}

	if percent && (l.value < 0 || l.value > 100) {
		return l, fmt.Errorf("the percentile %q is not between 0%% and 100%%", text)
	}
	return l, nil
}

// of returns the limits for some values; those of a logarithmic scale are positive. If there are
// no values at all, they are 0 and 1.
func (l Limits) of(values []float64, log bool) (low, high float64) {
	low, high = finite(values, log)
	if low != low {
		low = 0
		high = 1
		if log {
			low = 1
			high = 10
		}
	}

	if l.low.percent || l.high.percent {
		var sorted []float64
		for _, v := range values {
			if v == v && !math.IsInf(v, 0) && (!log || v > 0) {
				sorted = append(sorted, v)
			}
		}
		slices.Sort(sorted)
		low, high = l.low.from(sorted, low), l.high.from(sorted, high)
	} else {
		low, high = l.low.from(nil, low), l.high.from(nil, high)
	}

	if log && low <= 0 {
		low = min(high/10, 1)
	}

	if !(low < high) { // a single value
		// Choose limits around the value.
		if log {
			return low / 2, low * 2
		}
		by := max(math.Abs(low)/1000, 0.5)
		if low != math.Trunc(low) {
			by = math.Abs(low) / 1000
		}
		return low - by, low + by
	}
	return low, high
}

// from returns the limit, or other if none is given.
func (l limit) from(sorted []float64, other float64) float64 {
	switch {
	case !l.given || l.percent && len(sorted) == 0:
		return other
	case !l.percent:
		return l.value
	}

	at := l.value / 100 * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// given reports whether a limit is.
func (l Limits) given() bool { return l.low.given || l.high.given }
