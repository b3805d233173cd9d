package derived

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/meta"
)

// TestMoveCatalog gives the indexes of a table other paths, and leaves out those without a file.
func TestMoveCatalog(t *testing.T) {
	index := func(first, second string) meta.Map {
		return meta.Map{{Key: "kind", Value: "full"}, {Key: "name", Value: "g/t/_indexes/a"},
			{Key: "levels", Value: meta.Map{{Key: "block", Value: meta.Map{{Key: "path", Value: first}}}}},
			{Key: "runs", Value: []any{meta.Map{{Key: "values_path", Value: second}}}}}
	}
	catalog := func(a meta.Map) []byte { return pack(t, meta.Map{{Key: "a", Value: a}}) }
	none := pack(t, meta.Map{})
	have := []string{"/x/_indexes/a/v", "/x/_indexes/a/r.0", "/_indexes/a/v", "/_indexes/a/r.0", "/_indexes/a/_indexes/v"}
	for _, c := range []struct {
		table, first, second string
		want                 []byte
	}{
		{"/x", "g/t/_indexes/a/v.b2nd", "/tmp/of/g/t/_indexes/a/r.0.b2nd", catalog(index("x/_indexes/a/v.b2nd", "x/_indexes/a/r.0.b2nd"))},
		{"/x", `g\t\_indexes\a\v.b2nd`, "_indexes/a/r.0.b2nd", catalog(index("x/_indexes/a/v.b2nd", "x/_indexes/a/r.0.b2nd"))},
		{"/x", "of/_indexes/in/_indexes/a/v.b2nd", "x/_indexes/a/r.0.b2nd", catalog(index("x/_indexes/a/v.b2nd", "x/_indexes/a/r.0.b2nd"))},
		{"/", "g/t/_indexes/a/v.b2nd", "_indexes/a/_indexes/v.b2nd", catalog(index("_indexes/a/v.b2nd", "_indexes/a/_indexes/v.b2nd"))},
		{"/x", "g/t/_indexes/b/v.b2nd", "x/_indexes/a/r.0.b2nd", none},
		{"/x", "x/_indexes/a/v.b2nd", "elsewhere.b2nd", none},
		{"/y", "x/_indexes/a/v.b2nd", "x/_indexes/a/r.0.b2nd", none},
	} {
		got := MoveCatalog(catalog(index(c.first, c.second)), c.table, func(key string) bool { return slices.Contains(have, key) })
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s, %s in %s become %q", c.first, c.second, c.table, got)
		}
	}
	for _, v := range []any{nil, "text", meta.Map{}, meta.Map{{Key: "a", Value: 1}}} {
		if raw := pack(t, v); !bytes.Equal(MoveCatalog(raw, "/x", nil), raw) {
			t.Errorf("%v is changed", v)
		}
	}
	if got := MoveCatalog([]byte{0xc1}, "/x", nil); got != nil {
		t.Errorf("no msgpack: %q", got)
	}
}
