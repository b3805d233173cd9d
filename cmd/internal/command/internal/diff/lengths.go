package diff

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

// Lengths are those of the dimensions of a tree, by name; -1 for a name that has several.
type Lengths map[string]int64

// Of adds those of the array that open opens by its key, unless it cannot be opened: what compares
// it says why.
func (l Lengths) Of(ctx context.Context, key string, open func(context.Context, string) (ndarray.Source, error)) {
	src, err := open(ctx, key)
	if err != nil {
		return
	}
	l.Add(src)
	if c, ok := src.(io.Closer); ok {
		_ = c.Close()
	}
}

// Add adds those of an array.
func (l Lengths) Add(src ndarray.Source) {
	labels, err := ndarray.LabelsOf(src)
	shape := src.Shape()
	if err != nil || len(labels.Dims) != len(shape) {
		return
	}
	for i, name := range labels.Dims {
		n, ok := l[name]
		if ok && n != shape[i] {
			shape[i] = -1
		}
		l[name] = shape[i]
	}
}

// Dimensions returns which dimensions one of two trees lacks, or which have other lengths. Names
// that have several lengths do not count.
func Dimensions(a, b Lengths) []Change {
	changes := []Change{}
	side := func(l Lengths, name string) any {
		if n, ok := l[name]; ok {
			return n
		}
		return nil
	}

	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x := side(a, name)
		y := side(b, name)
		if name != "" && x != y && x != int64(-1) && y != int64(-1) {
			changes = append(changes, Change{"dimension " + name, x, y})
		}
	}
	return changes
}
