package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// Descriptions of flags that several verbs have.
const (
	selectionUsage = "take only `SELECTION`, such as '10:20, :, 5' or '::-2', or by the names and values of " +
		"dimensions 'time=2020-01:2020-03, lat=50:60, level=850, lon~7.1, x[10:20]', also of cells with places of their own, 'lat=50:60, lon=-10:10'; everything by default"
	workersUsage = "process `N` chunks at a time; one per CPU by default"
	filtersUsage = "comma-separated `LIST` of filters in the order in which they run, as NAME or NAME:PARAMETER: "
	forceUsage   = "replace an existing output"
	zarrUsage    = "make each block a Zarr chunk as well, for refs"
)

// codecNames lists the codecs that new arrays can have.
func codecNames() []string {
	var names []string
	for _, row := range codecs.Rows() {
		if !row.Legacy {
			names = append(names, row.Name)
		}
	}
	return names
}

// filterNames lists the filters that new arrays can have.
func filterNames() []string {
	var names []string
	for _, row := range shuffle.Rows() {
		if row.Legacy {
			continue
		}
		names = append(names, row.Name)
	}
	return names
}

func checkWorkers(workers int) error {
	if workers < 0 {
		return usagef("-workers is %d, must not be negative", workers)
	}
	return nil
}

// codecUsage returns the description of -codec.
func codecUsage() string {
	var each []string
	for _, row := range codecs.Rows() {
		if p := row.Parameter; p.Meaning != "" {
			each = append(each, fmt.Sprintf("%s:N (N is %s)", row.Name, p.Meaning))
		} else if !row.Legacy {
			each = append(each, row.Name)
		}
	}
	return "`CODEC`: " + strings.Join(each, ", ")
}

// parseCodec reads -codec; mistakes are usage errors.
func parseCodec(text string) (codecs.Codec, error) {
	c, err := codecs.ParseCodec(text, nil)
	if err != nil {
		name, _, _ := strings.Cut(text, ":")
		if slices.Contains(codecNames(), strings.ToLower(name)) {
			return c, usagef("-codec: %v", err) // it is about the parameter
		}
		return c, usagef("-codec: %v%s", err, suggest.Question(name, codecNames()))
	}

	for _, row := range codecs.Rows() {
		if row.ID == c.ID() && row.Legacy {
			return c, usagef("-codec: %s can be read but not written", row.Name)
		}
	}
	return c, nil
}

// parseShape reads numbers between commas; an empty text is no shape. "()" is the shape of an array
// without dimensions.
func parseShape(name, text string) (ndarray.Shape, error) {
	inner := strings.TrimSpace(text)
	if inner == "" {
		return nil, nil
	}

	inner = strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")")
	shape := ndarray.Shape{}
	for part := range strings.SplitSeq(strings.TrimSuffix(inner, ","), ",") {
		part = strings.TrimSpace(part)
		if part == "" && len(shape) == 0 && strings.TrimSpace(inner) == "" {
			break
		}

		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 1 {
			return nil, usagef("-%s: %q is not a positive number", name, part)
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// parseFilters reads a comma list of filters; "none" alone or an empty text is no filter.
func parseFilters(text string) ([]shuffle.Spec, error) {
	if strings.TrimSpace(text) == "" {
		text = "none"
	}

	var specs []shuffle.Spec
	for part := range strings.SplitSeq(text, ",") {
		spec, err := shuffle.ParseSpec(strings.TrimSpace(part))
		if err != nil {
			name, _, _ := strings.Cut(strings.TrimSpace(part), ":")
			if slices.Contains(filterNames(), name) {
				return nil, usagef("-filters: %v", err) // it is about the parameter
			}
			return nil, usagef("-filters: %v%s", err, suggest.Question(name, filterNames()))
		}
		if spec != shuffle.None {
			specs = append(specs, spec)
		}
	}

	if len(specs) == 0 {
		return []shuffle.Spec{shuffle.None}, nil
	}
	if len(specs) > shuffle.Slots {
		return nil, usagef("-filters: %d filters, but a chunk has only %d slots", len(specs), shuffle.Slots)
	}
	return specs, nil
}

// parseExtents reads the extents of a shape, separated by commas. Extents may be 0. what names the
// argument.
func parseExtents(what, text string) (ndarray.Shape, error) {
	var shape ndarray.Shape
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || n < 0 {
			return nil, usagef("%s: %q is not a number of items", what, part)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
