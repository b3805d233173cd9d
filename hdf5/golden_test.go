package hdf5

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// wanted is what h5py reads from a file of testdata: see make.py there.
type wanted struct {
	Datasets map[string]struct {
		DType string
		Shape []int64
		Sum   string
	}
	Attributes map[string]map[string]any
}

func goldens(t testing.TB) map[string]wanted {
	b, err := os.ReadFile(filepath.Join("testdata", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]wanted{}
	if err := json.Unmarshal(b, &files); err != nil {
		t.Fatal(err)
	}
	return files
}

func openGolden(t testing.TB, name string) *File {
	t.Helper()
	f, err := Open(filepath.Join("testdata", name), nil)
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

// TestGoldens compares all datasets and attributes with what h5py reads.
func TestGoldens(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			f := openGolden(t, name)
			for key, w := range want.Datasets {
				d, err := f.Dataset(t.Context(), key)
				if err != nil {
					t.Error(err)
					continue
				}
				dtype, err := meta.ParseDType(w.DType)
				if err != nil {
					t.Fatal(err)
				}
				if !d.DType().Equal(dtype) || !slices.Equal(d.Shape(), w.Shape) {
					t.Errorf("%s: %v %v, want %v %v", key, d.DType(), d.Shape(), dtype, w.Shape)
					continue
				}
				items, err := ndarray.ViewOf(d).Read(t.Context())
				if err != nil {
					t.Error(err)
					continue
				}
				if sum := sha256.Sum256(items); hex.EncodeToString(sum[:]) != w.Sum {
					t.Errorf("%s: items differ: % x", key, items[:min(200, len(items))])
				}
				checkBoxes(t, d, items)
			}
			for key, values := range want.Attributes {
				list, err := f.AllAttributes(t.Context(), key)
				if err != nil {
					t.Error(err)
				}
				got := map[string]any{}
				for _, a := range list {
					if a.Err != nil {
						t.Error(a.Err)
					}
					got[a.Name] = a.Value
				}
				for name, value := range values {
					if g, ok := got[name]; !ok || !sameValue(g, value) {
						t.Errorf("%s: attribute %q is %v, want %v", key, name, g, value)
					}
				}
			}
		})
	}
}

// checkBoxes compares some boxes of a dataset with its items.
func checkBoxes(t *testing.T, d *Dataset, items []byte) {
	shape, size := d.Shape(), int64(d.DType().Size())
	for part := range int64(3) {
		start, stop := make([]int64, len(shape)), slices.Clone(shape)
		n := size
		for i, extent := range shape {
			start[i], stop[i] = extent*part/4, extent-extent*(2-part)/3
			n *= stop[i] - start[i]
		}
		got := make([]byte, n)
		if err := d.ReadBytes(t.Context(), got, start, stop); err != nil {
			t.Error(err)
			return
		}
		if want := cut(items, shape, start, stop, size); !slices.Equal(got, want) {
			t.Errorf("%s: the box from %v to %v differs", d.Key(), start, stop)
		}
	}
}

// cut returns the items of a box of an array in C order.
func cut(items []byte, shape, start, stop []int64, size int64) []byte {
	if len(shape) == 0 {
		return items
	}
	inner := size
	for _, n := range shape[1:] {
		inner *= n
	}
	var out []byte
	for i := start[0]; i < stop[0]; i++ {
		out = append(out, cut(items[i*inner:(i+1)*inner], shape[1:], start[1:], stop[1:], size)...)
	}
	return out
}

// sameValue compares the value of an attribute with that of expected.json.
func sameValue(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		if w["ref"] == true {
			return got == "/target"
		}
		if total, ok := w["total"]; ok {
			sum := 0.0
			for _, v := range got.([]any) {
				sum += float64(v.(int64))
			}
			return sum == total
		}
		m, ok := got.(meta.Map)
		for _, p := range m {
			ok = ok && sameValue(p.Value, w[p.Key.(string)])
		}
		return ok && len(m) == len(w)
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, sameValue)
	case float64:
		switch g := got.(type) {
		case int64:
			return float64(g) == w
		case uint64:
			return float64(g) == w
		case float64:
			return g == w || math.IsNaN(g) && math.IsNaN(w)
		}
		return false
	}
	return reflect.DeepEqual(got, want)
}
