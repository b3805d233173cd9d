// Package whole makes what verbs write of whole files, all arrays of which they take one after the
// other.
package whole

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/ndarray"
)

// Chunks are how many items chunks have along some dimensions.
type Chunks []struct {
	Dim string
	N   int64
}

// ParseChunks reads a list such as "time=24, lat=90". It returns nil for a list of numbers.
func ParseChunks(text string) (all Chunks, err error) {
	if !strings.Contains(text, "=") {
		return nil, nil
	}

	for term := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(term, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || name == "" {
			return nil, fmt.Errorf("%q: write a dimension and a positive number, such as time=24: %w", term,
				cairn.ErrInvalid)
		}
		if all.of(name) > 0 {
			return nil, fmt.Errorf("%s twice: %w", name, cairn.ErrInvalid)
		}
		all = append(all, struct {
			Dim string
			N   int64
		}{name, n})
	}
	return all, nil
}

// of returns how many items chunks have along a dimension, or 0.
func (c Chunks) of(dim string) int64 {
	for _, term := range c {
		if term.Dim == dim {
			return term.N
		}
	}
	return 0
}

// Shape returns the chunks of an array with other extents along the dimensions, or nil if it has
// none of these.
func (c Chunks) Shape(src ndarray.Source) ndarray.Shape {
	chunks, _ := src.Grid()
	shape := src.Shape()
	found := false
	for i, dim := range Dims(src) {
		if n := c.of(dim); n > 0 && i < len(chunks) {
			chunks[i] = max(1, min(n, shape[i]))
			found = true
		}
	}
	if !found {
		return nil
	}
	return chunks
}

// Of returns an array with the chunks, for what is written of it.
func (c Chunks) Of(src ndarray.Source) ndarray.Source {
	if chunks := c.Shape(src); chunks != nil {
		return &gridded{src, chunks}
	}
	return src
}

// Require fails unless an array has one of the dimensions.
func (c Chunks) Require(src ndarray.Source) error {
	if c.Shape(src) != nil {
		return nil
	}
	dims := slices.DeleteFunc(slices.Clone(Dims(src)), func(dim string) bool { return dim == "" })
	name := c[0].Dim
	if len(dims) == 0 {
		return fmt.Errorf("the dimensions have no names such as %q; give numbers: %w", name, cairn.ErrNotFound)
	}
	return fmt.Errorf("no dimension is named %q, but %s%s: %w", name, strings.Join(dims, ", "),
		suggest.Question(name, dims), cairn.ErrNotFound)
}

// gridded is a source with other chunks.
type gridded struct {
	ndarray.Source
	chunks ndarray.Shape
}

// Grid returns the chunks as the blocks too, which are what is written where chunks are large.
func (g *gridded) Grid() (chunks, blocks ndarray.Shape) {
	return slices.Clone(g.chunks), slices.Clone(g.chunks)
}

// Labels returns those of the source.
func (g *gridded) Labels() (ndarray.Labels, error) { return ndarray.LabelsOf(g.Source) }
