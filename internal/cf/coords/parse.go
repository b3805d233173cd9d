package coords

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	maxText = 64 << 10 // bytes of a selection
	maxList = 1000     // values in brackets
)

// A Selection is a part of an array, by index, or by names of dimensions.
type Selection struct {
	text      string
	selectors []ndarray.Selector // by index
	terms     []term             // by name
}

// String returns the text of the selection.
func (s Selection) String() string { return s.text }

// ByName reports whether the selection names dimensions.
func (s Selection) ByName() bool { return s.terms != nil }

// Only returns the selection without the terms of dimensions that keep refuses. One by position
// stays as it is.
func (s Selection) Only(keep func(name string) bool) Selection {
	if s.terms != nil {
		s.terms = slices.DeleteFunc(slices.Clone(s.terms), func(t term) bool { return !keep(t.name) })
	}
	return s
}

// A term selects along the dimension with a name.
type term struct {
	name string
	by   byte // '=' by value, '~' by the nearest value, '[' by index
	what string
	at   *ndarray.Selector // what has been found to be meant, or nil
}

// text returns the term as it was written.
func (t term) text() string {
	if t.by == '[' {
		return t.name + "[" + t.what + "]"
	}
	return t.name + string(t.by) + t.what
}

// Parse parses a selection: indexes in the form that [ndarray.Parse] reads, or terms with names of
// dimensions between commas,
//
//	time=2020-01-01:2020-02-01   values, with both ends; a date stands for all that it covers
//	lat=50: lat=:60 level=850    one end, one value
//	level=[850,500]              several values
//	lat~52.3                     the one nearest value
//	time[10:20] time[-1]         indexes
//	lat=50:60 lon=-10:10         of cells with places of their own the box with those inside
//	lat=52.3 lon=13.4            the one nearest cell
//
// A dimension without coordinates is selected by index after "=", too. An empty text selects
// everything.
func Parse(text string) (Selection, error) {
	s := Selection{text: text}
	if len(text) > maxText {
		return s, fmt.Errorf("a selection of %d bytes is too long, %d are allowed: %w",
			len(text), maxText, cairn.ErrLimit)
	}

	parts := split(text)
	for _, part := range parts {
		if t, ok := termOf(part); ok {
			s.terms = append(s.terms, t)
		}
	}

	switch {
	case s.terms == nil:
		var err error
		s.selectors, err = ndarray.Parse(text)
		return s, err
	case len(s.terms) < len(parts):
		return s, fmt.Errorf("selection %q: some parts have the name of a dimension and some have none", text)
	}

	seen := map[string]bool{}
	for _, t := range s.terms {
		if seen[t.name] {
			return s, fmt.Errorf("selection %q: the dimension %s occurs twice", text, t.name)
		}
		seen[t.name] = true
		if strings.TrimSpace(t.what) == "" {
			return s, fmt.Errorf("selection %q: nothing after %s%c", text, t.name, t.by)
		}
	}
	return s, nil
}

// split splits a text at the commas outside brackets. A comma may follow the last part.
func split(text string) (parts []string) {
	depth := 0
	start := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}

	if last := strings.TrimSpace(text[start:]); last != "" || parts == nil {
		parts = append(parts, last)
	}
	return parts
}

// termOf parses a part with the name of a dimension.
func termOf(part string) (term, bool) {
	i := strings.IndexAny(part, "=~[")
	if i <= 0 {
		return term{}, false
	}

	t := term{name: strings.TrimSpace(part[:i]), by: part[i], what: strings.TrimSpace(part[i+1:])}
	if t.by == '[' {
		inside, closed := strings.CutSuffix(t.what, "]")
		t.what = inside
		if !closed {
			return t, false
		}
	}
	return t, t.name != ""
}

// indexes parses what selects along one dimension by index.
func indexes(text string) (ndarray.Selector, error) {
	if strings.HasPrefix(text, "[") && strings.Count(text, "[") == 1 {
		text += "," // a list, also where brackets could be those around everything
	}

	s, err := ndarray.Parse(text)
	if err != nil {
		return ndarray.Selector{}, err
	}
	if len(s) != 1 || s[0].String() == ndarray.Ellipsis.String() || s[0].String() == ndarray.NewAxis.String() {
		return ndarray.Selector{}, fmt.Errorf("%q does not select along one dimension", text)
	}
	return s[0], nil
}

