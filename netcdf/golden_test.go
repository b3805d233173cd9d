package netcdf

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A goldenVariable is what netCDF4-python reads of a variable; see testdata/make.py.
type goldenVariable struct {
	Dims       []string
	Shape      []int64
	DType      string
	SHA256     string
	Attributes map[string]any
}

// goldens returns what the files of testdata hold.
func goldens(t testing.TB) map[string]map[string]goldenVariable {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var files map[string]map[string]goldenVariable
	if err := json.Unmarshal(text, &files); err != nil || len(files) < 6 {
		t.Fatal(len(files), err)
	}
	return files
}

func open(t testing.TB, name string) *File {
	t.Helper()
	f, err := Open("testdata/"+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFilesOfOtherProgramsAreRead(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			f := open(t, name)
			if got := keysOf(t, f, ndarray.ArrayNode); len(got) != len(want) {
				t.Errorf("%d variables, want %d: %v", len(got), len(want), got)
			}
			for key, g := range want {
				v, err := f.Variable(t.Context(), key)
				if err != nil {
					t.Error(err)
					continue
				}
				compareGolden(t, v, g)
			}
		})
	}
}

func compareGolden(t *testing.T, v *Variable, want goldenVariable) {
	l, err := v.Labels()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Dims, want.Dims) || !slices.Equal(v.Shape(), want.Shape) {
		t.Errorf("%s has the dimensions %v %v, want %v %v", v.Key(), l.Dims, v.Shape(), want.Dims, want.Shape)
	}
	d, err := meta.ParseDType(want.DType)
	if err != nil {
		t.Fatal(err)
	}
	if got := hashOf(t, v); v.DType().Kind() != d.Kind() || v.DType().Size() != d.Size() || got != want.SHA256 {
		t.Errorf("%s has dtype %s and items %s, want %s and %s", v.Key(), v.DType(), got, d, want.SHA256)
	}
	if len(v.Attributes) != len(want.Attributes) {
		t.Errorf("%s has the attributes %v, want %v", v.Key(), v.Attributes, want.Attributes)
	}
	for _, a := range v.Attributes {
		if got := plain(a.Type, a.Value); !reflect.DeepEqual(got, want.Attributes[a.Name]) {
			t.Errorf("%s:%s is %v, want %v", v.Key(), a.Name, got, want.Attributes[a.Name])
		}
	}
}

// plain returns an attribute as golden.json has it.
func plain(typ *Type, v any) any {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(typ, v[i])
		}
		return list
	case float32:
		return pythonFloat("float32", float64(v))
	case float64:
		return pythonFloat("float64", v)
	}
	if typ.Class == Enum {
		typ = typ.Base
	}
	kind := map[byte]string{'i': "int", 'u': "uint"}[typ.dtype.Kind()]
	return fmt.Sprintf("%s%d %d", kind, 8*typ.Size, v)
}

func pythonFloat(name string, v float64) string {
	text := fmt.Sprint(v)
	if v == float64(int64(v)) && !strings.Contains(text, "e") {
		text += ".0"
	}
	return name + " " + text
}

// hashOf returns the SHA-256 of the items, in little-endian order.
func hashOf(t *testing.T, src ndarray.Source) string {
	t.Helper()
	raw := make([]byte, int64(src.DType().Size())*itemsOf(src.Shape()))
	if err := src.ReadBytes(context.Background(), raw, make([]int64, len(src.Shape())), src.Shape()); err != nil {
		t.Fatal(err)
	}
	if size := src.DType().Size(); src.DType().BigEndian() {
		for i := 0; i < len(raw); i += size {
			slices.Reverse(raw[i : i+size])
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(raw))
}

func itemsOf(shape []int64) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func TestHeadersAreThoseOfNcdump(t *testing.T) {
	for name := range goldens(t) {
		if name == "streaming.nc" {
			continue // ncdump does not know the number of its records
		}
		want, err := os.ReadFile("testdata/" + strings.TrimSuffix(name, ".nc") + ".cdl")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := open(t, name).Header(&got, "testdata/"+name); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.String(), want)
		}
	}
}
