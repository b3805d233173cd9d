package netcdf_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// TestCopiesOfNetCDF4FilesAreEqual copies files that the netCDF library has written.
func TestCopiesOfNetCDF4FilesAreEqual(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.nc")
	if err != nil {
		t.Fatal(err)
	}
	variables := 0
	for _, path := range paths {
		from, err := netcdf.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		if from.Format() != netcdf.NetCDF4 {
			continue
		}

		fsys := storage.NewMemory()
		w, err := netcdf.Create("a.nc", from.Root(), &netcdf.CreateOptions{FS: fsys})
		if errors.Is(err, cairn.ErrUnsupported) {
			t.Logf("%s: %v", path, err)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var keys []string
		for n, err := range ndarray.Walk(t.Context(), from, "/") {
			if err != nil {
				t.Fatal(err)
			}
			if n.Kind != ndarray.ArrayNode {
				continue
			}
			v, err := from.Variable(t.Context(), n.Key)
			if err != nil {
				t.Logf("%s %s: %v", path, n.Key, err)
				continue
			}
			if err := w.Put(t.Context(), n.Key, v); err != nil {
				t.Errorf("%s %s: %v", path, n.Key, err)
				continue
			}
			keys = append(keys, n.Key)
		}
		if err := w.Close(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}

		to, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
		if err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		if err := errors.Join(from.Header(&want, "a"), to.Header(&got, "a")); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: got\n%s, want\n%s", path, &got, &want)
		}
		for _, key := range keys {
			variables++
			a := itemsOfVariable(t, from, key)
			if b := itemsOfVariable(t, to, key); !bytes.Equal(a, b) {
				t.Errorf("%s %s: items differ", path, key)
			}
		}
		to.Close()
	}
	if variables < 20 {
		t.Errorf("only %d variables were copied", variables)
	}
}

// itemsOfVariable returns all items, with the least significant byte first.
func itemsOfVariable(t *testing.T, f *netcdf.File, key string) []byte {
	t.Helper()
	v, err := f.Variable(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	size := v.DType().Size()
	n := size
	for _, extent := range v.Shape() {
		n *= int(extent)
	}
	b := make([]byte, n)
	if err := v.ReadBytes(t.Context(), b, make([]int64, len(v.Shape())), v.Shape()); err != nil {
		t.Fatal(err)
	}
	if v.DType().BigEndian() {
		for rest := b; len(rest) > 0; rest = rest[size:] {
			slices.Reverse(rest[:size])
		}
	}
	return b
}

// grouped returns the root of a NetCDF-4 file with a group and a type.
func grouped() *netcdf.Group {
	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: 10}
	x := &netcdf.Dimension{Name: "x", Len: 6}
	n := &netcdf.Dimension{Name: "n", Len: 4}
	v := &netcdf.Variable{Name: "v", Type: netcdf.TypeNamed("float"), Dimensions: []*netcdf.Dimension{time, x},
		Attributes: []netcdf.Attribute{{Name: "_FillValue", Value: -1}}}
	names := &netcdf.Variable{Name: "names", Type: netcdf.TypeNamed("string"), Dimensions: []*netcdf.Dimension{x}}
	chars := &netcdf.Variable{Name: "chars", Type: netcdf.TypeNamed("char"), Dimensions: []*netcdf.Dimension{x, n}}
	flag := &netcdf.Variable{Name: "flag", Dimensions: []*netcdf.Dimension{x}, Type: &netcdf.Type{Name: "colour", Class: netcdf.Enum,
		Base: netcdf.TypeNamed("byte"), Members: []netcdf.Member{{Name: "red", Value: 1}, {Name: "green", Value: 2}}}}
	inner := &netcdf.Group{Name: "inner", Variables: []*netcdf.Variable{v, names, chars},
		Attributes: []netcdf.Attribute{{Name: "words", Value: []string{"a", "b"}}}}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time, x, n}, Groups: []*netcdf.Group{inner},
		Types: []*netcdf.Type{flag.Type}, Variables: []*netcdf.Variable{flag}}
	return root
}

func TestNetCDF4FilesAreStoredAsAskedFor(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := netcdf.Create("a.nc", grouped(), &netcdf.CreateOptions{FS: fsys, Memory: 50,
		Dataset: func(key string, _ *netcdf.Variable) *hdf5.DatasetOptions {
			if key != "/inner/v" {
				return nil
			}
			return &hdf5.DatasetOptions{Chunks: ndarray.Shape{3, 4}, Filters: []filter.Filter{{ID: filter.Shuffle}, {ID: filter.Deflate}}}
		}})
	if err != nil {
		t.Fatal(err)
	}

	values := make([]float32, 60)
	for i := range values {
		values[i] = float32(i)
	}
	texts := []string{"é", "", "abc", "d", "long text", "z"}
	a, err := ndarray.FromSlice(texts, ndarray.Shape{6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, err := ndarray.FromSlice([]string{"é", "", "abc", "d", "efgh", "z"}, ndarray.Shape{6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Put(t.Context(), "/inner/names", a), w.Put(t.Context(), "/inner/chars", short),
		w.Put(t.Context(), "inner/v", inMemory(t, values, ndarray.Shape{10, 6})),
		w.Put(t.Context(), "flag", inMemory(t, []int8{1, 2, 1, 2, 1, 2}, ndarray.Shape{6})))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "inner/v", inMemory(t, []int8{1}, ndarray.Shape{1})); !errors.Is(err, cairn.ErrType) {
		t.Errorf("items of another type: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Variable(t.Context(), "/inner/v")
	if err != nil {
		t.Fatal(err)
	}
	info := got.Dataset(t.Context()).Info()
	if !slices.Equal(info.Chunks, ndarray.Shape{3, 4}) || !slices.Equal(info.MaxShape, ndarray.Shape{-1, 6}) || len(info.Filters) != 2 ||
		!bytes.Equal(info.Fill, []byte{0, 0, 0x80, 0xbf}) {
		t.Errorf("%+v", info)
	}
	view, err := ndarray.ViewAs[float32](got)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := view.Read(t.Context()); err != nil || !slices.Equal(items, values) {
		t.Errorf("%v, %v", items, err)
	}
	if b := itemsOfVariable(t, f, "/inner/chars"); string(b) != "é\x00\x00\x00\x00\x00\x00abc\x00d\x00\x00\x00efghz\x00\x00\x00" {
		t.Errorf("%q", b)
	}
	if g := f.Root().Groups[0]; !reflect.DeepEqual(g.Attributes[0].Value, []any{"a", "b"}) || f.Root().Variables[0].Type.Name != "colour" {
		t.Errorf("%+v", g.Attributes)
	}
}
