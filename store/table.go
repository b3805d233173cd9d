package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
)

// A TableInfo describes a table of python-blosc2. Its parts are ordinary leaves of the store.
type TableInfo struct {
	Key  string
	Rows int64 // not counting deleted rows
	// key of a boolean array over all rows of the columns, false for deleted rows; rows beyond its
	// end do not exist
	Valid   string
	Columns []Column
}

// A Column is a column of a table.
type Column struct {
	Name string // "outer.inner" for a field of a structure
	// the name in the schema: "int64", "string", "timestamp[us]", "list[int64]", …
	Type     string
	Encoding Encoding     // how the rows are stored
	Nullable NullEncoding // how missing values are stored
	// the value (NullValue) or dictionary code (NullCode) of rows without a value: a number, a
	// string, a bool, or nil for NaN
	Null any

	Leaf string // key of the array or the frame of a batch array that has the rows
	// key of the bytes of a TextColumn or the texts of a DictionaryColumn; empty for others
	Extra string
	// key of a boolean array, true for rows that have a value; empty if there is no such array
	Mask  string
	DType string // of the array in Leaf
}

// Encoding says how the rows of a column are stored.
type Encoding string

const (
	// one item of an array per row, or all items of its further dimensions
	PlainColumn Encoding = "plain"
	// UTF-8 in Extra; row i extends from item i to item i+1 of Leaf
	TextColumn       Encoding = "text"
	DictionaryColumn Encoding = "dictionary" // indexes of texts in Extra: see [Store.Texts]
	BatchColumn      Encoding = "batches"    // msgpack objects in the blocks of a batch array
)

// NullEncoding says how missing values of a column are stored.
type NullEncoding string

const (
	NoNulls     NullEncoding = "no nulls"   // every row has a value
	NullMask    NullEncoding = "null mask"  // a boolean array beside the column
	NullValue   NullEncoding = "null value" // a reserved value
	NullCode    NullEncoding = "null code"  // a reserved dictionary code
	NullsNative NullEncoding = "nulls"      // nil objects
)

// Table returns the description of a table; [Store.Objects] lists the tables. It fails with
// [cairn.ErrNotFound] if key is not a table. The number of rows is taken from the manifest, or
// counted if the manifest does not have it.
func (s *Store) Table(ctx context.Context, key string) (*TableInfo, error) {
	clean, err := cleanKey(key)
	if err != nil {
		return nil, s.fail("read table", key, err)
	}

	l, err := s.find(path.Join(clean, derived.Manifest))
	if err != nil || !s.isTable(&l) {
		return nil, s.fail("read table", clean, fmt.Errorf("no such table: %w", cairn.ErrNotFound))
	}

	t := &TableInfo{Key: clean, Valid: path.Join(clean, derived.ValidRows)}
	schema, err := s.schema(&l)
	for i := 0; err == nil && i < len(schema.Columns); i++ {
		var c Column
		c, err = s.column(ctx, clean, &schema.Columns[i])
		t.Columns = append(t.Columns, c)
	}

	switch {
	case err != nil:
		return nil, s.fail("read table", l.Key, err)
	case schema.Rows != nil && *schema.Rows >= 0:
		t.Rows = *schema.Rows
		return t, nil
	}

	t.Rows, err = s.countTrue(ctx, t.Valid)
	return t, err
}

// schema is the JSON document in the manifest of a table.
type schema struct {
	Version int            `json:"version"`
	Columns []schemaColumn `json:"columns"`
	Rows    *int64         `json:"n_rows"`
}

type schemaColumn struct {
	Name string `json:"name"`
	schemaType
	Nullable bool   `json:"nullable"`
	Storage  string `json:"null_storage"`
	Null     any    `json:"null_value"`
	Code     any    `json:"null_code"`
}

type schemaType struct {
	Kind  string      `json:"kind"`
	Unit  string      `json:"unit"`
	DType string      `json:"dtype_str"`
	Shape []int64     `json:"item_shape"`
	Item  *schemaType `json:"item"`
}

func (t *schemaType) text() string {
	switch {
	case t.Kind == "timestamp" && t.Unit != "":
		return "timestamp[" + t.Unit + "]"
	case t.Kind == "list" && t.Item != nil:
		return "list[" + t.Item.text() + "]"
	case t.Kind == "ndarray":
		return fmt.Sprintf("ndarray%v of %s", t.Shape, t.DType)
	}
	return t.Kind
}

