package beside

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf/groups"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// mostCells is the largest number of items of an array by which several dimensions are divided.
const mostCells = 1 << 26

// Groups returns groups of the axes of the arrays, for compute.CalcOptions.By.
func (n *Names) Groups(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error) {
	keys, err := keysOf(name)
	if err != nil {
		return nil, err
	}

	var all []compute.Groups
	for _, k := range keys {
		g, err := n.divide(ctx, k, dims, shape)
		if err != nil {
			return nil, err
		}
		all = append(all, *g)
	}
	return all, nil
}

// keysOf parses the name of groups, or steps such as "5d" or "lat=3, lon=3".
func keysOf(name string) ([]groups.Key, error) {
	step := strings.TrimSpace(name)
	if step != "" && (step[0] >= '0' && step[0] <= '9' || strings.Contains(step, "=")) {
		return groups.ParseEvery(step)
	}
	k, err := groups.Parse(name)
	return []groups.Key{k}, err
}

// divide returns the groups of the dimensions that one key divides.
func (n *Names) divide(ctx context.Context, k groups.Key, dims []string, shape ndarray.Shape) (*compute.Groups, error) {
	for _, a := range n.arrays {
		for _, x := range a.Axes {
			i := slices.Index(dims, x.Name)
			if i < 0 || x.Name == "" || x.Len != shape[i] || k.IsTime() != x.IsTime(ctx) || !k.IsTime() && k.Name != x.Name {
				continue
			}
			d, err := k.Divide(ctx, x)
			if err != nil {
				return nil, err
			}
			return &compute.Groups{Axis: i, Of: d.Of, Count: d.Count, Name: d.Name}, n.keep(d)
		}
	}

	if k.Name != "" {
		g, err := n.beside(ctx, k, dims, shape)
		if g != nil || err != nil {
			return g, err
		}
	}
	there := slices.Clone(dims)
	for _, a := range n.arrays {
		there = append(there, a.Names(ctx)...)
	}
	return nil, NoGroups(k.Name, there)
}

// beside returns the groups by the values of another array, such as regions, along its dimensions;
// nil if there is none.
func (n *Names) beside(ctx context.Context, k groups.Key, dims []string, shape ndarray.Shape) (*compute.Groups, error) {
	src, err := n.Coordinate(ctx, k.Name, dims, shape)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	labels, err := ndarray.LabelsOf(src)
	if err != nil || len(labels.Dims) == 0 {
		return nil, err
	}

	var d *groups.Division
	if len(labels.Dims) == 1 {
		x, err := groups.Along(src, k.Name)
		if err != nil {
			return nil, err
		}
		if d, err = k.Divide(ctx, x); err != nil {
			return nil, err
		}
	} else if d, err = byValues(ctx, src, k, labels); err != nil {
		return nil, err
	}

	g := &compute.Groups{Axis: slices.Index(dims, labels.Dims[0]), Of: d.Of, Count: d.Count, Name: d.Name}
	for _, dim := range labels.Dims[1:] {
		g.Also = append(g.Also, slices.Index(dims, dim))
	}
	return g, n.keep(d)
}

// byValues divides by the values of an array of several dimensions. Items that are missing are in
// no group.
func byValues(ctx context.Context, src ndarray.Source, k groups.Key, labels ndarray.Labels) (*groups.Division, error) {
	cells := int64(1)
	for _, n := range src.Shape() {
		cells *= n
	}
	if k.String() != k.Name {
		return nil, fmt.Errorf("%s: intervals are those of one dimension, and %s has %d: %w", k, k.Name, len(labels.Dims),
			cairn.ErrUnsupported)
	}
	if cells > mostCells {
		return nil, fmt.Errorf("groups by the %d items of %s, at most %d are possible: %w", cells, k.Name, int64(mostCells),
			cairn.ErrLimit)
	}

	values, err := floatsOf(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("groups by %s: %w", k.Name, err)
	}

	// The groups are numbered by the size of their values.
	numbers := map[float64]int{}
	first := map[float64]int{} // where items are
	for i, v := range values {
		if _, ok := numbers[v]; !ok && !math.IsNaN(v) {
			numbers[v] = 0
			first[v] = i
		}
	}
	sorted := slices.Sorted(maps.Keys(numbers))
	for i, v := range sorted {
		numbers[v] = i
	}

	d := &groups.Division{Name: k.Name, Count: len(sorted), Of: make([]int, len(values))}
	for i, v := range values {
		d.Of[i] = -1
		if !math.IsNaN(v) {
			d.Of[i] = numbers[v]
		}
	}

	// Their coordinates are the items, with what attributes say about them, such as flags.
	items, err := ndarray.ViewOf(src).Read(ctx)
	if err != nil {
		return nil, err
	}
	size := src.DType().Size()
	var some []byte
	for _, v := range sorted {
		some = append(some, items[first[v]*size:][:size]...)
	}
	d.Coordinates, err = arrayOf(ctx, src.DType(), some, ndarray.Labels{Dims: []string{k.Name}, Attributes: labels.Attributes})
	return d, err
}

// floatsOf returns all items of an array as numbers.
func floatsOf(ctx context.Context, src ndarray.Source) ([]float64, error) {
	e, err := compute.Calc(ctx, "float64(x)", map[string]ndarray.Source{"x": src}, nil)
	if err != nil {
		return nil, err
	}
	read, err := ndarray.ReadAny(ctx, e)
	if err != nil {
		return nil, err
	}
	return read.([]float64), nil
}

// arrayOf returns an array of one dimension in memory.
func arrayOf(ctx context.Context, d meta.DType, items []byte, labels ndarray.Labels) (ndarray.Source, error) {
	u, err := ndarray.NewUntyped(d.String(), ndarray.Shape{int64(len(items) / d.Size())}, nil)
	if err != nil {
		return nil, err
	}
	if err := u.SetLabels(labels); err != nil {
		return nil, err
	}
	return u, u.Write(ctx, items)
}

// NoGroups is the error for a key that divides no dimension of any array. It asks about one of the
// names that there are.
func NoGroups(name string, there []string) error {
	if name == "" {
		return fmt.Errorf("no dimension has coordinates that are times, with units such as \"days since 2000-01-01\": %w", cairn.ErrNotFound)
	}
	question := groups.Meant(name)
	if question == "" {
		question = suggest.Question(name, there)
	}
	return fmt.Errorf("no coordinates are named %q%s: %w", name, question, cairn.ErrNotFound)
}
