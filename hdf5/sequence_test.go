package hdf5

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// textsOf returns all items of a dataset of texts.
func textsOf(t *testing.T, f *File, key string) []string {
	t.Helper()
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	view, err := ndarray.ViewAs[string](d)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := view.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestSequencesAreLists reads sequences of variable length as text of JSON.
func TestSequencesAreLists(t *testing.T) {
	f := openGolden(t, "rare/sequences.h5")
	for key, want := range map[string][]string{
		"rows": {"[1, -2, 3]", "[]", "[]", "[7]"}, "scalar": {"[0.5, 2]"},
	} {
		if got := textsOf(t, f, key); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}

	d, err := f.Dataset(t.Context(), "rows")
	if err != nil || !d.Sequences() || d.DType().String() != "<U10" {
		t.Errorf("rows: %v, %v", d, err)
	}
	other, err := openGolden(t, "strings-latest.h5").Dataset(t.Context(), "mixed")
	if err != nil || other.Sequences() {
		t.Errorf("texts are sequences (%v)", err)
	}
}

// TestRegionsAreText reads references to regions: none, and what TestRegions of package format and
// check/hdf5 have.
func TestRegionsAreText(t *testing.T) {
	if got := textsOf(t, openGolden(t, "odd.h5"), "refused/region"); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("regions that lead nowhere: %q", got)
	}
}

// sequenceCases are texts of sequences, by the datatype of their elements.
var sequenceCases = []struct {
	base  *Type
	texts []string
}{
	{&Type{Class: IntegerType, Size: 4, Signed: true}, []string{"[1, -2, 2147483647]", "[]", "[7]"}},
	{&Type{Class: IntegerType, Size: 8}, []string{"[18446744073709551615]", "[0, 1]"}},
	{&Type{Class: FloatType, Size: 4}, []string{"[0.1, 1e+20, \"nan\", \"inf\", \"-inf\", -0]"}},
	{&Type{Class: FloatType, Size: 8}, []string{"[0.3333333333333333, 5e-324]", "[]"}},
	{&Type{Class: VariableType, Text: true}, []string{`["a\"b", "", "é\n"]`, "[]"}},
	{&Type{Class: StringType, Size: 3}, []string{`["abc", ""]`}},
	{&Type{Class: OpaqueType, Size: 2}, []string{`["00ff", "0102"]`}},
	{&Type{Class: ArrayType, Shape: []int64{2}, Base: &Type{Class: IntegerType, Size: 1}}, []string{"[[1, 2], [3, 4]]"}},
	{&Type{Class: VariableType, Base: &Type{Class: IntegerType, Size: 2}}, []string{"[[1], [], [2, 3]]"}},
	{&Type{Class: CompoundType, Size: 12, Members: []Member{
		{Name: "n", Type: &Type{Class: IntegerType, Size: 4}}, {Name: "x", Offset: 4, Type: &Type{Class: FloatType, Size: 8}}}},
		[]string{`[{"n": 1, "x": 0.5}, {"n": 2, "x": -1}]`}},
}

// TestSequencesAreWrittenFromTheirText writes texts as sequences, and reads the same texts. That
// others read the same values is checked by check/written.
func TestSequencesAreWrittenFromTheirText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := func(i int) string { return string(rune('a' + i)) }
	for i, c := range sequenceCases {
		src, err := ndarray.FromSlice(c.texts, ndarray.Shape{int64(len(c.texts))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := &DatasetOptions{Type: &Type{Class: VariableType, Base: c.base}}
		if err := w.Put(t.Context(), name(i), src, o); err != nil {
			t.Fatalf("%s: %v", c.texts, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, c := range sequenceCases {
		if got := textsOf(t, f, name(i)); !slices.Equal(got, c.texts) {
			t.Errorf("%q, want %q", got, c.texts)
		}
	}
}

// TestTextsThatAreNoSequences writes texts that are none of the datatype.
func TestTextsThatAreNoSequences(t *testing.T) {
	base := &Type{Class: IntegerType, Size: 1, Signed: true}
	for _, text := range []string{"1", "[1", "[1] 2", "[300]", "[0.5]", `["a"]`, "{}", "[[1]]", "null"} {
		w, err := Create(filepath.Join(t.TempDir(), "a.h5"), nil)
		if err != nil {
			t.Fatal(err)
		}
		src, err := ndarray.FromSlice([]string{text}, ndarray.Shape{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Put(t.Context(), "a", src, &DatasetOptions{Type: &Type{Class: VariableType, Base: base}})
		if !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s: %v", text, err)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
}

// rawItems are items of one dimension in memory.
type rawItems struct {
	dtype meta.DType
	items []byte
}

func (r *rawItems) Shape() ndarray.Shape { return ndarray.Shape{int64(len(r.items) / r.dtype.Size())} }

func (r *rawItems) DType() meta.DType { return r.dtype }

func (r *rawItems) Grid() (chunks, blocks ndarray.Shape) { return r.Shape(), r.Shape() }

func (r *rawItems) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	copy(dst, r.items[start[0]*int64(r.dtype.Size()):stop[0]*int64(r.dtype.Size())])
	return nil
}

// TestSequencesInCompounds writes and reads compounds that have sequences, also with room between
// the fields.
func TestSequencesInCompounds(t *testing.T) {
	typ := &Type{Class: CompoundType, Size: 40, Members: []Member{
		{Name: "n", Offset: 2, Type: &Type{Class: IntegerType, Size: 4, Signed: true}},
		{Name: "list", Offset: 16, Type: &Type{Class: VariableType, Base: &Type{Class: FloatType, Size: 4}}}}}
	d, err := meta.ParseDType("[('n', '<i4'), ('list', '<U9')]")
	if err != nil || !typ.Fits(d) {
		t.Fatalf("%v does not fit (%v)", d, err)
	}
	type row struct {
		N    int32  `cairn:"n"`
		List string `cairn:"list"`
	}
	want := []row{{1, "[0.5, 2]"}, {-2, "[]"}}
	items := make([]byte, 2*d.Size())
	for i, r := range want {
		item := items[i*d.Size():]
		item[0], item[1], item[2], item[3] = byte(r.N), byte(r.N>>8), byte(r.N>>16), byte(r.N>>24)
		for k, c := range r.List {
			item[4+4*k] = byte(c)
		}
	}

	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	src := &rawItems{d, items}
	if err := w.Put(t.Context(), "a", src, &DatasetOptions{Type: typ}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := f.Dataset(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	view, err := ndarray.ViewAs[row](a)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := view.Read(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}
