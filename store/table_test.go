package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestTables reads tables written by python-blosc2: their columns, and the rows of arrays and
// texts.
func TestTables(t *testing.T) {
	s, err := Open("testdata/tables.b2z", nil)
	check(t, err)
	defer s.Close()
	table, err := s.Table(t.Context(), "g/table")
	check(t, err)
	var got []string
	for _, c := range table.Columns {
		got = append(got, fmt.Sprintf("%s %s %s %q %s %v", c.Name, c.Type, c.Encoding, c.DType, c.Nullable, c.Null))
	}
	want := []string{
		`x int64 plain "<i8" no nulls <nil>`, `y float64 plain "<f8" null value <nil>`, `b bool plain "|b1" no nulls <nil>`, `s string plain "<U8" no nulls <nil>`,
		`u utf8 text "<i8" no nulls <nil>`, `d dictionary dictionary "<i4" null code -1`, `v vlstring batches "" no nulls <nil>`, `l list[int64] batches "" no nulls <nil>`,
		`t timestamp[us] plain "<i8" no nulls <nil>`, `n ndarray[2] of <f4 plain "<f4" no nulls <nil>`, `m int32 plain "<i4" null mask <nil>`,
	}
	if !slices.Equal(got, want) || table.Rows != 5 || table.Key != "/g/table" || table.Valid != "/g/table/_valid_rows" {
		t.Errorf("%d rows of %q", table.Rows, got)
	}
	if x := leafOf[int64](t, s, "/g/table/x"); !slices.Equal(x, []int64{0, 1, 3, 4, 5}) {
		t.Errorf("x: %v", x)
	}
	if y := leafOf[float64](t, s, table.Columns[1].Leaf); !math.IsNaN(y[3]) || y[4] != 2.5 {
		t.Errorf("y: %v", y)
	}
	if valid := leafOf[bool](t, s, table.Columns[10].Mask); !slices.Equal(valid, []bool{true, true, false, true, true}) {
		t.Errorf("the mask of m: %v", valid)
	}
	texts, missing, err := s.Texts(t.Context(), &table.Columns[4], 1, 4)
	if err != nil || !slices.Equal(texts, []string{"é1", "é3é3é3", "é4é4é4é4"}) ||
		slices.Contains(missing, true) {
		t.Errorf("u: %v, %v, %v", texts, missing, err)
	}
	words, wordless, err := s.Texts(t.Context(), &table.Columns[5], 0, 5)
	if err != nil || !slices.Equal(words, []string{"red", "green", "red", "green", ""}) ||
		slices.Index(wordless, true) != 4 {
		t.Errorf("d: %v, %v, %v", words, wordless, err)
	}
	for key, want := range map[string]string{"/g/table/v": "[vl0 vl1 vl3 vl4 vl5]", "/g/table/l": "[[] [1] [3 3 3] [4 4 4 4] [5 5 5 5 5]]"} {
		if got := valuesOf(t, s, key); fmt.Sprint(got) != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if _, _, err := s.Texts(t.Context(), &table.Columns[0], 0, 1); !errors.Is(err, cairn.ErrType) {
		t.Errorf("texts of numbers: %v", err)
	}
	for _, r := range [][2]int64{{-1, 2}, {2, 1}, {4, 7}, {0, 1 << 62}} {
		if _, _, err := s.Texts(t.Context(), &table.Columns[4], r[0], r[1]); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("rows %v: %v", r, err)
		}
	}
	if _, err := s.Table(t.Context(), "/g"); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a group as a table: %v", err)
	}
}

func valuesOf(t *testing.T, s *Store, key string) []any {
	t.Helper()
	var values []any
	for v, err := range s.Values(t.Context(), key) {
		check(t, err)
		values = append(values, v)
	}
	return values
}