// A span is the values from first to last, both included.
type span struct{ first, last value }

// closed reports whether both ends are finite.
func (s span) closed() bool { return !math.IsInf(s.first.hi, 0) && !math.IsInf(s.last.hi, 0) }

var (
	lowest  = value{hi: math.Inf(-1)}
	highest = value{hi: math.Inf(1)}
)

// A query is what a term selects by value.
type query struct {
	spans   []span // of a single value or a list
	list    bool
	between *span // of a range
	step    int64 // of a range
}

// query parses the values of a term.
func (d *decoder) query(text string) (query, error) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if inside, ok = strings.CutSuffix(inside, "]"); !ok {
			return query{}, fmt.Errorf("no closing bracket in %q", text)
		}
		return d.list(inside)
	}

	if d.textual {
		v := value{text: text}
		return query{spans: []span{{v, v}}}, nil
	}

	first, rest, err := d.cut(text)
	switch {
	case err != nil:
		return query{}, err
	case rest == "" && first != nil:
		return query{spans: []span{*first}}, nil
	case !strings.HasPrefix(rest, ":"):
		return query{}, d.noRange(text)
	}

	q := query{between: &span{lowest, highest}, step: 1}
	if first != nil {
		q.between.first = first.first
	}

	last, rest, err := d.cut(rest[1:])
	if err != nil {
		return query{}, err
	}
	if last != nil {
		q.between.last = last.last
	}

	if step, ok := strings.CutPrefix(rest, ":"); ok {
		if q.step, err = strconv.ParseInt(strings.TrimSpace(step), 10, 64); err != nil || q.step < 1 {
			return query{}, fmt.Errorf("%q is no step, a positive number", step)
		}
	} else if rest != "" {
		return query{}, d.noRange(text)
	}
	return q, nil
}

// noRange is the error for a text that is neither a value nor a range.
func (d *decoder) noRange(text string) error {
	if d.scale != nil {
		return fmt.Errorf("%q is neither a date nor a range of dates, such as 2020-01-31, 2020-01-31T06:00 or "+
			"2020-01:2020-03", text)
	}
	return fmt.Errorf("%q is neither a number nor a range of numbers, such as 10:20", text)
}

// list parses values between commas.
func (d *decoder) list(text string) (query, error) {
	q := query{list: true}
	parts := strings.Split(text, ",")
	if len(parts) > maxList {
		return q, fmt.Errorf("%d values in brackets, %d are allowed: %w", len(parts), maxList, cairn.ErrLimit)
	}

	for _, part := range parts {
		part = strings.TrimSpace(part)
		if d.textual {
			q.spans = append(q.spans, span{value{text: part}, value{text: part}})
			continue
		}

		s, rest, err := d.cut(part)
		if err == nil && (s == nil || rest != "") {
			err = fmt.Errorf("%q is not a value", part)
		}
		if err != nil {
			return q, err
		}
		q.spans = append(q.spans, *s)
	}
	return q, nil
}

// cut cuts a value from the start of a text; nil if there is none before a colon or the end.
func (d *decoder) cut(text string) (*span, string, error) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == ':' {
		return nil, text, nil
	}

	if d.scale != nil {
		date, rest, _ := cftime.CutDate(text)
		if date == "" {
			date = text
			rest = ""
		}
		first, last, err := d.scale.Calendar.Span(date)
		return &span{timeValue(first, true), timeValue(last, true)}, strings.TrimSpace(rest), err
	}

	number := text
	rest := ""
	if i := strings.IndexByte(text, ':'); i >= 0 {
		number = text[:i]
		rest = text[i:]
	}

	number = strings.TrimSpace(number)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && d.packing == nil && !d.floating {
		return &span{intValue(n), intValue(n)}, rest, nil
	}

	bits := 64
	if d.floating && d.number.Size < 8 {
		bits = 32
	}
	f, err := strconv.ParseFloat(number, bits)
	if err != nil || math.IsNaN(f) {
		return nil, rest, fmt.Errorf("%q is not a number", number)
	}

	if d.floating && d.number.Size == 2 {
		f = float64(ndarray.Float16From(float32(f)).Float32())
	}

	s := span{value{hi: f}, value{hi: f}}
	if d.packing != nil { // sums of products are not exact
		slack := math.Abs(d.packing.Factor) / 1000
		s.first.hi -= slack
		s.last.hi += slack
	}
	return &s, rest, nil
}
