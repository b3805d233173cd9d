package meta

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// dtypeRow is NumPy's description of a type; testdata/gen_dtypes.py writes them.
type dtypeRow struct {
	In, Repr, Str, Short, Stored, Descr, Kind string
	Size                                      int
	Lossless, Aligned                         bool
	// name, title, offset, stored form of the type
	Fields [][4]any
	Elem   string
	Shape  []int
}

func dtypeRows(t testing.TB) []dtypeRow {
	t.Helper()
	b, err := os.ReadFile("testdata/dtypes.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []dtypeRow
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 150 {
		t.Fatalf("only %d dtypes recorded", len(rows))
	}
	return rows
}

func mustParse(t testing.TB, s string) DType {
	t.Helper()
	d, err := ParseDType(s)
	if err != nil {
		t.Fatalf("ParseDType(%q): %v", s, err)
	}
	return d
}

func TestDTypeLikeNumPy(t *testing.T) {
	for _, row := range dtypeRows(t) {
		t.Run(row.Stored, func(t *testing.T) {
			texts := []string{row.Stored, row.Str, row.Repr, row.In}
			if !row.Lossless {
				// NumPy's text has lost the layout; only the descr of .npy headers has it.
				texts = nil
			}
			for _, text := range texts {
				if text == "" {
					continue
				}
				d := mustParse(t, text)
				if got := d.String(); got != row.Stored {
					t.Errorf("%s: String is %s, want %s", text, got, row.Stored)
				}
				checkDType(t, d, row)
			}
			if row.Descr != "" && !strings.HasPrefix(row.Stored, "(") {
				d := mustParse(t, row.Descr)
				if got := d.NumPy(); got != row.Descr {
					t.Errorf("NumPy is %s, want %s", got, row.Descr)
				}
				if d.Size() != row.Size {
					t.Errorf("size of %s is %d, want %d", row.Descr, d.Size(), row.Size)
				}
			}
		})
	}
}

// checkDType compares everything except the text.
func checkDType(t *testing.T, d DType, row dtypeRow) {
	t.Helper()
	if d.Size() != row.Size || string(d.Kind()) != row.Kind || d.aligned != row.Aligned {
		t.Errorf("%v: size %d kind %c aligned %v, want %d %s %v", d, d.Size(), d.Kind(), d.aligned,
			row.Size, row.Kind, row.Aligned)
	}
	if got, want := d.BigEndian(), strings.HasPrefix(row.Short, ">"); got != want {
		t.Errorf("%v: big-endian is %v", d, got)
	}
	descr := row.Descr
	if descr == "" {
		descr = "'" + row.Short + "'"
	}
	if got := d.NumPy(); got != descr {
		t.Errorf("%v: NumPy is %s, want %s", d, got, descr)
	}
	fields := d.Fields()
	if len(fields) != len(row.Fields) {
		t.Fatalf("%v: %d fields, want %d", d, len(fields), len(row.Fields))
	}
	for i, f := range fields {
		want := row.Fields[i]
		typ := f.Type
		typ.aligned = strings.HasSuffix(want[3].(string), "'aligned': True}")
		if f.Name != want[0] || f.Title != want[1] || float64(f.Offset) != want[2] || typ.String() != want[3] {
			t.Errorf("%v: field %d is %+v, want %v", d, i, f, want)
		}
		if named, ok := d.Field(f.Name); !ok || !named.Type.Equal(f.Type) {
			t.Errorf("%v: no field named %q", d, f.Name)
		}
	}
	elem, shape, ok := d.SubArray()
	if ok != (row.Elem != "") || ok && (elem.String() != row.Elem || !equalInts(shape, row.Shape)) {
		t.Errorf("%v: sub-array of %v, %v, want %s, %v", d, elem, shape, row.Elem, row.Shape)
	}
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestDTypeForms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"'float64'", "<f8"},
		{`"int32"`, "<i4"},
		{" |u1 ", "|u1"},
		{"dtype('int32')", "<i4"},
		{"np.dtype(dtype('>M8[25ns]'))", ">M8[25ns]"},
		{"f12", "<f12"},
		{">c24", ">c24"},
		{"M8[μs]", "<M8[us]"},
		{"('S', 7)", "|S7"},
		{"('U', 7)", "<U7"},
		{"('V', 7)", "|V7"},
		{"('<i4', ())", "<i4"},
		{"('<i4', 3)", "('<i4', (3,))"},
		{"[('a', int32), ('b', float,),]", "[('a', '<i4'), ('b', '<f8')]"},
		{"[(u'a', u'<i4')]", "[('a', '<i4')]"},
		{"[('a', '|i1'), ('', '|V3'), ('b', '<i4')]", "{'names': ['a', 'b'], 'formats': ['i1', '<i4'], 'offsets': [0, 4], 'itemsize': 8}"},
		{"dtype([('a', 'i1'), ('b', '<i4')], align=True)", "{'names': ['a', 'b'], 'formats': ['i1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}"},
		{"{'names': ('a',), 'formats': ('i1',), 'aligned': False}", "[('a', 'i1')]"},
		// NumPy's text has no gap for this type, so its size is no longer 24 bytes.
		{"[('s', {'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'aligned': True}), ('t', '<f8')]",
			"[('s', {'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}), ('t', '<f8')]"},
		{"{'names': ['p', 's'], 'formats': ['i1', dtype([('x', 'i1'), ('y', '<f8')])], 'aligned': True}",
			"[('p', 'i1'), ('s', [('x', 'i1'), ('y', '<f8')])]"},
		{`[('\x41\u00e9\U0001f600\101\'\"\\\n\q', 'i1')]`, `[('Aé😀A\'"\\\n\\q', 'i1')]`},
		{"{'names': ['a', 'b'], 'formats': ['f12', 'c24'], 'aligned': True}", "{'names': ['a', 'b'], 'formats': ['<f12', '<c24'], 'offsets': [0, 12], 'itemsize': 36, 'aligned': True}"},
	} {
		if got := mustParse(t, c.in).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	if unit, count := mustParse(t, "<M8[25ns]").Unit(); unit != "ns" || count != 25 {
		t.Errorf("unit is %d %s", count, unit)
	}
}

