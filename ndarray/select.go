package ndarray

import (
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// Shape is a number of items per dimension, outermost first. Nil and empty are the shape of a
// scalar.
type Shape []int64

// A Selector says what to take of one dimension. The zero Selector takes all of it. A list of
// selectors is for the dimensions in order; what it leaves out at the end is taken whole, as in
// NumPy. Each dimension is selected by itself, whatever the others select: where several have lists
// of indices the result has all combinations, as with NumPy's ix_. For items here and there see
// [Array.ReadPoints].
type Selector struct{ of selection.Selector }

var (
	// All takes a whole dimension, like ":" in Python.
	All = Selector{}
	// Ellipsis takes all the dimensions that the other selectors leave over, like "..." in Python.
	// A list may have one.
	Ellipsis = Selector{selection.Selector{Kind: selection.Ellipsis}}
	// NewAxis takes nothing of the array: it puts a dimension of one item into the result, like
	// None in Python.
	NewAxis = Selector{selection.Selector{Kind: selection.NewAxis}}
)

// Range takes items start up to, not including, stop. As in Python, negative numbers count from the
// end, numbers beyond the dimension are cut to it, and a stop that is not behind start takes
// nothing.
func Range(start, stop int64) Selector {
	return Selector{selection.Selector{Start: start, Stop: stop, HasStart: true, HasStop: true}}
}

// From takes items start to the end, like "start:" in Python.
func From(start int64) Selector {
	return Selector{selection.Selector{Start: start, HasStart: true}}
}

// To takes the items before stop, like ":stop" in Python.
func To(stop int64) Selector { return Selector{selection.Selector{Stop: stop, HasStop: true}} }

// Index takes one item and drops the dimension from the result's shape. Negative numbers count from
// the end; beyond the dimension is an error.
func Index(i int64) Selector {
	return Selector{selection.Selector{Kind: selection.Index, Start: i}}
}

// Indices takes items in any order, some of them several times if the list says so. Negative
// numbers count from the end; beyond the dimension is an error. Of items that are written several
// times the last value stays. The selector keeps the list, which must not change as long as it is
// in use.
func Indices(list []int64) Selector {
	if list == nil {
		list = []int64{}
	}
	return Selector{selection.Selector{Kind: selection.List, List: list}}
}

// Step returns the same range with another step, like "::step" in Python: every step-th item from
// the start on. With a negative step the items come in reverse, the range begins at its start or
// the dimension's last item, and ends before its stop, or with the first item. A step of 0 is an
// error where it is used. What is no range stays as it is.
func (s Selector) Step(step int64) Selector {
	s.of.Step, s.of.HasStep = step, true
	return s
}

// String returns the selector as Parse reads it.
func (s Selector) String() string { return s.of.String() }

// Parse reads selectors as Python writes them between brackets: "10:20, :, -5, ...", with "::-2"
// for steps, "None" or "newaxis" for a new dimension, "[1, 2, 5]" for a list of indices and "[True,
// False]" for a mask. The brackets of Python may be there or not; where nothing but indices is in
// brackets, as in "[1, 2, 5]", it is a list. An empty text is no selector, which selects
// everything.
func Parse(text string) ([]Selector, error) {
	parsed, err := selection.Parse(text)
	if len(parsed) == 0 || err != nil {
		return nil, err
	}
	selectors := make([]Selector, len(parsed))
	for i, s := range parsed {
		selectors[i] = Selector{s}
	}
	return selectors, nil
}

// MustParse is Parse for a text that is known to be right; it panics if it is not.
func MustParse(text string) []Selector {
	selectors, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return selectors
}

// selectIn works out what selectors mean for an array.
func selectIn(part *grid.Partition, selectors []Selector) (selection.Selection, error) {
	var few [4]selection.Selector
	return selection.Choose(part.Shape[:part.Dims], unwrap(few[:0], selectors))
}

func unwrap(to []selection.Selector, selectors []Selector) []selection.Selector {
	for _, s := range selectors {
		to = append(to, s.of)
	}
	return to
}
