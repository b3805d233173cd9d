package derived

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Names of the parts of a table, relative to its folder.
const (
	Manifest  = "_meta"       // the frame whose metalayers describe the table
	Columns   = "_cols"       // the folder of the columns
	ValidRows = "_valid_rows" // the array that marks valid rows
)

// Suffixes of the second leaf of a column.
const (
	TextSuffix = ".utf8"    // the bytes of texts
	DictSuffix = "_dict"    // the texts of a dictionary
	MaskSuffix = ".notnull" // marks rows that have a value
)

// A Part is a file or leaf, seen as part of the table in the folder Table. Whether that folder is a
// table is not known yet.
type Part struct {
	Table string // the folder
	Name  string // relative to Table, such as "_cols/price"
}

// Parts returns the tables that a slash-separated path may be part of, the innermost first.
func Parts(name string) []Part {
	for _, ext := range [...]string{".b2nd", ".b2b", ".b2f"} {
		name = strings.TrimSuffix(name, ext)
	}

	if path.Base(name) == ValidRows {
		return []Part{{path.Dir(name), ValidRows}}
	}
	var parts []Part
	for folder := path.Dir(name); ; folder = path.Dir(folder) {
		if path.Base(folder) == Columns {
			table := path.Dir(folder)
			parts = append(parts, Part{table, strings.TrimPrefix(strings.TrimPrefix(name, table), "/")})
		}
		if folder == path.Dir(folder) {
			return parts
		}
	}
}

// ColumnPath returns the path of a column relative to the columns of its table. A dot separates
// nested fields, which are folders, unless a backslash precedes it.
func ColumnPath(column string) string {
	var b strings.Builder
	escape := func(c byte) {
		switch c {
		case '%', '/', '.', '\\':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}

	for i := 0; i < len(column); i++ {
		switch {
		case column[i] == '\\' && i+1 < len(column):
			i++
			escape(column[i])
		case column[i] == '.':
			b.WriteByte('/')
		default:
			escape(column[i])
		}
	}
	return b.String()
}

// isOf reports whether the part is a leaf of a column.
func (p Part) isOf(column string) bool {
	rest, ok := strings.CutPrefix(p.Name, Columns+"/"+ColumnPath(column))
	return ok && (rest == "" || rest == TextSuffix || rest == DictSuffix || rest == MaskSuffix)
}

// Stale returns the metalayers of variable length that must be set in the manifest of the part's
// table before the part changes; none if they are set already or the manifest is invalid. value
// returns the current metalayers, like the methods of frames.
func (p Part) Stale(value func(layer string) ([]byte, error)) ([]meta.Layer, error) {
	kind, err := unpacked(value, "kind")
	if err != nil || kind != "ctable" {
		return nil, err
	}

	layers, err := p.staleIndexes(value)
	if err != nil {
		return nil, err
	}

	schema, err := unpacked(value, "schema")
	if err != nil {
		return nil, err
	}

	if text, ok := schema.(string); ok {
		changed, err := p.staleSchema(text)
		if err != nil {
			return nil, err
		}
		if changed != text {
			return add(layers, "schema", changed)
		}
	}
	return layers, nil
}

// staleIndexes is Stale for the indexes in the manifest.
func (p Part) staleIndexes(value func(string) ([]byte, error)) (layers []meta.Layer, err error) {
	catalog, err := unpacked(value, CatalogLayer)
	if err != nil {
		return nil, err
	}
	m, _ := catalog.(meta.Map)
	if !markAll(m) {
		return nil, nil
	}

	if layers, err = add(nil, CatalogLayer, m); err != nil {
		return nil, err
	}
	epochs := []string{"value_epoch", "visibility_epoch"}
	if p.Name != ValidRows {
		epochs = epochs[:1]
	}

	for _, name := range epochs {
		v, err := unpacked(value, name)
		if err != nil {
			return nil, err
		}
		epoch, _ := v.(int64) // 0 if missing
		if layers, err = add(layers, name, epoch+1); err != nil {
			return nil, err
		}
	}
	return layers, nil
}

// unpacked returns the value of a metalayer, or nil if there is none.
func unpacked(value func(string) ([]byte, error), layer string) (any, error) {
	raw, err := value(layer)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	v, err := meta.Unpack(raw)
	if err != nil {
		return nil, fmt.Errorf("metalayer %q: %w", layer, err)
	}
	return v, nil
}

func add(layers []meta.Layer, name string, v any) ([]meta.Layer, error) {
	raw, err := meta.Pack(v)
	if err != nil {
		return nil, fmt.Errorf("metalayer %q: %w", name, err)
	}
	return append(layers, meta.Layer{Name: name, Content: raw}), nil
}
