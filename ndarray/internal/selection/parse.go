package selection

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse parses selectors in Python's notation: "10:20, :, -5, ...", with "::-2" for steps, "None"
// or "newaxis" for a new dimension, "[1, 2, 5]" for a list of indices and "[True, False]" for a
// mask. Outer brackets are optional; if they contain only indices, as in "[1, 2, 5]", they are a
// list. An empty text is an empty list of selectors, which selects everything.
func Parse(text string) ([]Selector, error) {
	inside, err := unbracket(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("selection %q: %w", text, err)
	}
	if inside == "" {
		return nil, nil
	}

	var selectors []Selector
	rest := inside
	for more := true; more; {
		var part string
		part, rest, more = cutSelector(rest)
		s, err := parseOne(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("selection %q: %w", text, err)
		}
		selectors = append(selectors, s)

		// One comma may follow the last selector, as in a Python tuple.
		if strings.TrimSpace(rest) == "" {
			break
		}
	}
	return selectors, nil
}

// unbracket removes the optional brackets around all selectors.
func unbracket(text string) (string, error) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return text, nil
	}

	end := find(text, ']')
	if end < 0 {
		return "", fmt.Errorf("no closing bracket")
	}
	if end < len(text)-1 {
		return text, nil // the brackets belong to the first list
	}

	inside := strings.TrimSpace(rest[:len(rest)-1])
	if _, err := parseList(inside); err == nil {
		return text, nil // the brackets are those of a list
	}
	return inside, nil
}

// find returns the index of the first byte b in text that is outside brackets or is the last
// closing bracket, or -1.
func find(text string, b byte) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if text[i] == b && depth == 0 {
			return i
		}
	}
	return -1
}

// cutSelector cuts text at the first comma that is not in brackets.
func cutSelector(text string) (part, rest string, more bool) {
	if i := find(text, ','); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

func parseOne(part string) (Selector, error) {
	switch part {
	case "":
		return Selector{}, fmt.Errorf("nothing between two commas")
	case "...":
		return Selector{Kind: Ellipsis}, nil
	case "None", "newaxis", "np.newaxis":
		return Selector{Kind: NewAxis}, nil
	}

	if rest, ok := strings.CutPrefix(part, "["); ok {
		inside, ok := strings.CutSuffix(rest, "]")
		if !ok {
			return Selector{}, fmt.Errorf("no closing bracket in %q", part)
		}
		return parseList(inside)
	}

	bounds := strings.Split(part, ":")
	if len(bounds) == 1 {
		i, _, err := parseNumber(part)
		return Selector{Kind: Index, Start: i}, err
	}
	if len(bounds) > 3 {
		return Selector{}, fmt.Errorf("%q has more than two colons", part)
	}

	var s Selector
	var err error
	s.Start, s.HasStart, err = parseNumber(bounds[0])
	if err != nil {
		return Selector{}, err
	}
	s.Stop, s.HasStop, err = parseNumber(bounds[1])
	if err != nil {
		return Selector{}, err
	}
	if len(bounds) == 2 {
		return s, nil
	}

	s.Step, s.HasStep, err = parseNumber(bounds[2])
	if err != nil {
		return Selector{}, err
	}
	if s.HasStep && s.Step == 0 {
		return Selector{}, fmt.Errorf("step 0 in %q", part)
	}

	// A step of 1 means the same as none, so that equal ranges are equal selectors.
	if s.Step == 1 {
		s.Step = 0
		s.HasStep = false
	}
	return s, nil
}

// parseList parses the contents of the brackets of a list of indices or a mask.
func parseList(text string) (Selector, error) {
	list := []int64{}
	mask := []bool{}
	text = strings.TrimSpace(text)
	if text == "" {
		return Selector{Kind: List, List: list}, nil
	}

	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		part = strings.TrimSpace(part)
		switch part {
		case "True", "False":
			mask = append(mask, part == "True")
		case "":
			return Selector{}, fmt.Errorf("nothing between two commas")
		default:
			i, _, err := parseNumber(part)
			if err != nil {
				return Selector{}, err
			}
			list = append(list, i)
		}
	}

	switch {
	case len(mask) == 0:
		return Selector{Kind: List, List: list}, nil
	case len(list) == 0:
		return Selector{Kind: Mask, Mask: mask}, nil
	}
	return Selector{}, fmt.Errorf("indices and a mask in one list [%s]", text)
}

// parseNumber parses a decimal number; an empty text is allowed.
func parseNumber(text string) (value int64, given bool, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, false, nil
	}

	value, err = strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%q is not a number", text)
	}
	return value, true, nil
}