func TestDTypeErrors(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int64
		reason string
	}{
		{"", 0, "empty"},
		{"i3", 0, "not a type"},
		{"i99999999999999999999", 0, "not a type"},
		{"U1000000000", 0, "not a type"},
		{"M8[25xs]", 0, "unit"},
		{"M8[ns", 0, "unit"},
		{"M8[99999999999s]", 0, "out of range"},
		{"i4[ns]", 0, "not a type"},
		{"<int32", 0, "not a type"},
		{"[('a', '<i4')", 13, "no comma"},
		{"[('a', '<i5')]", 7, "not a type"},
		{"[('a', '<i4'), ('a', '<i2')]", 15, "twice"},
		{"[(('b', 'a'), '<i4'), ('b', '<i2')]", 22, "twice"},
		{"[('a',)]", 1, "not a tuple"},
		{"[(1, 'i4')]", 2, "not the name"},
		{"[('a', 'i4', 'x')]", 13, "shape"},
		{"[('a', 'i4', (-1,))]", 14, "extent"},
		{"[('a', 'i4', (65536, 65536))]", 13, "larger"},
		{"[('a', 'V2147483647'), ('b', 'i1')]", 23, "larger"},
		{"[('', 'V2147483647'), ('', 'V1')]", 22, "larger"},
		{"('S', -1)", 6, "length"},
		{"('U', 536870912)", 6, "length"},
		{"{'names': ['a']}", 0, "without"},
		{"{'names': ['a'], 'formats': []}", 28, "1 names but 0"},
		{"{'names': 1, 'formats': []}", 10, "not a list"},
		{"{'names': ['a'], 'formats': ['i4'], 'offsets': [-1]}", 48, "offset"},
		{"{'names': ['a'], 'formats': ['i4'], 'itemsize': 3}", 48, "item size"},
		{"{'names': ['a'], 'formats': ['i4'], 'offsets': [2], 'aligned': True}", 48, "aligned"},
		{"{'names': ['a'], 'formats': ['i4'], 'itemsize': 6, 'aligned': True}", 48, "item size"},
		{"{'a': ('i4', 0)}", 1, "not a key"},
		{"{1: 2}", 1, "not a key"},
		{"{'a' 2}", 5, "no colon"},
		{"1", 0, "not a type"},
		{"(1)", 1, "not a type"},
		{"('i4', 'i4', 'i4')", 0, "tuple of 3"},
		{"(numpy.record, 'i4')", 15, "record"},
		{"open('x')", 0, "not a type"},
		{"dtype('i4', copy=True)", 12, "argument"},
		{"[('a', 'i4')] x", 14, "after the end"},
		{"'i4", 0, "without an end"},
		{`'\ud800'`, 1, "no character"},
		{`'\x4'`, 1, "no character"},
		{`'\x`, 1, "without an end"},
		{`'\N{DOT}'`, 1, "named characters"},
		{"'a\nb'", 2, "line break"},
		{"'\xff'", 0, "UTF-8"},
		{"[('a', 'i4', 99999999999999999999)]", 13, "64 bits"},
		{strings.Repeat("[('a', ", 40) + "'i4'" + strings.Repeat(")]", 40), 113, "deep"},
	} {
		_, err := ParseDType(c.in)
		var corrupt *cairn.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("ParseDType(%q): %v", c.in, err)
		} else if corrupt.Offset != c.offset || !strings.Contains(corrupt.Reason, c.reason) || corrupt.Layer != "dtype" {
			t.Errorf("ParseDType(%q): %v, want offset %d and %q", c.in, err, c.offset, c.reason)
		}
	}
	for _, in := range []string{"O", "|O", "object", "T", "StringDType()", "[('a', 'O')]"} {
		if _, err := ParseDType(in); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("ParseDType(%q): %v, want unsupported", in, err)
		}
	}
}