// schema reads the schema of a table.
func (s *Store) schema(manifest *Leaf) (*schema, error) {
	var v any
	err := s.within(manifest, func(f *frame.Frame) (err error) {
		v, err = unpackVL(f, "schema")
		return err
	})
	if err != nil {
		return nil, err
	}

	var text string
	switch v := v.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return nil, cairn.Corruptf("table", -1, "the schema is %T, no text", v)
	}

	var got schema
	if err := json.Unmarshal(derived.WithoutNaN(text, asNull), &got); err != nil {
		return nil, &cairn.CorruptError{Layer: "table", Chunk: -1, Offset: -1, Reason: "the schema is no JSON", Err: err}
	}

	if got.Version > newestSchema {
		return nil, fmt.Errorf("schema of version %d; versions up to %d are read: %w", got.Version, newestSchema,
			cairn.ErrUnsupported)
	}
	return &got, nil
}

// newestSchema is the newest version of schemas that is read: 2 has columns in structures, 3 has
// masks.
const newestSchema = 3

// asNull replaces NaN and the infinities, which JSON does not have.
func asNull(string) string { return "null" }

// column returns how a column is stored, according to the schema and to the leaves that exist.
func (s *Store) column(ctx context.Context, table string, c *schemaColumn) (Column, error) {
	leaf := table + "/" + derived.Columns + "/" + derived.ColumnPath(c.Name)
	col := Column{Name: c.Name, Type: c.text(), Leaf: leaf, Encoding: PlainColumn, Nullable: NoNulls}
	if table == "/" {
		col.Leaf = col.Leaf[1:]
	}

	l, err := s.find(col.Leaf)
	if errors.Is(err, cairn.ErrNotFound) {
		return col, cairn.Corruptf("table", -1, "no leaf of the column %q", c.Name)
	}
	if err != nil {
		return col, err
	}

	switch c.Kind {
	case "utf8":
		col.Encoding = TextColumn
		col.Extra = col.Leaf + derived.TextSuffix
	case "dictionary":
		col.Encoding = DictionaryColumn
		col.Extra = col.Leaf + derived.DictSuffix
	}

	if l.URL == "" {
		kind, err := s.kindOf(&l)
		if err != nil {
			return col, err
		}
		if kind.hasItems() {
			u, err := s.Array(ctx, l.Key)
			if err != nil {
				return col, err
			}
			col.DType = u.DType().String()
			if err := u.Close(); err != nil {
				return col, err
			}
		} else {
			col.Encoding = BatchColumn
		}
	}

	s.nulls(&col, c)
	return col, nil
}

// nulls sets how missing values of a column are stored.
func (s *Store) nulls(col *Column, c *schemaColumn) {
	if _, err := s.find(col.Leaf + derived.MaskSuffix); err == nil {
		col.Mask = col.Leaf + derived.MaskSuffix
	}

	switch {
	case !c.Nullable && col.Mask == "":
	case c.Storage == "mask" || col.Mask != "":
		col.Nullable = NullMask
	case col.Encoding == DictionaryColumn:
		col.Nullable = NullCode
		col.Null = c.Code
	case col.Encoding == BatchColumn:
		col.Nullable = NullsNative
	default:
		col.Nullable = NullValue
		col.Null = c.Null
	}
}

// columnLeaf returns the leaf of a table's column for a key such as /table/column.
func (s *Store) columnLeaf(clean string) (Leaf, bool) {
	for table := path.Dir(clean); ; table = path.Dir(table) {
		rest := strings.TrimPrefix(strings.TrimPrefix(clean, table), "/")
		if _, ok := s.leaves.get(path.Join(table, derived.Manifest)); ok {
			return s.leaves.get(path.Join(table, derived.Columns, rest))
		}
		if table == "/" {
			return Leaf{}, false
		}
	}
}

// countTrue counts the items of a boolean array that are true.
func (s *Store) countTrue(ctx context.Context, key string) (int64, error) {
	a, err := OpenAs[bool](ctx, s, key)
	if err != nil {
		return 0, err
	}
	defer a.Close()

	count := int64(0)
	for b, err := range a.Blocks(ctx) {
		if err != nil {
			return 0, s.fail("read table", key, err)
		}
		for _, v := range b.Values {
			if v {
				count += b.Times
			}
		}
	}
	return count, nil
}
