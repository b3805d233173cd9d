package cf

import "github.com/cairn-go/cairn/internal/cf/cftime"

// A Difference says in what two meanings differ.
type Difference struct {
	What string // "sign", "packing", "missing items", "unit", "calendar" or "time unit"
	A, B string // what each of them has, "none" if nothing
	Kind Kind
}

// A Kind says how one of two meanings can become the other.
type Kind uint8

// Kinds of differences.
const (
	Encoded Kind = iota // the items differ, and the values are comparable
	Scaled              // both are times, in other units or since another date
	Linear              // they are of one kind, in other units
	Foreign             // they are values of other things
)

// Compare returns in what two meanings differ, and nothing if items of one can stand beside those
// of the other. Titles, flags and ranges of what is valid are no part of it.
func Compare(a, b *Meaning) (all []Difference) {
	add := func(what, x, y string, kind Kind) {
		all = append(all, Difference{what, orNone(x), orNone(y), kind})
	}

	if a.Stored.Kind() == b.Stored.Kind() && a.Items.Kind() != b.Items.Kind() {
		add("sign", signOf(a), signOf(b), Encoded)
	}
	if !samePacking(a.Packing, b.Packing) {
		add("packing", a.Packing.String(), b.Packing.String(), Encoded)
	}
	if !sameNumbers(a.Missing, b.Missing) {
		add("missing items", list(a.Missing), list(b.Missing), Encoded)
	}

	switch {
	case a.Time == nil || b.Time == nil:
		if SameUnit(a.Unit, b.Unit) {
			break
		}
		kind := Foreign
		if _, ok := ConversionOf(b.Unit, a.Unit); ok {
			kind = Linear
		}
		add("unit", a.Unit, b.Unit, kind)
	case a.Time.Calendar != b.Time.Calendar:
		add("calendar", a.calendar(), b.calendar(), Foreign)
	case !sameScale(*a.Time, *b.Time):
		add("time unit", a.Unit, b.Unit, Scaled)
	}
	return all
}

// SameTimes reports whether equal values of two meanings are the same times.
func SameTimes(a, b *Meaning) bool {
	return a.Time != nil && b.Time != nil && a.Time.Calendar == b.Time.Calendar && sameScale(*a.Time, *b.Time)
}

// SaysTime reports whether an attribute says which times values are.
func SaysTime(name string) bool { return name == "units" || name == "calendar" }

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func signOf(m *Meaning) string {
	if m.Items.Kind() == 'u' {
		return "unsigned"
	}
	return "signed"
}

// calendar returns the calendar as the file names it.
func (m *Meaning) calendar() string {
	if m.Calendar == "" {
		return "standard"
	}
	return m.Calendar
}

func samePacking(a, b *Packing) bool {
	if a == nil || b == nil {
		return a.plain() && b.plain()
	}
	return *a == *b
}

func (p *Packing) plain() bool { return p == nil || *p == Packing{Factor: 1} }

// String writes a packing as a formula: "items × 0.5 + 10". It is "" for none.
func (p *Packing) String() string {
	if p == nil {
		return ""
	}
	text := "items × " + shortest(p.Factor)
	switch {
	case p.Offset < 0:
		text += " - " + shortest(-p.Offset)
	case p.Offset != 0:
		text += " + " + shortest(p.Offset)
	}
	return text
}

// sameScale reports whether numbers stand for the same times.
func sameScale(a, b cftime.Scale) bool {
	a.Shortest = 0
	b.Shortest = 0
	return a == b
}
