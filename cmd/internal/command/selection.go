package command

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/suggest"
)

// parseSelection parses the -s flag. A verb calls it before it opens anything; what it returns is
// for the part of an openedSource.
func parseSelection(text string) (coords.Selection, error) {
	s, err := coords.Parse(text)
	if err != nil {
		return s, usagef("-s: %v", err)
	}
	return s, nil
}

// axisUsage describes -axis of verbs that take one dimension.
const axisUsage = "a number, counted from the last if negative, or the name of a dimension; 0 by default"

// axisOf returns the number of the dimension of an array that -axis names.
func axisOf(ctx context.Context, text string, a *coords.Array) (int, error) {
	dims := len(a.Axes)
	if axis, err := strconv.Atoi(text); err == nil {
		if axis < 0 {
			axis += dims
		}
		if axis < 0 || axis >= dims {
			return 0, usagef("-axis is %s, but the array has %s", text, console.Count(dims, "dimension"))
		}
		return axis, nil
	}

	if i := a.AxisNamed(ctx, text); i >= 0 {
		return i, nil
	}

	var names []string
	for _, axis := range a.Axes {
		if axis.Name != "" {
			names = append(names, axis.Name)
		}
	}

	if names == nil {
		return 0, usagef("-axis: the dimensions have no names such as %q; give a number", text)
	}
	return 0, usagef("-axis: no dimension is named %q, but %s%s", text, strings.Join(names, ", "),
		suggest.Question(text, names))
}

// quotedTexts are the texts in an expression: names of axes and of groups, and what arrays are
// compared with. The operators of comparisons are taken with the latter.
var quotedTexts = regexp.MustCompile(`(?:[=!<>]=|[<>])?\s*` +
	`(?:'[^'\\\n]*'|"[^"\\\n]*")\s*(?:[=!<>]=|[<>])?`)

// namedAxes returns an expression in which axes have the names of dimensions, where it names them
// by what they are in the arrays: axis='time' of valid_time.
func namedAxes(ctx context.Context, expression string, arrays []*coords.Array) (string, error) {
	var err error
	expression = quotedTexts.ReplaceAllStringFunc(expression, func(whole string) string {
		text := strings.TrimSpace(whole)
		if strings.ContainsRune("=!<>", rune(text[0])) || strings.ContainsRune("=<>", rune(text[len(text)-1])) {
			return whole
		}

		name := text[1 : len(text)-1]
		var meant []string
		for _, a := range arrays {
			i := a.AxisNamed(ctx, name)
			if i >= 0 && !slices.Contains(meant, a.Axes[i].Name) {
				meant = append(meant, a.Axes[i].Name)
			}
		}

		switch {
		case len(meant) == 0 || slices.Contains(meant, name):
			return whole // the name of a dimension, or of none
		case len(meant) > 1:
			err = usagef("axis=%s may be %s; write which", text, strings.Join(meant, " or "))
		case strings.ContainsAny(meant[0], "'\"\\\n"):
			return whole
		}
		return "'" + meant[0] + "'"
	})
	return expression, err
}

// part returns the part of an array that -s selects, with its axes: View is what to read. It is
// valid until o is closed.
func (o *openedSource) part(ctx context.Context, s coords.Selection) (*coords.Array, error) {
	return coords.New(o.src, o.Sibling).Select(ctx, s)
}

// partsOf returns the parts of arrays that -s selects: of each along the dimensions that it has.
// Each dimension must be one of some array.
func partsOf(ctx context.Context, opened []*openedSource, s coords.Selection) (parts []*coords.Array, err error) {
	known := map[string]bool{}
	for _, o := range opened {
		a := coords.New(o.src, o.Sibling)
		part, err := a.Select(ctx, s.Only(func(name string) bool {
			have := a.Knows(ctx, name)
			known[name] = known[name] || have
			return have
		}))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}

	for name, have := range known {
		if !have {
			_, err := coords.New(opened[0].src, opened[0].Sibling).Select(ctx, s.Only(func(n string) bool { return n == name }))
			return nil, err
		}
	}
	return parts, nil
}

// takeField makes of a part of an array that of the field that -field names.
func takeField(part *coords.Array, name string) error {
	dtype := part.View.DType()
	if part.View = part.View.Field(name); part.View.Err() == nil {
		return nil
	}

	var names []string
	for _, f := range dtype.Fields() {
		names = append(names, f.Name)
	}
	if names == nil {
		return usagef("-field: items of the dtype %s have no fields", dtype)
	}
	return usagef("-field: no field is named %q, but %s%s", name, strings.Join(names, ", "),
		suggest.Question(name, names))
}
