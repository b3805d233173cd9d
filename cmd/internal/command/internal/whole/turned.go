package whole

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Turned returns the part that a selection takes of the array with a key, with the longitudes of
// the selection: those of a dimension that go on over the end of what is stored, those of cells
// that places say to turn, and the bounds of both.
func Turned(ctx context.Context, key string, taken *coords.Array, places *coords.Places, near coords.Lookup) (
	ndarray.Source, error) {
	name := path.Base("/" + key)
	for _, axis := range taken.Axes {
		if along, of := axis.TurnedBounds(ctx); of == name {
			return turnedTo(ctx, taken.View, along)
		}
	}

	if west, have := places.West[name]; have {
		return turned(ctx, taken.View, west)
	}
	for lon, west := range places.West {
		centres, err := near(ctx, lon)
		if centres == nil || err != nil {
			continue
		}
		l, err := ndarray.LabelsOf(centres)
		if err != nil || cf.Text(l.Attributes, "bounds") != name {
			continue
		}

		a := coords.New(centres, near)
		s, _ := places.Of(ctx, a, coords.Selection{})
		part, err := a.Select(ctx, s)
		if err != nil {
			return nil, err
		}
		to, err := turned(ctx, part.View, west)
		if err != nil {
			return nil, err
		}
		return turnedTo(ctx, taken.View, to)
	}
	return taken.View, nil
}

// turned returns longitudes from a western end on.
func turned(ctx context.Context, src ndarray.Source, west float64) (ndarray.Source, error) {
	text := fmt.Sprintf("x - (%v) * floor((x - (%v)) / (%[1]v))", turn(src), west/360*turn(src))
	return turnedBy(ctx, src, text, nil)
}

// turnedTo returns bounds of longitudes that are beside these.
func turnedTo(ctx context.Context, bounds, centres ndarray.Source) (ndarray.Source, error) {
	shape := centres.Shape()
	own := bounds.Shape()
	if len(own) != len(shape)+1 || !slices.Equal(own[:len(shape)], shape) {
		return bounds, nil
	}
	v, err := values.Of(ndarray.ViewOf(centres), nil)
	if err != nil {
		return nil, err
	}
	beside := ndarray.ViewOf(v).ExpandDims(len(shape))
	if err := beside.Err(); err != nil {
		return nil, err
	}
	return turnedBy(ctx, bounds, fmt.Sprintf("x + (%v) * rint((c - x) / (%[1]v))", turn(centres)), beside)
}

// turnedBy returns the values of longitudes x that an expression has, with their labels.
func turnedBy(ctx context.Context, src ndarray.Source, text string, centres ndarray.Source) (ndarray.Source, error) {
	v, err := values.Of(ndarray.ViewOf(src), nil)
	if err != nil {
		return nil, err
	}
	labels, err := v.Labels()
	if err != nil {
		return nil, err
	}

	with := map[string]ndarray.Source{"x": unlabelled{v}}
	if centres != nil {
		with["c"] = unlabelled{centres}
	}
	as, err := compute.Calc(ctx, "x * 1.0", with, nil)
	if err != nil {
		return nil, err
	}
	if as.DType().Size() == 4 { // which centres need not have
		text = "float32(" + text + ")"
	}
	e, err := compute.Calc(ctx, text, with, nil)
	return &relabelled{e, labels}, err
}

// turn returns what a turn around the globe is in the unit of longitudes.
func turn(lon ndarray.Source) float64 {
	if l, _ := ndarray.LabelsOf(lon); strings.HasPrefix(cf.Text(l.Attributes, "units"), "rad") {
		return 2 * math.Pi
	}
	return 360
}

// An unlabelled source has no names of dimensions: these are aligned by their places.
type unlabelled struct{ src ndarray.Source }

func (u unlabelled) Shape() ndarray.Shape                 { return u.src.Shape() }
func (u unlabelled) DType() meta.DType                    { return u.src.DType() }
func (u unlabelled) Grid() (chunks, blocks ndarray.Shape) { return u.src.Grid() }

func (u unlabelled) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return u.src.ReadBytes(ctx, dst, start, stop)
}
