package zarr

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// goldenStore describes a store in testdata, which zarr-python has written.
type goldenStore struct {
	Version int
	Arrays  map[string]goldenArray
}

type goldenArray struct {
	Shape, Chunks []int64
	DType         string
	SHA256        string
	Dims          []string
}

func goldens(t testing.TB) map[string]goldenStore {
	t.Helper()
	b, err := os.ReadFile("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Stores map[string]goldenStore }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Stores) < 13 {
		t.Fatalf("only %d stores", len(m.Stores))
	}
	return m.Stores
}

// unpacked returns a memory file system with the members of an archive, in the folder "s".
func unpacked(t testing.TB, name string) storage.FS {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fsys := storage.NewMemory()
	mkdir := func(name string) {
		for i := range name {
			if name[i] == '/' {
				_ = fsys.Mkdir(name[:i]) // it may exist
			}
		}
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		mkdir("s/" + f.Name)
		out, err := fsys.Create("s/" + f.Name)
		if err == nil {
			_, err = out.WriteAt(b, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = out.Close()
	}
	return fsys
}

// TestGoldens reads what zarr-python wrote, in whole and in boxes, from archives and directories.
func TestGoldens(t *testing.T) {
	count := 0
	for name, store := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			file := "testdata/" + name + ".zip"
			zipped, err := Open(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer zipped.Close()
			dir, err := Open("s", &OpenOptions{FS: unpacked(t, file)})
			if err != nil {
				t.Fatal(err)
			}
			keys, err := keysOf(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			again, err := keysOf(t, zipped)
			if err != nil || !slices.Equal(keys, again) {
				t.Errorf("keys %v, %v in the archive: %v", keys, again, err)
			}
			for key, want := range store.Arrays {
				count++
				for _, s := range []*Store{zipped, dir} {
					a, err := s.Array(t.Context(), key)
					if err != nil {
						t.Errorf("%s: %v", key, err)
						continue
					}
					checkGolden(t, key, a, store.Version, want)
				}
				if !slices.Contains(keys, "/"+key) {
					t.Errorf("%s is not listed", key)
				}
			}
		})
	}
	if count < 200 {
		t.Errorf("only %d arrays", count)
	}
}

func checkGolden(t *testing.T, key string, a *Array, version int, want goldenArray) {
	t.Helper()
	d, err := meta.ParseDType(want.DType)
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if !slices.Equal(a.Shape(), want.Shape) || !a.DType().Equal(d) || info.Version != version ||
		want.Dims != nil && !slices.Equal(a.dims, want.Dims) {
		t.Errorf("%s: shape %v dtype %v version %d dims %q, want %v %v %d %q", key, a.Shape(), a.DType(),
			info.Version, a.dims, want.Shape, d, version, want.Dims)
		return
	}
	all := readAll(t, a)
	if sum := sha256.Sum256(all); hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Errorf("%s: items differ (codecs %v)", key, info.Codecs)
		return
	}
	checkBoxes(t, key, a, all)
}

// readAll returns all items of an array.
func readAll(t testing.TB, a *Array) []byte {
	t.Helper()
	size := int64(a.DType().Size())
	for _, n := range a.Shape() {
		size *= n
	}
	b := make([]byte, size)
	if err := a.ReadBytes(t.Context(), b, make([]int64, len(a.Shape())), a.Shape()); err != nil {
		t.Fatal(err)
	}
	return b
}

// checkBoxes reads boxes along a diagonal, and compares them with all items.
func checkBoxes(t *testing.T, key string, a *Array, all []byte) {
	t.Helper()
	shape, item := a.Shape(), a.DType().Size()
	if len(all) == 0 || len(shape) == 0 {
		return
	}
	for k := range 6 {
		start, stop := make([]int64, len(shape)), make([]int64, len(shape))
		n := int64(item)
		for d, extent := range shape {
			start[d] = int64(k) * extent / 7
			stop[d] = min(extent, start[d]+1+int64(k+d)%3)
			n *= stop[d] - start[d]
		}
		got := make([]byte, n)
		if err := a.ReadBytes(t.Context(), got, start, stop); err != nil {
			t.Errorf("%s: %v to %v: %v", key, start, stop, err)
			continue
		}
		if !bytes.Equal(got, cutOut(all, shape, item, start, stop)) {
			t.Errorf("%s: items %v to %v differ", key, start, stop)
		}
	}
}

// cutOut returns a box of items in C order.
func cutOut(all []byte, shape []int64, item int, start, stop []int64) []byte {
	var out []byte
	at := slices.Clone(start)
	for {
		off := int64(0)
		for d := range shape {
			off = off*shape[d] + at[d]
		}
		out = append(out, all[off*int64(item):][:item]...)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
		if d < 0 {
			return out
		}
	}
}

func TestAttributes(t *testing.T) {
	for name, version := range map[string]int{"tree-v2": 2, "tree-v3": 3} {
		s, err := Open("testdata/"+name+".zip", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := s.Attributes(t.Context(), "/")
		if err != nil {
			t.Fatal(err)
		}
		text, err := appendJSON(nil, got, "")
		if err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(string(text)), "")
		for _, want := range []string{
			`"title":"atree"`, `"n":3`, `"x":0.5`, `"list":[1,"two",null,{"a":true}]`, `"big":9223372036854775808`,
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("version %d: attributes %s, no %s", version, flat, want)
			}
		}
		a, err := s.Array(t.Context(), "a/b/c")
		if err != nil {
			t.Fatal(err)
		}
		if units, _ := a.attributes.Get("units"); units != "m" {
			t.Errorf("units %v", units)
		}
		for group, want := range map[string][]string{"": {"/a", "/e", "/empty"}, "a": {"/a/b", "/a/d"},
			"empty": nil} {
			nodes, err := s.Children(t.Context(), group)
			var children []string
			for _, n := range nodes {
				children = append(children, n.Key)
			}
			if err != nil || !slices.Equal(children, want) {
				t.Errorf("children of %q: %v %v", group, children, err)
			}
		}
	}
}
