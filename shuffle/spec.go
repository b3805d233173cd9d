package shuffle

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the filter in the form of [ParseSpec]: its name, or "filter 200" if it has none,
// followed by a colon and the parameter unless that is 0 and optional.
func (s Spec) String() string {
	name := fmt.Sprintf("filter %d", uint8(s.ID))
	if n, ok := nameOf(s.ID); ok {
		name = n
	}

	switch {
	case metaSigned(s.ID):
		return fmt.Sprintf("%s:%d", name, int8(s.Meta))
	case s.Meta != 0:
		return fmt.Sprintf("%s:%d", name, s.Meta)
	}
	return name
}

// ParseSpec parses a filter: "none", "shuffle", "bitshuffle", "delta", "trunc_prec:10" or, with an
// optional parameter after a colon, "shuffle:4". "filter 200:3" names any filter by its id;
// encoding and decoding fail if it does not exist.
func ParseSpec(text string) (Spec, error) {
	name, param, hasParam := strings.Cut(text, ":")
	id, err := parseID(name)
	if err != nil {
		return Spec{}, err
	}

	if !hasParam {
		if metaSigned(id) {
			return Spec{}, fmt.Errorf("filter %s needs a number of bits, as in %q", name, name+":10")
		}
		return Spec{ID: id}, nil
	}

	low := 0
	high := 255
	if metaSigned(id) {
		low = -128
		high = 127
	}

	meta, err := strconv.Atoi(param)
	if err != nil || meta < low || meta > high {
		return Spec{}, fmt.Errorf("parameter %q of filter %s is not a number from %d to %d", param, name, low, high)
	}
	return Spec{ID: id, Meta: uint8(meta)}, nil
}

func parseID(name string) (ID, error) {
	for i := range table {
		if table[i].Name == name {
			return table[i].ID, nil
		}
	}

	if number, ok := strings.CutPrefix(name, "filter "); ok {
		if id, err := strconv.ParseUint(number, 10, 8); err == nil {
			return ID(id), nil
		}
	}
	return 0, fmt.Errorf("no filter is called %q", name)
}

func nameOf(id ID) (name string, ok bool) {
	if row := builtin(id); row != nil {
		return row.Name, true
	}
	return "", false
}

// metaSigned reports whether a filter's parameter is a signed number of bits without a default.
func metaSigned(id ID) bool { return id == IDTruncPrec || id == IDIntTrunc }
