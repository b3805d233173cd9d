package loss

import (
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Variables are those that tell how the arrays of a tree were rounded: each is in the group of its
// arrays, which name it by their attribute quantization.
type Variables struct {
	Version string // of the program

	algorithms map[string]string // by key
}

// Beside returns the name of the variable for an array that is rounded to a bound, and notes it. It
// returns "" if the CF conventions have none for such items, and for a nil v.
func (v *Variables) Beside(key string, d meta.DType, b rounding.Bound) string {
	algorithm := rounding.Algorithm(d, b)
	if algorithm == "" || v == nil {
		return ""
	}
	if v.algorithms == nil {
		v.algorithms = map[string]string{}
	}

	// One name for each algorithm: what is there already tells the same.
	name := "quantization_" + algorithm
	v.algorithms[path.Join(path.Dir(path.Join("/", key)), name)] = algorithm
	return name
}

// Keys returns the keys of the variables, which begin with a slash, in order.
func (v *Variables) Keys() []string { return slices.Sorted(maps.Keys(v.algorithms)) }

// Open makes the variable of a key.
func (v *Variables) Open(key string) (*ndarray.Untyped, error) {
	u, err := ndarray.NewUntyped("|i1", ndarray.Shape{}, nil)
	if err != nil {
		return nil, err
	}
	return u, u.SetLabels(ndarray.Labels{Dims: []string{},
		Attributes: rounding.Described(v.algorithms[key], "cairn version "+v.Version)})
}