func TestDTypeEqual(t *testing.T) {
	texts := []string{"<i4", ">i4", "<u4", "<f4", "|V4", "|S4", "<U1", "<M8[ns]", "<M8[25ns]", "<M8", "[]", "[('a', '<i4')]", "[('b', '<i4')]", "[(('t', 'a'), '<i4')]",
		"[('a', '<f4')]", "{'names': ['a'], 'formats': ['<i4'], 'offsets': [4]}", "('<i4', (2,))", "('<i4', (2, 1))", "('<u4', (2,))"}
	for i, a := range texts {
		for j, b := range texts {
			if got := mustParse(t, a).Equal(mustParse(t, b)); got != (i == j) {
				t.Errorf("%s equals %s: %v", a, b, got)
			}
		}
	}
	if (DType{}).String() != "|V0" || !(DType{}).Equal(mustParse(t, "V")) {
		t.Error("the zero DType is not void")
	}
}

func FuzzParseDType(f *testing.F) {
	for _, row := range dtypeRows(f) {
		f.Add(row.Stored)
		f.Add(row.Repr)
		f.Add(row.Descr)
	}
	f.Add("[('a', [('b', '<i4', (2, 2)), ('', 'V3')], 3)]")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDType(s)
		if err != nil {
			if !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		for _, f := range d.Fields() {
			if f.Offset < 0 || f.Offset+f.Type.Size() > d.Size() {
				t.Fatalf("%q: field %+v outside of %d bytes", s, f, d.Size())
			}
		}
		again, err := ParseDType(d.String())
		if err != nil {
			t.Fatalf("%q gives %q: %v", s, d.String(), err)
		}
		if !again.Equal(d) || again.String() != d.String() {
			t.Fatalf("%q gives %q, which gives %q", s, d.String(), again.String())
		}
		if described, err := ParseDType(d.NumPy()); err != nil || described.Size() != d.Size() {
			t.Fatalf("%q gives %q: %v, %d bytes, want %d", s, d.NumPy(), err, described.Size(), d.Size())
		}
	})
}
