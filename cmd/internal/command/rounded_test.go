package command

import (
	"errors"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/tree"
)

// floatsIn writes a store with floats, in a group too, packed integers and coordinates.
func floatsIn(t *testing.T, name string) {
	t.Helper()
	ctx := t.Context()
	e, err := store.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	items := make([]float32, 600)
	packed := make([]int16, 600)
	for i := range items {
		items[i] = float32(280 + 9*math.Sin(float64(i)/7))
		packed[i] = int16(i)
	}
	put := func(key string, a *ndarray.Untyped, err error, attributes meta.Map, dims ...string) {
		if err == nil {
			err = errors.Join(a.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes}), e.Put(ctx, key, a, nil))
		}
		if err != nil {
			t.Fatal(key, err)
		}
	}
	a, err := ndarray.FromSlice(items, ndarray.Shape{20, 30}, nil)
	put("/t", a.Untyped, err, meta.Map{{Key: "quantization", Value: "of_another_program"}}, "y", "x")
	put("/g/u", a.Untyped, err, nil, "y", "x")
	p, err := ndarray.FromSlice(packed, ndarray.Shape{20, 30}, nil)
	put("/p", p.Untyped, err, meta.Map{{Key: "scale_factor", Value: 0.01}}, "y", "x")
	x, err := ndarray.FromSlice(items[:30], ndarray.Shape{30}, nil)
	put("/x", x.Untyped, err, nil, "x")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// attributesOf returns the attributes of an array of a file of any format.
