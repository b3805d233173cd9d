// Package groups divides the coordinates of an axis into groups: months, seasons, hours of the day,
// intervals, equal values, or so many successive ones. It also makes the coordinates of the groups.
package groups

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/suggest"
)

// A Key says by what coordinates are divided.
type Key struct {
	Name  string // of an array of coordinates, or of a dimension; "" for times
	Label Label  // where the coordinates of periods are; Start if it is ""

	text  string
	runs  *runs     // successive times
	part  *part     // times of all years or days
	edges []float64 // of intervals
	count int64     // successive indexes
}

// String returns the text of the key.
func (k Key) String() string { return k.text }

// runs are periods of time that follow each other: of a number of months or, if that is 0, of
// seconds.
type runs struct {
	months, shift int64 // shift is how many months after January of year 0 some period starts
	seconds       int64
}

const (
	hour = 3600 // seconds
	day  = 24 * hour
)

// periods are the runs that have names.
var periods = map[string]runs{
	"year":   {months: 12},
	"season": {months: 3, shift: 2}, // from December on
	"month":  {months: 1},
	"day":    {seconds: day},
	"hour":   {seconds: hour},
}

// Keys returns the texts of the keys that have a name.
func Keys() []string {
	return []string{"year", "season", "month", "day", "hour", "season-of-year", "month-of-year", "day-of-year",
		"hour-of-day", "weekday"}
}

// Parse parses a key: one of Keys, the name of an array of coordinates, or intervals of these, such
// as "bins(lat, -90, 0, 90)" or "bins(depth, 0:1000:100)".
func Parse(text string) (Key, error) {
	text = strings.TrimSpace(text)
	k := Key{text: text}
	if p, ok := periods[text]; ok {
		k.runs = &p
		return k, nil
	}
	if p, ok := parts[text]; ok {
		k.part = &p
		return k, nil
	}
	if list, ok := strings.CutPrefix(text, "bins("); ok {
		return k.bins(list)
	}

	if text == "" || strings.ContainsAny(text, " (),:=") {
		return k, fmt.Errorf("%q: groups are %s, the name of coordinates, or bins(NAME, FROM, …, TO): %w", text,
			strings.Join(Keys(), ", "), cairn.ErrInvalid)
	}
	k.Name = text
	return k, nil
}

// Meant returns a question that proposes a key instead of a name that no array has.
func Meant(name string) string {
	other := map[string]string{"dayofyear": "day-of-year", "doy": "day-of-year", "monthly": "month", "yearly": "year",
		"annual": "year", "daily": "day", "hourly": "hour", "dayofweek": "weekday", "seasonal": "season"}[name]
	if other != "" {
		return "; did you mean " + other + "?"
	}
	return suggest.Question(name, Keys())
}

// bins takes the name and the edges of intervals.
func (k Key) bins(list string) (Key, error) {
	list, closed := strings.CutSuffix(list, ")")
	terms := strings.Split(list, ",")
	k.Name = strings.TrimSpace(terms[0])
	for _, term := range terms[1:] {
		edges, err := edgesOf(strings.TrimSpace(term))
		if err != nil {
			return k, fmt.Errorf("%q: %w", k.text, err)
		}
		if k.edges = append(k.edges, edges...); len(k.edges) > maxEdges {
			return k, fmt.Errorf("%q has more than %d edges: %w", k.text, maxEdges, cairn.ErrLimit)
		}
	}

	rising := true
	for i := 1; i < len(k.edges); i++ {
		rising = rising && k.edges[i-1] < k.edges[i]
	}
	if !closed || k.Name == "" || len(k.edges) < 2 || !rising {
		return k, fmt.Errorf("%q: intervals have at least two edges that rise, as in bins(lat, -90, 0, 90) or "+
			"bins(depth, 0:1000:100): %w", k.text, cairn.ErrInvalid)
	}
	return k, nil
}

// maxEdges is the maximum number of edges of intervals.
const maxEdges = 1 << 20

// edgesOf returns the edges of a term: a number, or FROM:TO:STEP.
func edgesOf(term string) (edges []float64, err error) {
	var numbers []float64
	for part := range strings.SplitSeq(term, ":") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%q is no number: %w", part, cairn.ErrInvalid)
		}
		numbers = append(numbers, f)
	}
	if len(numbers) == 1 {
		return numbers, nil
	}
	if len(numbers) != 3 || !(numbers[2] > 0) {
		return nil, fmt.Errorf("%q: a range of edges is FROM:TO:STEP: %w", term, cairn.ErrInvalid)
	}

	steps := math.Floor((numbers[1]-numbers[0])/numbers[2] + 1e-9)
	if !(steps < maxEdges) {
		return nil, fmt.Errorf("%q has more than %d edges: %w", term, maxEdges, cairn.ErrLimit)
	}
	for i := 0.0; i <= steps; i++ {
		edges = append(edges, numbers[0]+i*numbers[2])
	}
	return edges, nil
}

// unitsOf are the units of steps along time.
var unitsOf = map[string]runs{
	"s": {seconds: 1}, "min": {seconds: 60}, "h": {seconds: hour}, "d": {seconds: day}, "w": {seconds: 7 * day},
	"mon": {months: 1}, "y": {months: 12},
}

// ParseEvery parses steps, such as "6h", "10d", "3mon" or "time=6h, lat=4": the time that a group
// takes, or the number of successive indexes.
func ParseEvery(text string) (keys []Key, err error) {
	for term := range strings.SplitSeq(text, ",") {
		term = strings.TrimSpace(term)
		name, step, named := strings.Cut(term, "=")
		if !named {
			name = ""
			step = term
		}

		digits := len(step) - len(strings.TrimLeft(step, "0123456789"))
		n, err := strconv.ParseInt(step[:digits], 10, 32)
		unit := step[digits:]
		r, ok := unitsOf[unit]
		if err != nil || n < 1 || !ok && (unit != "" || !named) {
			return nil, fmt.Errorf("%q: write a step of time such as 6h, 10d or 3mon (units are s, min, h, d, w, mon and y), "+
				"or a dimension and a number, such as lat=4: %w", term, cairn.ErrInvalid)
		}

		k := Key{text: "every " + term, Name: strings.TrimSpace(name), count: n}
		if ok {
			k.count = 0
			k.runs = &runs{months: r.months * n, seconds: r.seconds * n}
		}
		keys = append(keys, k)
	}
	return keys, nil
}
