package derived

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

func pack(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := meta.Pack(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestOneByteMarksAnIndex checks that marking an index changes only the bytes of its marks.
func TestOneByteMarksAnIndex(t *testing.T) {
	layer := func(first, second bool) []byte {
		return pack(t, meta.Map{{Key: "version", Value: 1}, {Key: "indexes", Value: meta.Map{
			{Key: "__self__", Value: meta.Map{
				{Key: "stale", Value: first}, {Key: "shape", Value: meta.Tuple{5}}, {Key: "path", Value: "/x/stale"},
			}},
			{Key: "field", Value: meta.Map{{Key: "kind", Value: "full"}, {Key: "stale", Value: second}}},
		}}})
	}
	for _, second := range []bool{false, true} {
		if got := MarkIndexes(layer(false, second)); !bytes.Equal(got, layer(true, true)) {
			t.Errorf("%q", got)
		}
	}
	done := layer(true, true)
	if got := MarkIndexes(done); &got[0] != &done[0] {
		t.Errorf("marked twice: %q", got)
	}
}

func TestIndexesOfOtherForms(t *testing.T) {
	layer := func(indexes any) meta.Map { return meta.Map{{Key: "indexes", Value: indexes}} }
	missing := pack(t, layer(meta.Map{{Key: "a", Value: meta.Map{}}}))
	marked := pack(t, layer(meta.Map{{Key: "a", Value: meta.Map{{Key: "stale", Value: true}}}}))
	if got := MarkIndexes(missing); !bytes.Equal(got, marked) {
		t.Errorf("without a mark: %q", got)
	}
	for _, v := range []any{nil, "text", meta.Map{}, layer(1), layer(meta.Map{{Key: 1, Value: nil}})} {
		if raw := pack(t, v); !bytes.Equal(MarkIndexes(raw), raw) {
			t.Errorf("%v is changed", v)
		}
	}
	if got := MarkIndexes([]byte{0xc1}); got != nil {
		t.Errorf("no msgpack: %q", got)
	}
}

func TestParts(t *testing.T) {
	for name, want := range map[string][]Part{
		"/d/t.b2d/_cols/a.b2nd":           {{"/d/t.b2d", "_cols/a"}},
		"/_cols/outer/inner.notnull.b2nd": {{"/", "_cols/outer/inner.notnull"}},
		"t/_valid_rows.b2nd":              {{"t", "_valid_rows"}},
		"_cols/a_dict.b2b":                {{".", "_cols/a_dict"}},
		"/g/_cols/_cols/x":                {{"/g/_cols", "_cols/x"}, {"/g", "_cols/_cols/x"}},
		"/t/_meta.b2f":                    nil,
		"/t/_indexes/a/full.values.b2nd":  nil,
		"x.b2nd":                          nil,
	} {
		got := Parts(name)
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	for name, want := range map[string]string{
		"a": "a", "a.b.c": "a/b/c", `a\.b`: "a%2Eb", `a\/b%`: "a%2Fb%25", `x\\`: "x%5C",
	} {
		if got := ColumnPath(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// manifest contains the metalayers of a table by name.
type manifest map[string]any

func (m manifest) value(t testing.TB) func(string) ([]byte, error) {
	return func(layer string) ([]byte, error) {
		if v, ok := m[layer]; ok {
			return pack(t, v), nil
		}
		return nil, cairn.ErrNotFound
	}
}

const (
	schemaHead = `{"columns": [{"name": "a", "default": NaN, "x": "n_rows"}], "n_rows": `
	schemaMade = `, "materialized_columns": [{"name": "b", "col_deps": ["a"], "stale": false}, ` +
		`{"name": "c", "col_deps": ["z", "b"], "limit": -Infinity}, `
	schemaTail = `{"name": "d", "col_deps": ["a.b"], "stale": false}, ` +
		`{"name": "e", "col_deps": ["c"], "stale": true}], "last": "\"NaN"}`
	schemaText = schemaHead + "12" + schemaMade + schemaTail
)

func TestTables(t *testing.T) {
	index := func(stale bool) meta.Map {
		return meta.Map{{Key: "a", Value: meta.Map{{Key: "kind", Value: "full"}, {Key: "stale", Value: stale}}}}
	}
	m := manifest{"kind": "ctable", "schema": schemaText, "value_epoch": 7, "index_catalog": index(false)}
	catalog := index(true)
	a := schemaHead + `12, "materialized_columns": [{"name": "b", "col_deps": ["a"], "stale": true}, ` +
		`{"stale": true, "name": "c", "col_deps": ["z", "b"], "limit": -Infinity}, ` + schemaTail
	rows := schemaHead + "null" + schemaMade + schemaTail
	for part, want := range map[string]manifest{
		"_cols/a":         {"index_catalog": catalog, "value_epoch": 8, "schema": a},
		"_cols/a.notnull": {"index_catalog": catalog, "value_epoch": 8, "schema": a},
		"_cols/e":         {"index_catalog": catalog, "value_epoch": 8},
		"_valid_rows":     {"index_catalog": catalog, "value_epoch": 8, "visibility_epoch": 1, "schema": rows},
	} {
		layers, err := Part{"t", part}.Stale(m.value(t))
		if err != nil || len(layers) != len(want) {
			t.Errorf("%s: %d layers, %v", part, len(layers), err)
		}
		after := manifest{}
		for name, v := range m {
			after[name] = v
		}
		for _, l := range layers {
			if v, ok := want[l.Name]; !ok || !bytes.Equal(l.Content, pack(t, v)) {
				t.Errorf("%s: %s becomes %q", part, l.Name, l.Content)
			}
			after[l.Name] = want[l.Name]
		}
		if again, err := (Part{"t", part}).Stale(after.value(t)); err != nil || len(again) > 0 {
			t.Errorf("%s: changed twice: %v, %v", part, again, err)
		}
	}
	m["kind"] = "another"
	if layers, err := (Part{"t", "_cols/a"}).Stale(m.value(t)); err != nil || len(layers) > 0 {
		t.Errorf("what is no table changes: %v, %v", layers, err)
	}
}

// FuzzSchema changes damaged schemas. A second change must not change anything.
func FuzzSchema(f *testing.F) {
	f.Add(schemaText, "_cols/a")
	f.Add(schemaText, "_valid_rows")
	f.Add(`{"materialized_columns": [{"name": "a", "col_deps": ["a"]}, null]}`, "_cols/a")
	f.Fuzz(func(t *testing.T, text, name string) {
		p := Part{"t", name}
		got, err := p.staleSchema(text)
		if err != nil {
			return
		}
		if again, err := p.staleSchema(got); err != nil || again != got {
			t.Errorf("%q becomes %q, and then %q: %v", text, got, again, err)
		}
	})
}
