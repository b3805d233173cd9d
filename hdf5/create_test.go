package hdf5_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func TestFiltersAndChunksAreReadAsWritten(t *testing.T) {
	values := make([]int32, 100*37)
	for i := range values {
		values[i] = int32(i % 50)
	}
	pipelines := [][]filter.Filter{nil, {{ID: filter.Deflate}}, {{ID: filter.Shuffle}, {ID: filter.Zstd}},
		{{ID: filter.LZ4}, {ID: filter.Fletcher32}}, {{ID: filter.Blosc2}}, {{ID: filter.Blosc}}, {{ID: filter.LZF}}}
	for _, chunks := range []ndarray.Shape{{1, 1}, {7, 37}, {100, 5}, {100, 37}, {3, 100}} {
		for i, filters := range pipelines {
			fsys := storage.NewMemory()
			w, err := hdf5.Create("a.h5", &hdf5.CreateOptions{FS: fsys, Memory: 5000, Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			o := &hdf5.DatasetOptions{Chunks: chunks, Filters: filters, MaxShape: ndarray.Shape{-1, -1}, Fill: []byte{9, 0, 0, 0}}
			if err := w.Put(t.Context(), "a", inMemory(t, values, ndarray.Shape{100, 37}), o); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}

			f, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
			if err != nil {
				t.Fatal(err)
			}
			d, err := f.Dataset(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			v, err := ndarray.ViewAs[int32](d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Read(t.Context())
			if err != nil || !slices.Equal(got, values) {
				t.Errorf("chunks %v, pipeline %d: %v", chunks, i, err)
			}
			info := d.Info()
			if !slices.Equal(info.Chunks, chunks) || !slices.Equal(info.MaxShape, ndarray.Shape{-1, -1}) || info.Fill[0] != 9 {
				t.Errorf("%+v", info)
			}
			f.Close()
		}
	}
}

func TestAttributesAndLinksAreReadAsWritten(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := hdf5.Create("a.h5", &hdf5.CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	reference := &hdf5.Type{Class: hdf5.ReferenceType}
	user := &hdf5.Type{Class: hdf5.CompoundType, Size: 12, Members: []hdf5.Member{{Name: "dataset", Type: reference},
		{Name: "dimension", Offset: 8, Type: &hdf5.Type{Class: hdf5.IntegerType, Size: 4, Signed: true}}}}
	colours := &hdf5.Type{Class: hdf5.EnumType, Base: &hdf5.Type{Class: hdf5.IntegerType, Size: 2, Signed: true},
		Members: []hdf5.Member{{Name: "red", Value: -1}, {Name: "green", Value: 300}}}
	long := strings.Repeat("long text ", 20_000)
	given := []hdf5.Attribute{
		{Name: "text", Value: long}, {Name: "n", Value: uint8(7)}, {Name: "empty", Value: []any{}}, {Name: "null"},
		{Name: "bytes", Value: []byte{1, 2}}, {Name: "fixed", Value: "é", Type: &hdf5.Type{Class: hdf5.StringType, Size: 5}},
		{Name: "green", Value: 300, Type: colours},
		{Name: "users", Value: []any{meta.Map{{Key: "dataset", Value: "/late/x"}, {Key: "dimension", Value: 1}}}, Type: user},
		{Name: "lists", Value: []any{[]any{"/late/x", "/"}, []any{}}, Type: &hdf5.Type{Class: hdf5.VariableType, Base: reference}},
		{Name: "large", Value: []any{int64(-1), 1.5}}}
	ctx := t.Context()
	err = errors.Join(w.Group("/", given), w.Commit("colours", colours), w.Link("soft", "late/x"),
		w.Put(ctx, "late/x", inMemory(t, []int8{1}, ndarray.Shape{}), nil), w.Close())
	if err != nil {
		t.Fatal(err)
	}

	f, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.AllAttributes(ctx, "/")
	if err != nil {
		t.Fatal(err)
	}
	wants := []any{long, int64(7), []any{}, nil, []byte{1, 2}, "é", int64(300),
		[]any{meta.Map{{Key: "dataset", Value: "/late/x"}, {Key: "dimension", Value: int64(1)}}},
		[]any{[]any{"/late/x", "/"}, []any{}}, []any{-1.0, 1.5}}
	for i, want := range wants {
		if got := list[i]; got.Name != given[i].Name || got.Err != nil || !reflect.DeepEqual(got.Value, want) {
			t.Errorf("attribute %s is %.99v, %v, want %.99v", got.Name, got.Value, got.Err, want)
		}
	}
	links, err := f.Links(ctx, "/")
	if err != nil || len(links) != 3 || links[0].Name != "colours" || links[1].Name != "soft" || links[2].Name != "late" {
		t.Errorf("links %v, %v", links, err)
	}
	if d, err := f.Describe(ctx, "colours"); err != nil || d.Dataset || d.Type.Members[0].Value != -1 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := f.Dataset(ctx, "soft"); err != nil || len(d.Shape()) != 0 {
		t.Errorf("through a link: %v", err)
	}
}

func TestTextsAreReadAsWritten(t *testing.T) {
	type record struct {
		Name  string `cairn:"name,U6"`
		Value float64
	}
	fsys := storage.NewMemory()
	w, err := hdf5.Create("a.h5", &hdf5.CreateOptions{FS: fsys, Memory: 100})
	if err != nil {
		t.Fatal(err)
	}
	records := []record{{"é日", 1}, {"", 2}, {"abcdef", 3}}
	a, err := ndarray.FromSlice(records, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 5000)
	for i := range texts {
		texts[i] = strings.Repeat("x", i%40)
	}
	b, err := ndarray.FromSlice(texts, ndarray.Shape{50, 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &hdf5.DatasetOptions{Chunks: ndarray.Shape{7, 9}, Filters: []filter.Filter{{ID: filter.Deflate}}}
	if err := errors.Join(w.Put(t.Context(), "records", a, nil), w.Put(t.Context(), "texts", b, o), w.Close()); err != nil {
		t.Fatal(err)
	}

	f, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := readAs[record](t, f, "records"); !slices.Equal(got, records) {
		t.Errorf("%v", got)
	}
	if got := readAs[string](t, f, "texts"); !slices.Equal(got, texts) {
		t.Errorf("%q", got)
	}
}

func readAs[T any](t *testing.T, f *hdf5.File, key string) []T {
	t.Helper()
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ndarray.ViewAs[T](d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWhatFilesCannotHoldIsRefused(t *testing.T) {
	dir := t.TempDir()
	w, err := hdf5.Create(filepath.Join(dir, "a.h5"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	src := inMemory(t, []int16{1, 2, 3}, ndarray.Shape{3})
	put := func(key string, o *hdf5.DatasetOptions) error { return w.Put(ctx, key, src, o) }
	attribute := func(a ...hdf5.Attribute) error { return put("new", &hdf5.DatasetOptions{Attributes: a}) }
	if err := put("a", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		got  error
		want error
	}{
		{"name", put("a", nil), cairn.ErrBounds},
		{"below a dataset", put("a/b", nil), cairn.ErrBounds},
		{"a group", w.Group("a", nil), cairn.ErrBounds},
		{"dot", put("x/./y", nil), cairn.ErrUnsupported},
		{"link", w.Link("l", ""), cairn.ErrUnsupported},
		{"fill", put("new", &hdf5.DatasetOptions{Fill: []byte{1}}), cairn.ErrType},
		{"chunks", put("new", &hdf5.DatasetOptions{Chunks: ndarray.Shape{4}}), cairn.ErrBounds},
		{"rank", put("new", &hdf5.DatasetOptions{Chunks: ndarray.Shape{1, 1}}), cairn.ErrBounds},
		{"maximum", put("new", &hdf5.DatasetOptions{MaxShape: ndarray.Shape{2}}), cairn.ErrBounds},
		{"compact", put("new", &hdf5.DatasetOptions{Compact: true, Chunks: ndarray.Shape{1}}), cairn.ErrUnsupported},
		{"filter", put("new", &hdf5.DatasetOptions{Filters: []filter.Filter{{ID: 305}}}), cairn.ErrUnsupported},
		{"type", put("new", &hdf5.DatasetOptions{Type: &hdf5.Type{Class: hdf5.FloatType, Size: 8}}), cairn.ErrType},
		{"size", attribute(hdf5.Attribute{Name: "a", Value: make([]int64, 1<<21+1)}), cairn.ErrUnsupported},
		{"hard link", w.HardLink("a", "b"), cairn.ErrBounds},
		{"external link", w.ExternalLink("far", "", "/"), cairn.ErrUnsupported},
		{"types", attribute(hdf5.Attribute{Name: "a", Value: []any{"a", 1}}), cairn.ErrUnsupported},
		{"Go type", attribute(hdf5.Attribute{Name: "a", Value: func() {}}), cairn.ErrUnsupported},
		{"twice", attribute(hdf5.Attribute{Name: "a", Value: 1}, hdf5.Attribute{Name: "a", Value: 2}), cairn.ErrBounds},
		{"no name", attribute(hdf5.Attribute{Value: 1}), cairn.ErrUnsupported},
		{"dtype", w.Put(ctx, "new", untyped{src}, nil), cairn.ErrUnsupported},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}

	// What only the values of attributes show ends the file.
	if err := attribute(hdf5.Attribute{Name: "a", Value: "/nowhere", Type: &hdf5.Type{Class: hdf5.ReferenceType}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a reference to nothing: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// untyped is a source of items of a dtype that is not understood.
type untyped struct{ ndarray.Source }

func (untyped) DType() meta.DType { return meta.Opaque("odd", 2) }

// failing is a source whose items cannot be read.
type failing struct{ ndarray.Source }

var errFailing = errors.New("no items")

func (failing) ReadBytes(context.Context, []byte, []int64, []int64) error { return errFailing }

func TestFilesWithoutSomeItemsAreNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := hdf5.Create(path, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without Overwrite: %v", err)
	}
	w, err := hdf5.Create(path, &hdf5.CreateOptions{Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	src := failing{inMemory(t, []int16{1, 2, 3}, ndarray.Shape{3})}
	if err := w.Put(t.Context(), "a", src, nil); !errors.Is(err, errFailing) {
		t.Errorf("Put: %v", err)
	}
	if err := w.Close(); !errors.Is(err, errFailing) {
		t.Errorf("Close: %v", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the old file is %q, %v", b, err)
	}
}

// inMemory returns items as a source on machines of either byte order.
func inMemory[T any](t *testing.T, values []T, shape ndarray.Shape) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(values, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestScalesAreAttachedToDatasets(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := hdf5.Create("a.h5", &hdf5.CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	field := &hdf5.DatasetOptions{Scales: []string{"/x", "g/y"}}
	if err := w.Put(t.Context(), "t", inMemory(t, make([]int32, 6), ndarray.Shape{2, 3}), field); err != nil {
		t.Fatal(err)
	}
	for key, n := range map[string]int64{"x": 2, "g/y": 3} {
		o := &hdf5.DatasetOptions{Scale: "of " + key}
		if err := w.Put(t.Context(), key, inMemory(t, make([]int32, n), ndarray.Shape{n}), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []*hdf5.DatasetOptions{{Scales: []string{"/x", "/x"}}, {Scales: []string{"/x"}, Scale: "z"}} {
		if err := w.Put(t.Context(), "z", inMemory(t, make([]int32, 2), ndarray.Shape{2}), bad); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("scales %q of one dimension, name %q: %v", bad.Scales, bad.Scale, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Dataset(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if l, err := d.Labels(); err != nil || !slices.Equal(l.Dims, []string{"x", "y"}) {
		t.Errorf("dimensions %q, %v", l.Dims, err)
	}
	users, ok, err := f.Attribute(t.Context(), "/g/y", "REFERENCE_LIST")
	if want := "[[{dataset /t} {dimension 1}]]"; !ok || err != nil || fmt.Sprint(users.Value) != want {
		t.Errorf("users of y: %v, %v, want %s", users.Value, err, want)
	}

	if w, err = hdf5.Create("b.h5", &hdf5.CreateOptions{FS: fsys}); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "t", inMemory(t, make([]int32, 2), ndarray.Shape{2}),
		&hdf5.DatasetOptions{Scales: []string{"/none"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a scale that is not there: %v", err)
	}
}

// TestLargeAttributesAreReadAsWritten writes attributes that no header can have, which those beside
// them then do not have a place in either.
func TestLargeAttributesAreReadAsWritten(t *testing.T) {
	large := make([]int32, 40_000)
	for i := range large {
		large[i] = int32(i * i)
	}
	attributes := []hdf5.Attribute{{Name: "large", Value: large}, {Name: "nothing"}}
	for i := range 300 {
		attributes = append(attributes, hdf5.Attribute{Name: fmt.Sprint("a", i), Value: int16(i)})
	}

	fsys := storage.NewMemory()
	w, err := hdf5.Create("a.h5", &hdf5.CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Group("g", attributes), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	list, err := f.AllAttributes(t.Context(), "g")
	if err != nil || len(list) != len(attributes) {
		t.Fatalf("%d attributes, %v", len(list), err)
	}
	for i, a := range list {
		if a.Name != attributes[i].Name || a.Err != nil {
			t.Errorf("attribute %d is %q, want %q: %v", i, a.Name, attributes[i].Name, a.Err)
		}
		if i > 1 && a.Value != int64(i-2) {
			t.Errorf("%s is %v", a.Name, a.Value)
		}
	}
	if values := list[0].Value.([]any); len(values) != len(large) || values[39_999] != int64(large[39_999]) {
		t.Errorf("%d values", len(values))
	}
}
