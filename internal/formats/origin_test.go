package formats

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// recreated writes what a file holds into another one of the same format, and tells what was left
// out.
func recreated(t *testing.T, from, to string) (left []string) {
	t.Helper()
	file, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	row, _ := Named(filepath.Ext(from))
	h, err := row.Hold(t.Context(), &Input{Name: from, Path: from, File: file, Size: info.Size(), Closer: file})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()

	err = row.Create(t.Context(), &Writing{Path: to, Keys: h.Keys(), Tree: true, Groups: h, Origin: h,
		Open: func(key string) (ndarray.Source, func() error, error) {
			src, err := h.Open(t.Context(), key)
			return src, func() error { return nil }, err
		},
		Own:      func(string) bool { return true },
		Skip:     func(key string, why error) error { left = append(left, key); return nil },
		LeftOut:  func(key, attribute string, why error) { left = append(left, key+"@"+attribute) },
		Progress: func(int64) {}})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func itemsOf[T any](t *testing.T, values ...T) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(values, ndarray.Shape{int64(len(values))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCopiesOfHDF5KeepDatatypesAndLinks copies a file with what a tree does not tell.
func TestCopiesOfHDF5KeepDatatypesAndLinks(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from.h5")
	to := filepath.Join(dir, "to.h5")
	short := &hdf5.Type{Class: hdf5.IntegerType, Size: 2, Signed: true}
	colours := &hdf5.Type{Class: hdf5.EnumType, Base: short, Members: []hdf5.Member{{Name: "red", Value: -1}, {Name: "blue", Value: 7}}}
	reference := &hdf5.Type{Class: hdf5.ReferenceType, Size: 8}
	w, err := hdf5.Create(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		w.Group("/", []hdf5.Attribute{{Name: "version", Value: 3, Type: short}, {Name: "nothing"},
			{Name: "name", Value: "ab", Type: &hdf5.Type{Class: hdf5.StringType, Size: 5}},
			{Name: "first", Value: "/g/colour", Type: reference}}),
		w.Put(t.Context(), "g/colour", itemsOf(t, int16(7), -1), &hdf5.DatasetOptions{Type: colours, Fill: []byte{255, 255}}),
		w.Put(t.Context(), "refs", itemsOf(t, "/g", "", "/g/colour"), &hdf5.DatasetOptions{Type: reference}),
		w.Commit("colours", colours), w.HardLink("g/same", "g/colour"), w.Link("soft", "/g/none"),
		w.ExternalLink("far", "other.h5", "/x"), w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}

	if left := recreated(t, from, to); left != nil {
		t.Errorf("left out: %v", left)
	}
	f, err := hdf5.Open(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkAttributes(t, f)
	checkDatasets(t, f)
	checkLinks(t, f)
}

func checkAttributes(t *testing.T, f *hdf5.File) {
	t.Helper()
	var types []string
	list, err := f.AllAttributes(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		types = append(types, a.Name+" "+a.Datatype)
	}
	slices.Sort(types)
	want := []string{"first reference to an object", "name string of 5 bytes, ASCII", "nothing uint8", "version int16"}
	if !slices.Equal(types, want) {
		t.Errorf("attributes %q, want %q", types, want)
	}

}

func checkDatasets(t *testing.T, f *hdf5.File) {
	t.Helper()
	d, err := f.Describe(t.Context(), "g/colour")
	if err != nil || d.Type.Class != hdf5.EnumType || len(d.Type.Members) != 2 {
		t.Errorf("%+v, %v", d.Type, err)
	}
	colour, err := f.Dataset(t.Context(), "g/same")
	if err != nil || !slices.Equal(colour.Info().Fill, []byte{255, 255}) {
		t.Errorf("the other name: %v", err)
	}
	refs, err := f.Dataset(t.Context(), "refs")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ndarray.ViewAs[string](refs)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := keys.Read(t.Context()); err != nil || !slices.Equal(got, []string{"/g", "", "/g/colour"}) {
		t.Errorf("references to %q, %v", got, err)
	}

}

func checkLinks(t *testing.T, f *hdf5.File) {
	t.Helper()
	links, err := f.Links(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, l := range links {
		kinds = append(kinds, l.Name+" "+l.Kind.String()+" "+l.Target+l.File)
	}
	slices.Sort(kinds)
	want := []string{"colours hard link ", "far external link /xother.h5", "g hard link ", "refs hard link ", "soft soft link /g/none"}
	if !slices.Equal(kinds, want) {
		t.Errorf("links %q, want %q", kinds, want)
	}
}

// TestCopiesOfNetCDFKeepTypesAndOrder copies a file whose variables are not sorted, with types of
// its own.
func TestCopiesOfNetCDFKeepTypesAndOrder(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from.nc")
	to := filepath.Join(dir, "to.nc")
	byteType := netcdf.TypeNamed("byte")
	clouds := &netcdf.Type{Name: "clouds", Class: netcdf.Enum, Base: byteType, Size: 1,
		Members: []netcdf.Member{{Name: "clear", Value: 0}, {Name: "high", Value: 3}}}
	pair := &netcdf.Type{Name: "pair", Class: netcdf.Compound, Size: 8,
		Members: []netcdf.Member{{Name: "a", Type: netcdf.TypeNamed("int")}, {Name: "b", Type: netcdf.TypeNamed("float")}}}
	x := &netcdf.Dimension{Name: "x", Len: 2}
	unused := &netcdf.Dimension{Name: "unused", Len: 5}
	attributes := []netcdf.Attribute{{Name: "valid_min", Type: netcdf.TypeNamed("short"), Value: 1},
		{Name: "scale", Type: netcdf.TypeNamed("float"), Value: 0.5}, {Name: "unit", Value: "K"},
		{Name: "words", Type: netcdf.TypeNamed("string"), Value: []any{"a", "b"}}}
	inner := &netcdf.Group{Name: "inner", Variables: []*netcdf.Variable{{Name: "c", Type: clouds, Dimensions: []*netcdf.Dimension{x}}}}
	root := &netcdf.Group{Types: []*netcdf.Type{clouds, pair}, Dimensions: []*netcdf.Dimension{x, unused},
		Attributes: attributes, Groups: []*netcdf.Group{inner, {Name: "empty"}},
		Variables: []*netcdf.Variable{{Name: "z", Type: byteType, Dimensions: []*netcdf.Dimension{x}, Attributes: attributes},
			{Name: "p", Type: pair, Dimensions: []*netcdf.Dimension{x}}, {Name: "a", Type: netcdf.TypeNamed("float")}}}
	w, err := netcdf.Create(from, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	type pairOf struct {
		A int32   `cairn:"a"`
		B float32 `cairn:"b"`
	}
	for _, err := range []error{w.Put(t.Context(), "inner/c", itemsOf(t, int8(3), 0)),
		w.Put(t.Context(), "p", itemsOf(t, pairOf{1, 2}, pairOf{3, 4})), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}

	if left := recreated(t, from, to); left != nil {
		t.Errorf("left out: %v", left)
	}
	f, err := netcdf.Open(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	own := headerOf(t, from)
	if got := headerOf(t, to); got != own {
		t.Errorf("%s\nwant\n%s", got, own)
	}
	v, err := f.Variable(t.Context(), "inner/c")
	if err != nil || v.Type.Class != netcdf.Enum || v.Dimensions[0].Name != "x" {
		t.Errorf("%+v, %v", v, err)
	}
}

func headerOf(t *testing.T, path string) string {
	t.Helper()
	f, err := netcdf.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := Holding{Tree: f}
	return h.Header("x")
}
