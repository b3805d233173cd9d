package rows

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
)

// A Column is an array of one dimension that becomes a column of a table; one of structures becomes
// a column for each field.
type Column struct {
	Name  string
	Array *coords.Array
}

// exactly writes values for programs: what is missing is empty, and texts are as they are.
var exactly = writing{
	label: present,
	value: func(d meta.DType, raw []byte) string {
		text := item.Plain(d, raw)
		if item.IsText(d) {
			return text
		}
		return present(text)
	},
}

// present returns a text, or nothing for what is missing.
func present(text string) string {
	if text == "nan" || text == "NaN" || text == "NaT" {
		return ""
	}
	return text
}

// Table writes arrays of one length as a table of text, below a line of names, in bounded memory.
func Table(ctx context.Context, w io.Writer, comma rune, columns []Column) error {
	var names []string
	var values []func(cells []string, raw []byte) []string
	n := columns[0].Array.View.Shape()[0]
	sizes := make([]int64, len(columns))
	total := int64(0)
	for i, c := range columns {
		s := newRowSpace(c.Array, false)
		if len(s.shape) != 1 || s.n != n {
			return fmt.Errorf("%s has the shape %v, and other columns %d items", c.Name, s.shape, n)
		}
		p := &Printer{Array: c.Array, Name: c.Name}
		for _, part := range p.parts(s) {
			names = append(names, part.name)
		}
		values = append(values, p.values(s, exactly))
		sizes[i] = s.size
		total += s.size
	}

	out := csv.NewWriter(w)
	out.Comma = comma
	if err := out.Write(names); err != nil {
		return err
	}

	buffers := make([][]byte, len(columns))
	cells := make([]string, 0, len(names))
	for start, most := int64(0), max(1, itemsAtOnce/total); start < n; start += most {
		stop := min(n, start+most)
		for i, c := range columns {
			buffers[i] = slab.Resize(buffers[i], (stop-start)*sizes[i])
			if err := c.Array.View.ReadBytes(ctx, buffers[i], []int64{start}, []int64{stop}); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		for row := range stop - start {
			cells = cells[:0]
			for i := range columns {
				cells = values[i](cells, buffers[i][row*sizes[i]:][:sizes[i]])
			}
			if err := out.Write(alone(cells)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// alone returns the cells of a row. One that is empty alone would be no row for those who read it.
func alone(cells []string) []string {
	if slices.Equal(cells, []string{""}) {
		return []string{"NaN"}
	}
	return cells
}

// Long writes an array as a table of text with a line for each item, behind the coordinates or
// indexes along its dimensions.
func (p *Printer) Long(ctx context.Context, comma rune) error {
	s := newRowSpace(p.Array, false)
	out := csv.NewWriter(p.W)
	out.Comma = comma
	if err := out.Write(p.names(s)); err != nil {
		return err
	}
	if err := p.items(ctx, s, exactly, s.n, false, out.Write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