func attributesOf(t *testing.T, file, key string) meta.Map {
	t.Helper()
	f, err := tree.Open(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Open(t.Context(), key)
	if err != nil {
		t.Fatal(file, key, err)
	}
	l, err := src.(ndarray.Labelled).Labels()
	if err != nil {
		t.Fatal(err)
	}
	return l.Attributes
}

// keysIn returns the keys of the arrays of a file of any format.
func keysIn(t *testing.T, file string) (keys []string) {
	t.Helper()
	f, err := tree.Open(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := range ndarray.Walk(t.Context(), f, "/") {
		if n.Kind == ndarray.ArrayNode {
			keys = append(keys, path.Join("/", n.Key))
		}
	}
	slices.Sort(keys)
	return keys
}

// TestRoundedTreesTellHow rounds trees and arrays to outputs that hold several, in each way, and
// looks for the variable that says how, which the attribute quantization names.
func TestRoundedTreesTellHow(t *testing.T) {
	t.Chdir(t.TempDir())
	floatsIn(t, "in.b2z")
	floatsIn(t, "in.b2d")
	cairnOK(t, "export", "in.b2z", "in.zarr")
	bits, digits := "quantization_bitround", "quantization_granular_bitround"
	for _, c := range []struct {
		line, flags, out string
		variable         string
		rounded          []string // keys
		keys             int
	}{
		{"copy in.b2z", "-keepbits 7", "a.b2z", bits, []string{"/t", "/g/u"}, 6},
		{"copy in.b2d", "-digits 3", "b.b2d", digits, []string{"/t", "/g/u"}, 6},
		{"copy in.b2z", "-digits 3", "c.b2z::/deep", digits, []string{"/deep/t", "/deep/g/u"}, 6},
		{"copy in.b2z::/g", "-keepbits auto", "d.b2z", bits, []string{"/u"}, 2},
		{"import in.zarr", "-keepbits 7", "e.b2z", bits, []string{"/t", "/g/u"}, 6},
		{"copy in.zarr", "-keepbits 7", "f.b2d", bits, []string{"/t", "/g/u"}, 6},
		{"export in.b2z", "-keepbits 7", "g.zarr", bits, []string{"/t", "/g/u"}, 6},
		{"export in.b2z", "-zarr 2 -digits 2", "h.zarr", digits, []string{"/t", "/g/u"}, 6},
		{"export in.zarr", "-keepbits auto", "i.zarr", bits, []string{"/t", "/g/u"}, 6},
		{"copy in.b2z::/t", "-keepbits 7", "j.zarr", bits, []string{"/t"}, 3},
		{"export in.b2z", "-keepbits 7", "q.nc", bits, []string{"/t", "/g/u"}, 6},
		{"copy in.b2z::/t", "-keepbits 7", "k.b2z::/a/b/t", bits, []string{"/a/b/t"}, 3},
		{"import in.zarr::t", "-digits 3", "l.b2z::/t", digits, []string{"/t"}, 3},
		{"import -s :9 in.zarr::t", "-digits 3", "m.b2z::/t", digits, []string{"/t"}, 3},
		{"copy in.b2z", "-maxerror 0.1", "n.b2z", "", []string{"/t", "/g/u", "/p"}, 4},
		{"copy in.b2z::/p", "-maxerror 0.1", "o.b2z::/p", "", []string{"/p"}, 2},
		{"export in.b2z", "-digits 8", "p.zarr", "", []string{"/t", "/g/u"}, 4},
	} {
		words := append(strings.Fields(c.line), c.out)
		words = append(words[:1:1], append(strings.Fields("-q "+c.flags), words[1:]...)...)
		cairnOK(t, words...)
		file, _, _ := strings.Cut(c.out, "::")
		if keys := keysIn(t, file); len(keys) != c.keys {
			t.Errorf("%v: %q", words, keys)
		}
		for _, key := range c.rounded {
			name := any(c.variable)
			if c.variable == "" {
				name = nil
			}
			if got, _ := attributesOf(t, file, key).Get("quantization"); got != name {
				t.Errorf("%v: %s names %v", words, key, got)
			}
			if c.variable == "" {
				continue
			}
			said := attributesOf(t, file, path.Join(path.Dir(key), c.variable))
			algorithm, _ := said.Get("algorithm")
			program, _ := said.Get("implementation")
			if "quantization_"+algorithm.(string) != c.variable || !strings.HasPrefix(program.(string), "cairn version ") {
				t.Errorf("%v: %s says %v", words, c.variable, said)
			}
		}
	}
}

// TestToldVariablesStay copies trees that tell how they were rounded.
func TestToldVariablesStay(t *testing.T) {
	t.Chdir(t.TempDir())
	floatsIn(t, "in.b2z")
	for _, line := range []string{"copy -q -keepbits 7 in.b2z a.b2z", "copy -q -keepbits 7 a.b2z again.b2z",
		"copy -q -keepbits 7 in.b2z::/t a.b2z::/again", "export -q a.b2z exact.zarr", "export -q -keepbits 6 a.b2z rounded.zarr",
		"copy -q -keepbits 7 in.b2z::/t j.zarr"} {
		cairnOK(t, strings.Fields(line)...)
	}
	for file, want := range map[string]int{"again.b2z": 6, "a.b2z": 7, "exact.zarr": 7, "rounded.zarr": 7} {
		if keys := keysIn(t, file); len(keys) != want {
			t.Errorf("%s has %q", file, keys)
		}
	}
	if name, _ := attributesOf(t, "exact.zarr", "/g/u").Get("quantization"); name != "quantization_bitround" {
		t.Errorf("an exact copy names %v", name)
	}
	if text := cairnOK(t, "stats", "j.zarr"); !strings.Contains(text, "20 × 30") {
		t.Errorf("the only data array is not found:\n%s", text)
	}
}

// TestRoundedFilesNameNoVariable rounds outputs that hold a single array.
func TestRoundedFilesNameNoVariable(t *testing.T) {
	t.Chdir(t.TempDir())
	floatsIn(t, "in.b2z")
	for _, line := range []string{"copy -q -keepbits 7 in.b2z::/g/u u.b2nd", "copy -q -keepbits 7 u.b2nd v.b2nd",
		"export -q -keepbits 7 u.b2nd u.zarr"} {
		cairnOK(t, strings.Fields(line)...)
	}
	for _, name := range []string{"u.b2nd", "v.b2nd", "u.zarr"} {
		attributes := attributesOf(t, name, keysIn(t, name)[0])
		if v, ok := attributes.Get("quantization"); ok {
			t.Errorf("%s names %v", name, v)
		}
		if v, _ := attributes.Get("quantization_nsb"); v == nil {
			t.Errorf("%s has attributes %v", name, attributes)
		}
	}
}
