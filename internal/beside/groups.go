package beside

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/groups"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/ndarray"
)

// Groups returns groups of the axes of some arrays, for compute.CalcOptions.By.
func Groups(arrays []*coords.Array) func(context.Context, string, []string, ndarray.Shape) ([]compute.Groups, error) {
	return func(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error) {
		k, err := groups.Parse(name)
		if err != nil {
			return nil, err
		}

		for _, a := range arrays {
			for _, x := range a.Axes {
				i := slices.Index(dims, x.Name)
				if i < 0 || x.Name == "" || x.Len != shape[i] || k.IsTime() != x.IsTime(ctx) || !k.IsTime() && k.Name != x.Name {
					continue
				}
				d, err := k.Divide(ctx, x)
				if err != nil {
					return nil, err
				}
				return []compute.Groups{{Axis: i, Of: d.Of, Count: d.Count}}, nil
			}
		}
		return nil, NoGroups(k.Name, dims)
	}
}

// NoGroups is the error for a key that divides no dimension of any array.
func NoGroups(name string, dims []string) error {
	if name == "" {
		return fmt.Errorf("no dimension has coordinates that are times: %w", cairn.ErrNotFound)
	}
	question := groups.Meant(name)
	if question == "" {
		question = suggest.Question(name, dims)
	}
	return fmt.Errorf("no coordinates are named %q%s: %w", name, question, cairn.ErrNotFound)
}
