package zarr

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// saved saves an array of three items with attributes, and returns its documents and it.
func saved(t *testing.T, dtype string, version int, attributes meta.Map) (docs string, a *Array, leftOut []string) {
	t.Helper()
	u, err := ndarray.NewUntyped(dtype, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := u.SetLabels(ndarray.Labels{Dims: []string{"x"}, Attributes: attributes}); err != nil {
		t.Fatal(err)
	}

	fsys := storage.NewMemory()
	o := &SaveOptions{Version: version, FS: fsys, LeftOut: func(name string, _ error) { leftOut = append(leftOut, name) }}
	if err := Save(t.Context(), "a.zarr", u, o); err != nil {
		t.Fatal(err)
	}
	for _, name := range map[int][]string{2: {nameArrayV2, nameAttributesV2}, 3: {nameV3}}[version] {
		doc, err := get(t.Context(), files{fsys, "a.zarr"}, name, 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(doc) {
			t.Errorf("%s is no JSON: %s", name, doc)
		}
		docs += string(doc)
	}

	s, err := Open("a.zarr", &OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = s.Array(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return docs, a, leftOut
}

// The attribute _FillValue is where xarray looks for it, in the form that it expects.
func TestMarksOfMissingItems(t *testing.T) {
	nan32, big := float32(math.NaN()), float32(1e20)
	for _, c := range []struct {
		dtype  string
		value  any
		v2, v3 string // in documents
		back   any    // what is read; nil means value
	}{
		{"<f4", float32(-999), `"fill_value": -999.0`, `"_FillValue": "AAAAAAA4j8A="`, nil},
		{"<f4", -999.0, `"fill_value": -999.0`, `"_FillValue": "AAAAAAA4j8A="`, float32(-999)},
		{"<f4", big, `"fill_value": 1.0000000200408773e+20`, `"_FillValue": "AAAAgB2vFUQ="`, nil},
		{"<f4", nan32, `"fill_value": "NaN"`, `"_FillValue": "AAAAAAAA+H8="`, nil},
		{"<f4", int64(5), `"fill_value": 5.0`, `"_FillValue": "AAAAAAAAFEA="`, float32(5)},
		{"<f4", []any{big}, `"fill_value": 1.0000000200408773e+20`, `"_FillValue": "AAAAgB2vFUQ="`, big},
		{"|S1", "b", `"fill_value": "Yg=="`, `"missing_value": "b"`, nil},
		{">f8", math.Inf(-1), `"fill_value": "-Infinity"`, `"_FillValue": "AAAAAAAA8P8="`, nil},
		{"<i2", int64(-1), `"fill_value": -1`, `"_FillValue": -1`, nil},
		{">u8", uint64(1<<64 - 1), `"fill_value": 18446744073709551615`, `"_FillValue": 18446744073709551615`, nil},
	} {
		for version, want := range map[int]string{2: c.v2, 3: c.v3} {
			docs, a, _ := saved(t, c.dtype, version, meta.Map{{Key: cf.FillValue, Value: c.value}})
			if !strings.Contains(docs, want) {
				t.Errorf("%s %v, version %d: %s, no %s", c.dtype, c.value, version, docs, want)
			}
			got, _ := a.attributes.Get(cf.FillValue)
			wanted := c.back
			if wanted == nil {
				wanted = c.value
			}
			if c.dtype == "|S1" && version == 3 { // where xarray refuses the attribute
				continue
			}
			if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", wanted, wanted) {
				t.Errorf("%s, version %d: %v became %T %v", c.dtype, version, c.value, got, got)
			}
		}
	}
}

// A mark that xarray has no form for in version 3 does not make it refuse the store.
func TestMarksThatXarrayRefuses(t *testing.T) {
	for _, c := range []struct {
		dtype      string
		attributes meta.Map
		want       string // the attributes in the document
	}{
		{"|S3", meta.Map{{Key: cf.FillValue, Value: "x"}}, `{"missing_value":"x"}`},
		{"<U3", meta.Map{{Key: cf.FillValue, Value: "x"}, {Key: cf.MissingValue, Value: "y"}}, `{"missing_value":"y"}`},
		{"<f4", meta.Map{{Key: cf.FillValue, Value: []any{1.0, 2.0}}}, `{"missing_value":[1.0,2.0]}`},
		{"<i4", meta.Map{{Key: cf.FillValue, Value: math.NaN()}}, `{}`},
		{"<i4", meta.Map{{Key: cf.FillValue, Value: 1.5}}, `{"missing_value":1.5}`},
		{"|b1", meta.Map{{Key: cf.FillValue, Value: true}}, `{"_FillValue":true}`},
		{"<c8", meta.Map{{Key: cf.FillValue, Value: 1.0}}, `{"_FillValue":["AAAAAAAA8D8=","AAAAAAAAAAA="]}`},
	} {
		docs, _, _ := saved(t, c.dtype, 3, c.attributes)
		var doc struct{ Attributes json.RawMessage }
		if err := json.Unmarshal([]byte(docs), &doc); err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer("\n", "", " ", "").Replace(string(doc.Attributes))
		if got != c.want {
			t.Errorf("%s %v: %s, want %s", c.dtype, c.attributes, got, c.want)
		}
	}
}

// xarray finds missing items of big-endian integers that _Unsigned takes for unsigned only if their
// dtype is that in version 2, and refuses fill values of version 3 that are too large for the
// signed integers that it shall take items for.
func TestIntegersOfTheOtherSign(t *testing.T) {
	for _, c := range []struct{ dtype, sign, want string }{
		{">i2", "true", `"dtype": "\u003eu2"`}, {"<i2", "true", `"dtype": "\u003ci2"`}, {">i4", "false", `"dtype": "\u003ei4"`},
	} {
		docs, a, _ := saved(t, c.dtype, 2, meta.Map{{Key: cf.FillValue, Value: int64(-2)}, {Key: "_Unsigned", Value: c.sign}})
		if !strings.Contains(docs, c.want) || !strings.Contains(docs, `"_Unsigned": "`+c.sign+`"`) {
			t.Errorf("%s, _Unsigned %s: %s, no %s", c.dtype, c.sign, docs, c.want)
		}
		if m := cf.Of(a.DType(), a.attributes); len(m.Missing) != 1 || m.Missing[0].Float != map[bool]float64{true: 65534, false: -2}[c.sign == "true"] {
			t.Errorf("%s, _Unsigned %s: missing are %v", c.dtype, c.sign, m.Missing)
		}
	}
	docs, _, _ := saved(t, ">i2", 3, meta.Map{{Key: cf.FillValue, Value: int64(-2)}, {Key: "_Unsigned", Value: "true"}})
	if !strings.Contains(docs, `"data_type": "int16"`) {
		t.Errorf("version 3: %s", docs)
	}

	docs, a, _ := saved(t, ">u2", 3, meta.Map{{Key: cf.FillValue, Value: int64(65535)}, {Key: "_Unsigned", Value: "false"}})
	if !strings.Contains(docs, `"data_type": "int16"`) || !strings.Contains(docs, `"_FillValue": -1`) {
		t.Errorf("version 3, _Unsigned false: %s", docs)
	}
	if m := cf.Of(a.DType(), a.attributes); len(m.Missing) != 1 || m.Missing[0].Float != -1 {
		t.Errorf("version 3, _Unsigned false: missing are %v", m.Missing)
	}
}

// Numbers are those that the attribute holds, and what JSON has no number for is left out.
func TestAttributesAreStrictJSON(t *testing.T) {
	for version := 2; version <= 3; version++ {
		docs, a, leftOut := saved(t, "<f4", version, meta.Map{
			{Key: cf.MissingValue, Value: []any{float32(math.NaN()), float32(1e20)}}, {Key: "scale_factor", Value: float32(0.1)},
			{Key: "valid_max", Value: math.Inf(1)}, {Key: "levels", Value: []any{1.0, math.NaN()}}, {Key: "n", Value: int64(3)},
		})
		for _, want := range []string{"1.0000000200408773e+20", "0.10000000149011612"} {
			if !strings.Contains(docs, want) {
				t.Errorf("version %d: no %s in %s", version, want, docs)
			}
		}
		if !slices.Equal(leftOut, []string{"valid_max", "levels"}) {
			t.Errorf("version %d: left out %q", version, leftOut)
		}
		if len(a.attributes) != 3 {
			t.Errorf("version %d: %v", version, a.attributes)
		}
	}

	docs, _, leftOut := saved(t, "<f4", 3, meta.Map{{Key: cf.MissingValue, Value: math.NaN()}})
	if strings.Contains(docs, cf.MissingValue) || leftOut != nil { // it marks no other item
		t.Errorf("%s, left out %q", docs, leftOut)
	}
}

// Numbers in version 2 without a mark have no fill value, which xarray would take for one.
func TestOpenFillValues(t *testing.T) {
	for _, dtype := range []string{"<f4", "|S3", "<U2", "<M8[ns]", "|b1", "<c8"} {
		docs, a, _ := saved(t, dtype, 2, nil)
		if !strings.Contains(docs, `"fill_value": null`) {
			t.Errorf("%s: %s", dtype, docs)
		}
		fsys := storage.NewMemory()
		if err := Save(t.Context(), "b.zarr", a, &SaveOptions{Version: 2, FS: fsys}); err != nil {
			t.Fatal(err)
		}
		doc, err := get(t.Context(), files{fsys, "b.zarr"}, nameArrayV2, 1<<20, nil)
		if err != nil || !strings.Contains(string(doc), `"fill_value": null`) {
			t.Errorf("copy of %s: %s %v", dtype, doc, err)
		}
	}
}

func TestFillsOfVersion2(t *testing.T) {
	for _, c := range []struct{ dtype, fill, want string }{
		{"<f4", `"0"`, "\x00\x00\x00\x00"}, {"<f4", `"1.5"`, "\x00\x00\xc0\x3f"}, {"<u2", `"258"`, "\x02\x01"},
		{"<M8[ns]", "null", "\x00\x00\x00\x00\x00\x00\x00\x80"}, {"<m8[s]", "null", "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{"<i4", "null", "\x00\x00\x00\x00"}, {"<f4", `"-"`, ""}, {"<i2", `""`, ""}, {"<i2", `"NaN"`, ""},
	} {
		d, err := parseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		v, err := parseJSON([]byte(c.fill), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if item, err := fillItem(v, d); string(item) != c.want && c.want != "" || (err == nil) != (c.want != "") {
			t.Errorf("%s %s: %q, %v", c.dtype, c.fill, item, err)
		}
	}
}

// Groups of xarray have arrays without dimensions too.
func TestScalarsHaveNamesOfDimensions(t *testing.T) {
	u, err := ndarray.NewUntyped("<f8", ndarray.Shape{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fsys := storage.NewMemory()
	if err := Save(t.Context(), "a.zarr", u, &SaveOptions{Version: 2, FS: fsys}); err != nil {
		t.Fatal(err)
	}
	doc, err := get(t.Context(), files{fsys, "a.zarr"}, nameAttributesV2, 1<<20, nil)
	if err != nil || !strings.Contains(string(doc), `"_ARRAY_DIMENSIONS": []`) {
		t.Errorf("%s %v", doc, err)
	}
}

// TestMarksOfBytes writes marks of missing bytes in version 3, which has none: it is told, unless
// the bytes are text by an attribute, for then programs find nothing missing.
func TestMarksOfBytes(t *testing.T) {
	mark := meta.Pair{Key: "_FillValue", Value: "-"}
	docs, _, leftOut := saved(t, "|S1", 3, meta.Map{mark})
	if !slices.Equal(leftOut, []string{"_FillValue"}) || !strings.Contains(docs, `"missing_value": "-"`) {
		t.Errorf("%v is left out of %s", leftOut, docs)
	}
	docs, _, leftOut = saved(t, "|S1", 3, meta.Map{mark, {Key: "_Encoding", Value: "utf-8"}})
	if leftOut != nil || strings.Contains(docs, "missing_value") || strings.Contains(docs, "FillValue") {
		t.Errorf("%v is left out of %s", leftOut, docs)
	}
	if _, _, leftOut = saved(t, "|S1", 2, meta.Map{mark}); leftOut != nil {
		t.Errorf("%v is left out of version 2", leftOut)
	}
}
