// Package selection resolves selectors: which items of an array they select, and where these lie in
// memory. It does not access items.
package selection

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A Selector selects items along one dimension; the zero Selector selects all.
type Selector struct {
	Kind        Kind
	Start, Stop int64
	Step        int64
	HasStart    bool
	HasStop     bool
	HasStep     bool
	List        []int64
	Mask        []bool
}

// A Kind says which fields of a selector are used.
type Kind uint8

// The kinds.
const (
	Range    Kind = iota // Start, Stop and Step, each optional
	Index                // the item at Start; removes the dimension
	Ellipsis             // all dimensions that no other selector applies to
	NewAxis              // no dimension: adds one of one item
	List                 // the items of List
	Mask                 // the items for which Mask is true
)

// axis resolves a selector of a dimension of the given extent.
func (s Selector) axis(extent int64) (grid.Axis, error) {
	switch s.Kind {
	case Index:
		i, err := within(s.Start, extent)
		return grid.Axis{Start: i, Step: 1, Count: 1}, err

	case List:
		list := s.List
		for k, i := range s.List {
			at, err := within(i, extent)
			if err != nil {
				return grid.Axis{}, err
			}
			if at == i {
				continue
			}

			// The list of the selector itself stays as it is.
			if &list[0] == &s.List[0] {
				list = slices.Clone(list)
			}
			list[k] = at
		}
		return grid.Axis{List: list, Count: int64(len(list))}, nil

	case Mask:
		if int64(len(s.Mask)) != extent {
			return grid.Axis{}, fmt.Errorf("mask of %d items for an extent of %d: %w", len(s.Mask),
				extent, cairn.ErrBounds)
		}
		list := []int64{}
		for i, taken := range s.Mask {
			if taken {
				list = append(list, int64(i))
			}
		}
		return grid.Axis{List: list, Count: int64(len(list))}, nil
	}
	return s.progression(extent)
}

// progression resolves a range as Python's slice.indices does.
func (s Selector) progression(extent int64) (grid.Axis, error) {
	step := int64(1)
	if s.HasStep {
		step = max(s.Step, -math.MaxInt64) // a larger step selects the same items
	}
	if step == 0 {
		return grid.Axis{}, fmt.Errorf("a step of zero: %w", cairn.ErrBounds)
	}

	if step > 0 {
		start := int64(0)
		if s.HasStart {
			start = clamp(s.Start, extent, 0, extent)
		}
		stop := extent
		if s.HasStop {
			stop = clamp(s.Stop, extent, 0, extent)
		}
		if start >= stop {
			return grid.Axis{Start: start, Step: 1}, nil
		}
		return grid.Axis{Start: start, Step: step, Count: (stop-start-1)/step + 1}, nil
	}

	// Backwards, the range begins at the last item and ends before the first.
	start := extent - 1
	if s.HasStart {
		start = clamp(s.Start, extent, -1, extent-1)
	}
	stop := int64(-1)
	if s.HasStop {
		stop = clamp(s.Stop, extent, -1, extent-1)
	}
	if start <= stop {
		return grid.Axis{Start: max(start, 0), Step: 1}, nil
	}
	return grid.Axis{Start: start, Step: step, Count: (start-stop-1)/-step + 1}, nil
}

// clamp resolves a negative bound and clips it to [least, most].
func clamp(bound, extent, least, most int64) int64 {
	if bound < 0 {
		bound += extent
	}
	return min(max(bound, least), most)
}

// within resolves an index that may be negative.
func within(index, extent int64) (int64, error) {
	i := index
	if i < 0 {
		i += extent
	}
	if i < 0 || i >= extent {
		return 0, fmt.Errorf("index %d in an extent of %d: %w", index, extent, cairn.ErrBounds)
	}
	return i, nil
}

// String returns the selector in the form that Parse reads.
func (s Selector) String() string {
	switch s.Kind {
	case Index:
		return fmt.Sprint(s.Start)
	case Ellipsis:
		return "..."
	case NewAxis:
		return "None"
	case List:
		return "[" + strings.ReplaceAll(strings.Trim(fmt.Sprint(s.List), "[]"), " ", ", ") + "]"
	case Mask:
		text := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Mask), "[]"), " ", ", ")
		return "[" + strings.NewReplacer("true", "True", "false", "False").Replace(text) + "]"
	}

	text := ":"
	if s.HasStart {
		text = fmt.Sprint(s.Start) + text
	}
	if s.HasStop {
		text += fmt.Sprint(s.Stop)
	}
	if s.HasStep && s.Step != 1 {
		text += fmt.Sprint(":", s.Step)
	}
	return text
}
