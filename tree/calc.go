package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/ndarray"
)

// A Result is what [Calc] returns: an [ndarray.Source] whose items are computed when they are read.
// It is valid until it, or the tree, is closed.
type Result struct {
	*compute.Expression
	c *calculation
}

// Close closes the arrays that the expression takes.
func (r *Result) Close() (err error) {
	for _, opened := range slices.Backward(r.c.opened) {
		err = errors.Join(err, opened.Close())
	}
	r.c.opened = nil
	return err
}

// Calc returns the result of an expression over the arrays of a tree, as [compute.Calc] does, to
// which o goes, which may be nil. A name is the last element of an array's key, and of several
// arrays with it that of the one whose key has fewest elements.
//
//	r, err := tree.Calc(ctx, t, "mean(tas, by='month')", nil)
//	anomaly, err := tree.Calc(ctx, t, "tas - clim(tas, 'month-of-year')", nil)
//	weighted, err := tree.Calc(ctx, t, "tas * cos(radians(lat))", nil)
//
// Items are taken for the values that they stand for: unpacked, and NaN where they are missing. The
// options By and Coordinate, where they are nil, find groups and coordinates near the arrays that
// the expression names: by='month' is that of the dimension whose coordinates are times.
//
// Errors match [compute.ErrSyntax] for mistakes in the expression, and [cairn.ErrUnsupported] for a
// name that several arrays have at the same depth.
func Calc(ctx context.Context, t ndarray.Tree, text string, o *compute.CalcOptions) (*Result, error) {
	c := &calculation{t: t, text: text, sources: map[string]ndarray.Source{}}
	e, err := c.run(ctx, o)
	r := &Result{e, c}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// A calculation is one call of Calc.
type calculation struct {
	t       ndarray.Tree
	text    string
	sources map[string]ndarray.Source
	arrays  []*coords.Array
	opened  []io.Closer
}

func (c *calculation) run(ctx context.Context, o *compute.CalcOptions) (*compute.Expression, error) {
	keys, err := c.named(ctx)
	if err != nil {
		return nil, err
	}

	// Coordinates are taken as such, unless the expression has nothing else.
	var own []string
	for name, key := range keys {
		coordinates, err := c.take(ctx, name, key, false)
		if err != nil {
			return nil, err
		}
		if coordinates {
			own = append(own, name)
		}
	}
	if len(c.sources) == 0 {
		for _, name := range own {
			if _, err := c.take(ctx, name, keys[name], true); err != nil {
				return nil, err
			}
		}
	}

	options := compute.CalcOptions{}
	if o != nil {
		options = *o
	}
	names := beside.Of(c.arrays)
	if options.By == nil {
		options.By = names.Groups
	}
	if options.Coordinate == nil {
		options.Coordinate = names.Coordinate
	}
	return compute.Calc(ctx, c.text, c.sources, &options)
}

// word matches what may be the name of an array.
var word = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// named returns the keys of the arrays that the expression may mean, by name.
func (c *calculation) named(ctx context.Context) (map[string]string, error) {
	words := word.FindAllString(c.text, -1)
	keys := map[string]string{}
	ambiguous := map[string]string{}

	for n, err := range ndarray.Walk(ctx, c.t, "/") {
		if err != nil {
			return nil, err
		}
		name := path.Base(n.Key)
		if n.Kind != ndarray.ArrayNode || !slices.Contains(words, name) {
			continue
		}

		have, ok := keys[name]
		deeper := strings.Count(n.Key, "/") - strings.Count(have, "/")
		switch {
		case !ok || deeper < 0:
			keys[name] = n.Key
			delete(ambiguous, name)
		case deeper == 0:
			ambiguous[name] = n.Key
		}
	}

	for name, other := range ambiguous {
		return nil, fmt.Errorf("%s may be %s or %s; open the tree of one group: %w", name, keys[name], other,
			cairn.ErrUnsupported)
	}
	return keys, nil
}

// take makes an array a source of the expression. It reports true for coordinates of a dimension,
// which it leaves out unless they are wanted.
func (c *calculation) take(ctx context.Context, name, key string, wanted bool) (coordinates bool, err error) {
	src, err := c.open(ctx, key)
	if err != nil {
		return false, err
	}
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return false, err
	}
	if len(labels.Dims) == 1 && labels.Dims[0] == name && !wanted {
		return true, nil
	}

	if labelled, ok := src.(ndarray.Labelled); ok {
		if src, err = values.Of(labelled, cf.Of(src.DType(), labels.Attributes)); err != nil {
			return false, fmt.Errorf("%s: %w", key, err)
		}
	}
	c.sources[name] = src
	c.arrays = append(c.arrays, coords.New(src, coords.Near(key, c.open)))
	return false, nil
}

// open opens an array, which is closed with the result.
func (c *calculation) open(ctx context.Context, key string) (ndarray.Source, error) {
	src, err := c.t.Open(ctx, key)
	if closer, ok := src.(io.Closer); ok && err == nil {
		c.opened = append(c.opened, closer)
	}
	return src, err
}
