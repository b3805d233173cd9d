package ndarray

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads selectors as Python writes them between brackets: "10:20, :, -5, ...". The brackets themselves may be
// there or not. An empty text is no selector, which selects everything.
func Parse(text string) ([]Selector, error) {
	inside := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(inside, "["); ok {
		if inside, ok = strings.CutSuffix(rest, "]"); !ok {
			return nil, fmt.Errorf("selection %q: no closing bracket", text)
		}
		inside = strings.TrimSpace(inside)
	}
	if inside == "" {
		return nil, nil
	}
	// One comma may follow the last selector, as in a Python tuple.
	inside = strings.TrimSuffix(inside, ",")
	var selectors []Selector
	for part := range strings.SplitSeq(inside, ",") {
		s, err := parseOne(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("selection %q: %w", text, err)
		}
		selectors = append(selectors, s)
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

func parseOne(part string) (Selector, error) {
	switch part {
	case "":
		return Selector{}, fmt.Errorf("nothing between two commas")
	case "...":
		return Ellipsis, nil
	}
	bounds := strings.Split(part, ":")
	if len(bounds) == 1 {
		i, _, err := parseNumber(part)
		return Index(i), err
	}
	if len(bounds) > 3 {
		return Selector{}, fmt.Errorf("%q has more than two colons", part)
	}
	var s Selector
	var err error
	if s.start, s.hasStart, err = parseNumber(bounds[0]); err != nil {
		return Selector{}, err
	}
	if s.stop, s.hasStop, err = parseNumber(bounds[1]); err != nil {
		return Selector{}, err
	}
	if len(bounds) == 3 {
		step, given, err := parseNumber(bounds[2])
		if err != nil {
			return Selector{}, err
		}
		if given && step == 0 {
			return Selector{}, fmt.Errorf("step 0 in %q", part)
		}
		if step != 1 {
			s.step = step
		}
	}
	return s, nil
}

// parseNumber reads a decimal number that may be left out.
func parseNumber(text string) (value int64, given bool, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, false, nil
	}
	if value, err = strconv.ParseInt(text, 10, 64); err != nil {
		return 0, false, fmt.Errorf("%q is not a number", text)
	}
	return value, true, nil
}
