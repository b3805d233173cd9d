package ndarray

import (
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// Shape is a number of items per dimension, outermost first. A scalar has a nil or empty shape.
type Shape []int64

// A Selector selects items along one dimension. The zero Selector selects all. Selectors apply to
// the dimensions in order; dimensions beyond the last selector are selected whole, as in NumPy.
// Each dimension is selected independently of the others: if several have lists of indices, the
// result has all combinations, as with NumPy's ix_. For individual items see [Array.ReadPoints].
type Selector struct{ of selection.Selector }

var (
	// All selects a whole dimension, like ":" in Python.
	All = Selector{}
	// Ellipsis selects all dimensions that the other selectors do not apply to, like "..." in
	// Python. At most one is allowed.
	Ellipsis = Selector{selection.Selector{Kind: selection.Ellipsis}}
	// NewAxis applies to no dimension of the array: it adds a dimension of one item to the result,
	// like None in Python.
	NewAxis = Selector{selection.Selector{Kind: selection.NewAxis}}
)

// Range selects the items from start up to, not including, stop. As in Python, negative numbers
// count from the end, numbers beyond the dimension are clipped to it, and a stop not after start
// selects nothing.
func Range(start, stop int64) Selector {
	return Selector{selection.Selector{Start: start, Stop: stop, HasStart: true, HasStop: true}}
}

// From selects the items from start to the end, like "start:" in Python.
func From(start int64) Selector {
	return Selector{selection.Selector{Start: start, HasStart: true}}
}

// To selects the items before stop, like ":stop" in Python.
func To(stop int64) Selector { return Selector{selection.Selector{Stop: stop, HasStop: true}} }

// Index selects one item and removes the dimension from the result's shape. Negative numbers count
// from the end; an index beyond the dimension is an error.
func Index(i int64) Selector {
	return Selector{selection.Selector{Kind: selection.Index, Start: i}}
}

// Indices selects items in any order; an item may occur several times. Negative numbers count from
// the end; an index beyond the dimension is an error. If a write selects an item several times, its
// last value counts. The selector keeps the list, which must not change while the selector is in
// use.
func Indices(list []int64) Selector {
	if list == nil {
		list = []int64{}
	}
	return Selector{selection.Selector{Kind: selection.List, List: list}}
}

// Step returns the same range with another step, like "::step" in Python: every step-th item from
// the start on. With a negative step the items are in reverse order: the range begins at its start,
// or at the dimension's last item, and ends before its stop, or with the first item. A step of 0 is
// an error when the selector is used. Step returns selectors other than ranges unchanged.
func (s Selector) Step(step int64) Selector {
	s.of.Step = step
	s.of.HasStep = true
	return s
}

// String returns the selector in the form that Parse reads.
func (s Selector) String() string { return s.of.String() }

// Parse parses selectors in Python's notation: "10:20, :, -5, ...", with "::-2" for steps, "None"
// or "newaxis" for a new dimension, "[1, 2, 5]" for a list of indices and "[True, False]" for a
// mask. Outer brackets are optional; if they contain only indices, as in "[1, 2, 5]", they are a
// list. An empty text is an empty list of selectors, which selects everything. Errors match
// [cairn.ErrInvalid].
func Parse(text string) ([]Selector, error) {
	parsed, err := selection.Parse(text)
	if len(parsed) == 0 || err != nil {
		return nil, errkind.Invalid(err)
	}

	selectors := make([]Selector, len(parsed))
	for i, s := range parsed {
		selectors[i] = Selector{s}
	}
	return selectors, nil
}

// MustParse is Parse for a text that is known to be valid; it panics on an error.
func MustParse(text string) []Selector {
	selectors, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return selectors
}

// selectIn resolves selectors for an array.
func selectIn(part *grid.Partition, selectors []Selector) (selection.Selection, error) {
	var buf [4]selection.Selector
	return selection.Choose(part.Shape[:part.Dims], unwrap(buf[:0], selectors))
}

func unwrap(to []selection.Selector, selectors []Selector) []selection.Selector {
	for _, s := range selectors {
		to = append(to, s.of)
	}
	return to
}
