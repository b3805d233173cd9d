package delimited

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// rowName is the dimension of the rows of a table.
const rowName = "row"

// A source is an array of the items of a table: some of its columns, in dst one after another.
type source struct {
	table   *Table
	columns []int
	dtype   meta.DType
	wide    bool // columns are a dimension
	dims    []string
}

// Records returns the table as records with a field per column. A table of numbers without names is
// an array with two dimensions, or if it has one column with one.
func (t *Table) Records() (ndarray.Source, error) {
	s := &source{table: t, columns: make([]int, len(t.DTypes))}
	for i := range s.columns {
		s.columns[i] = i
	}
	if t.Matrix {
		s.dtype = t.DTypes[0]
		s.wide = len(t.DTypes) > 1
		return s, nil
	}

	fields := make([]any, len(t.DTypes))
	for i, d := range t.DTypes {
		fields[i] = []any{t.Names[i], d.String()}
	}
	var err error
	s.dtype, err = meta.ParseDescr(fields)
	return s, err
}

// Column returns a column as an array.
func (t *Table) Column(name string) (ndarray.Source, error) {
	key := strings.Trim(name, "/")
	i := slices.IndexFunc(t.Names, func(own string) bool { return ColumnKey(own) == key })
	if i < 0 {
		return nil, fmt.Errorf("there is no column %q: %w", name, cairn.ErrNotFound)
	}
	return &source{table: t, columns: []int{i}, dtype: t.DTypes[i], dims: []string{rowName}}, nil
}

// ColumnKey returns the name of the array of a column, which has no slashes.
func ColumnKey(name string) string {
	if name == "." || name == ".." {
		return "_"
	}
	return strings.ReplaceAll(name, "/", "_")
}

// Shape returns the number of rows, and of columns.
func (s *source) Shape() ndarray.Shape {
	if s.wide {
		return ndarray.Shape{s.table.Rows, int64(len(s.columns))}
	}
	return ndarray.Shape{s.table.Rows}
}

// DType returns the dtype of the items.
func (s *source) DType() meta.DType { return s.dtype }

// Grid returns nil: all boxes are read from front to back.
func (s *source) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

// Labels returns the name of the dimension of a column.
func (s *source) Labels() (ndarray.Labels, error) {
	return ndarray.Labels{Dims: slices.Clone(s.dims)}, nil
}

// ReadBytes reads the items of some rows.
func (s *source) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if len(dst) == 0 {
		return ctx.Err()
	}

	columns := s.columns
	if s.wide {
		columns = columns[start[1]:stop[1]]
	}

	t := s.table
	row := start[0]
	if t.header {
		row++
	}

	left := stop[0] - start[0]
	skip := row % markEvery
	r := t.reader(t.marks[row/markEvery])
	for ; left > 0; row++ {
		if row%markEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		entries, err := r.next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the table has become shorter: %w", io.ErrUnexpectedEOF)
		}
		if err != nil {
			return err
		}
		if skip > 0 {
			skip--
			continue
		}

		for _, i := range columns {
			d := t.DTypes[i]
			if err := t.putEntry(dst[:d.Size()], entries[i], d); err != nil {
				line, _ := r.csv.FieldPos(i)
				return t.misfit(r.line(line), i, entries[i], err)
			}
			dst = dst[d.Size():]
		}
		left--
	}
	return ctx.Err()
}

// Children returns the columns, as of a tree.
func (t *Table) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	if strings.Trim(group, "/") != "" {
		return nil, fmt.Errorf("there is no group %q: %w", group, cairn.ErrNotFound)
	}
	nodes := make([]ndarray.Node, len(t.Names))
	for i, name := range t.Names {
		nodes[i] = ndarray.Node{Key: "/" + ColumnKey(name), Kind: ndarray.ArrayNode}
	}
	return nodes, ctx.Err()
}
