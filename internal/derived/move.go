package derived

import (
	"path"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// CatalogLayer is the metalayer of variable length of a manifest that lists the indexes.
const CatalogLayer = "index_catalog"

// indexes is the folder of a table with the files of its indexes.
const indexes = "_indexes"

// MoveCatalog returns the value of [CatalogLayer] for a table with another key: the paths lead to
// the files of that table. has reports whether there is a leaf. An index without one of its files
// is left out, since python-blosc2 would read, or remove, those of another table. If nothing
// changes, the result is value itself; it is nil if the layer is invalid and must be deleted.
func MoveCatalog(value []byte, table string, has func(key string) bool) []byte {
	v, err := meta.Unpack(value)
	if err != nil {
		return nil
	}

	catalog, _ := v.(meta.Map)
	kept := make(meta.Map, 0, len(catalog))
	changed := false

	for _, p := range catalog {
		m := move{table: table, has: has}
		m.value(p.Value)
		changed = changed || m.changed || m.lost
		if !m.lost {
			kept = append(kept, p)
		}
	}

	if !changed {
		return value
	}

	moved, err := meta.Pack(kept)
	if err != nil {
		return nil
	}
	return moved
}

// A move changes the paths of one descriptor.
type move struct {
	table         string
	has           func(key string) bool
	changed, lost bool
}

// value changes the paths in a value: the texts of members "path" and "…_path", as in Python.
func (m *move) value(v any) {
	switch v := v.(type) {
	case meta.Map:
		for i := range v {
			name, _ := v[i].Key.(string)
			text, ok := v[i].Value.(string)
			if !ok || name != "path" && !strings.HasSuffix(name, "_path") {
				m.value(v[i].Value)
				continue
			}

			to := m.place(text)
			m.lost = m.lost || to == ""
			m.changed = m.changed || to != text
			v[i].Value = to
		}
	case []any:
		for _, item := range v {
			m.value(item)
		}
	case meta.Tuple:
		for _, item := range v {
			m.value(item)
		}
	}
}

// place returns the path of an index file in the table, or "" if the table has no such file.
func (m *move) place(old string) string {
	rest := "/" + strings.ReplaceAll(old, `\`, "/")
	for {
		_, after, found := strings.Cut(rest, "/"+indexes+"/")
		if !found {
			return ""
		}

		file := path.Join("/", m.table, indexes, after)
		if m.has(strings.TrimSuffix(file, path.Ext(file))) {
			return strings.TrimPrefix(file, "/")
		}
		rest = "/" + after
	}
}
