package rows

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/cf/coords"
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

// TestCSVHasNoControlCharacters prints names and texts that terminals would act upon.
func TestCSVHasNoControlCharacters(t *testing.T) {
	a, err := ndarray.FromSlice([]string{"a\x1b[1m,é\n\"", "b"}, ndarray.Shape{2}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"d\x1b[1m"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	p := Printer{W: &text, Array: coords.New(a, nil), Name: "v\a"}
	if err := p.CSV(t.Context(), 2, false); err != nil {
		t.Fatal(err)
	}
	if want := "d\\x1b[1m,v\\x07\n0,\"a\\x1b[1m,é\n\"\"\"\n1,b\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
}
