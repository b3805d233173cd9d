package rows

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// TestNamesAreUnique prints a coordinate, whose values have the name of their dimension, and an
// array with two dimensions of one name.
func TestNamesAreUnique(t *testing.T) {
	for _, c := range []struct {
		name, want string
		dims       []string
	}{
		{"time", "time,value", []string{"time"}},
		{"x", "t,x", []string{"t"}},
		{"value", "value,value_2", []string{"value"}},
		{"x", "t,t_2,x", []string{"t", "t"}},
	} {
		shape := make(ndarray.Shape, len(c.dims))
		for d := range shape {
			shape[d] = 1
		}
		a, err := ndarray.New[int16](shape, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Dims: c.dims})
		}
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		none := func(context.Context, string) (ndarray.Source, error) { return nil, nil }
		p := Printer{W: &text, Array: coords.New(a, none), Name: c.name}
		if err := p.CSV(t.Context(), 1, false); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(text.String(), "\n"); got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.name, c.dims, got, c.want)
		}
	}
}