// TestStoresThatAreTables reads a store that is a table, and counts its rows.
func TestStoresThatAreTables(t *testing.T) {
	s, err := Open("testdata/table.b2z", nil)
	check(t, err)
	defer s.Close()
	table, err := s.Table(t.Context(), "/")
	check(t, err)
	objects, err := s.Objects()
	check(t, err)
	n, err := s.countTrue(t.Context(), table.Valid)
	check(t, err)
	if table.Rows != 5 || n != 5 || len(table.Columns) != 2 || table.Columns[0].Mask != "/_cols/x.notnull" || objects["/"] != Table {
		t.Errorf("%d rows, %d counted, of %v; objects %v", table.Rows, n, table.Columns, objects)
	}
	if y := leafOf[float64](t, s, "/y"); len(y) != 6 || y[5] != 2.5 {
		t.Errorf("y: %v", y)
	}
}

func TestValuesOfObjects(t *testing.T) {
	s, err := Open("testdata/tables.b2z", nil)
	check(t, err)
	defer s.Close()
	for key, want := range map[string]string{"/objects": "[[{k [1 2]}] [1 two] <nil> [98 121 116 101 115]]", "/batches": "[1 two 3.5 [4 5]]", "/lists": "[[1] [] [2 3]]"} {
		if got := valuesOf(t, s, key); fmt.Sprint(got) != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if _, ok := valuesOf(t, s, "/objects")[1].(meta.Tuple); !ok {
		t.Error("a tuple is none")
	}
	for _, err := range s.Values(t.Context(), "/array") {
		if !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("objects of an array: %v", err)
		}
	}
	for range s.Values(t.Context(), "/batches") {
		break
	}
}

// TestReferencesToArrays checks the kinds of references, and reads the fetched part of a proxy.
func TestReferencesToArrays(t *testing.T) {
	s, err := Open("testdata/kinds.b2z", nil)
	check(t, err)
	defer s.Close()
	for key, want := range map[string]Kind{"/array": Array, "/lazy": Lazy, "/proxy": Proxy} {
		if got, err := s.Kind(key); err != nil || got != want {
			t.Errorf("%s is a %s, %v", key, got, err)
		}
	}
	u, err := s.Array(t.Context(), "/proxy")
	check(t, err)
	got, err := u.Read(t.Context(), ndarray.To(5))
	if _, missing := u.Read(t.Context()); err != nil || got[4] != 1 || len(got) != 20 || !errors.Is(missing, cairn.ErrNotFound) {
		t.Errorf("/proxy: %v, %v; what was not fetched: %v", got, err, missing)
	}
	check(t, u.Close())
	root, err := s.Attributes(t.Context(), "/")
	check(t, err)
	lazy, _ := root.Get("lazy")
	values, _ := root.Get("values")
	array, _ := get[meta.Ext](values, "array")
	if x, ok := lazy.(meta.Ext); !ok || x.Type != 43 || array.Type != 42 {
		t.Errorf("attributes %v", root)
	}
}

func TestNumbersThatAreNotJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": NaN, "b": [-Infinity, Infinity]}`: `{"a": null, "b": [null, null]}`,
		`{"NaN": "Infinity \" NaN", "c\\": NaN}`: `{"NaN": "Infinity \" NaN", "c\\": null}`,
		`"\`:                                     `"\`,
	} {
		if got := derived.WithoutNaN(text, asNull); string(got) != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// FuzzTable reads the table and the objects of damaged stores.
func FuzzTable(f *testing.F) {
	for _, name := range []string{"testdata/tables.b2z", "testdata/table.b2z"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := cairn.Limits{MaxAlloc: 1 << 20, MaxIndex: 1 << 20, MaxMeta: 1 << 20}
		s, err := OpenReader(bytes.NewReader(data), int64(len(data)), "x",
			&OpenOptions{Workers: 1, Engine: chunk.Engine{Limits: limits}})
		if err != nil {
			return
		}
		defer s.Close()
		for _, group := range groupsOf(t.Context(), s) {
			table, err := s.Table(t.Context(), group)
			if err != nil {
				continue
			}
			for i := range table.Columns {
				s.Texts(t.Context(), &table.Columns[i], 0, min(table.Rows, 100))
			}
		}
		for l := range s.Leaves() {
			for _, err := range s.Values(t.Context(), l.Key) {
				if err != nil {
					break
				}
			}
		}
	})
}
