package rows

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A writing is how coordinates and values are written: as CSV or as JSON.
type writing struct {
	label func(text string) string
	value func(d meta.DType, raw []byte) string
}

// A part is what becomes a cell of an item: the item, or a field of it.
type part struct {
	name   string
	dtype  meta.DType
	offset int
}

// parts returns the columns of the values.
func (p *Printer) parts(s *rowSpace) []part {
	var list []part
	for _, f := range s.dtype.Fields() {
		list = append(list, part{f.Name, f.Type, f.Offset})
	}

	if list == nil {
		name := p.Name
		if name == "" {
			name = "value"
		}
		list = []part{{name, p.Array.View.DType(), 0}}
	}
	return list
}

// itemsAtOnce bounds the bytes that are read at a time.
const itemsAtOnce = 32 << 20

// items calls do for the first n items, or the last ones, with the cells of each.
func (p *Printer) items(
	ctx context.Context, s *rowSpace, as writing, n int64, tail bool, do func(cells []string) error,
) error {
	n = min(n, s.n)
	at := s.place(0)
	if tail {
		at = s.place(s.n - n)
	}

	values := p.values(s, as)

	// The cells of a place stay while it does not change.
	cells := make([]string, len(at))
	known := make([]int64, len(at))
	for i := range known {
		known[i] = -1
	}

	chunks, _ := p.Array.View.Grid()
	buf := []byte{}

	for n > 0 {
		stop, items := s.box(at, min(n, max(1, itemsAtOnce/s.size)), chunks)
		buf = slab.Resize(buf, items*s.size)
		if err := p.Array.View.ReadBytes(ctx, buf, at, stop); err != nil {
			return err
		}

		for data := buf; len(data) > 0; data = data[s.size:] {
			for i, index := range at {
				if index == known[i] {
					continue
				}

				text, err := s.names[i].at(ctx, index)
				if err != nil {
					return err
				}

				if text == "" {
					text = strconv.FormatInt(index, 10)
				}
				cells[i] = as.label(text)
				known[i] = index
			}

			if err := do(values(cells[:len(at)], data[:s.size])); err != nil {
				return err
			}
			s.next(at)
		}

		n -= items
	}
	return nil
}

// values returns the function that appends the cells of an item.
func (p *Printer) values(s *rowSpace, as writing) func(cells []string, raw []byte) []string {
	if times := p.Array.Times(); times != nil {
		return func(cells []string, raw []byte) []string { return append(cells, as.label(times(raw))) }
	}

	parts := p.parts(s)
	return func(cells []string, raw []byte) []string {
		for _, part := range parts {
			size := min(part.dtype.Size(), len(raw)-part.offset)
			cells = append(cells, as.value(part.dtype, raw[part.offset:][:size]))
		}
		return cells
	}
}

// box returns the end of the largest box from a place on whose items follow each other in C order,
// and how many these are, at most the given number.
func (s *rowSpace) box(at []int64, most int64, chunks ndarray.Shape) (stop []int64, items int64) {
	stop = slices.Clone(at)
	for i := range stop {
		stop[i]++
	}

	items = 1
	for i := len(at) - 1; i >= 0; i-- {
		n := min(s.shape[i]-at[i], most/items)
		if chunks != nil && chunks[i] > 0 && n > chunks[i] && at[i]+n < s.shape[i] {
			n -= (at[i] + n) % chunks[i] // up to the end of a chunk
		}
		stop[i] = at[i] + n
		items *= n

		if n < s.shape[i] {
			break
		}
		if i > 0 && most/items == 0 {
			break
		}
	}
	return stop, items
}

// next advances a place by an item.
func (s *rowSpace) next(at []int64) {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < s.shape[i] {
			return
		}
		at[i] = 0
	}
}

// names returns the names of the columns, each once: the values of a coordinate do not take the
// name of its dimension. Dimensions without a name are called as xarray does.
func (p *Printer) names(s *rowSpace) []string {
	var names []string
	for i, axis := range p.Array.Axes {
		name := axis.Name
		if name == "" {
			name = fmt.Sprintf("dim_%d", i)
		}
		names = append(names, name)
	}

	parts := p.parts(s)
	for _, part := range parts {
		name := part.name
		if len(parts) == 1 && slices.Contains(names, name) {
			name = "value"
		}
		names = append(names, name)
	}

	for i, name := range names {
		for n := 2; slices.Contains(names[:i], names[i]); n++ {
			names[i] = fmt.Sprintf("%s_%d", name, n)
		}
	}
	return names
}

// CSV prints the first n items, or the last ones, as lines of CSV, below a line of names. Numbers
// have all their digits. Texts that look like formulas, or have control characters, are changed as
// csvText says.
func (p *Printer) CSV(ctx context.Context, n int64, tail bool) error {
	s := newRowSpace(p.Array, false)
	w := csv.NewWriter(p.W)

	names := p.names(s)
	for i, name := range names {
		names[i] = csvText(name)
	}

	if err := w.Write(names); err != nil {
		return err
	}

	as := writing{label: csvText, value: func(d meta.DType, raw []byte) string {
		text := item.Plain(d, raw)
		if item.IsText(d) {
			text = csvText(text)
		}
		return text
	}}

	if err := p.items(ctx, s, as, n, tail, w.Write); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// shown returns a text with control characters, other than tabs and ends of lines, as \x1b:
// terminals act upon them.
func shown(text string) string {
	hidden := func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' }
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}

	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// JSON prints the first n items, or the last ones, as a list of objects, each on a line of its own.
func (p *Printer) JSON(ctx context.Context, n int64, tail bool) error {
	s := newRowSpace(p.Array, false)
	w := bufio.NewWriter(p.W)

	names := p.names(s)
	for i, name := range names {
		names[i] = p.marshal(name)
	}

	as := writing{
		label: func(text string) string { return p.marshal(item.Number(text)) },
		value: func(d meta.DType, raw []byte) string {
			value := item.JSON(d, raw)
			if text, ok := value.(string); ok && p.Lists {
				value = item.Number(text)
			}
			return p.marshal(value)
		},
	}

	before := "["
	err := p.items(ctx, s, as, n, tail, func(cells []string) error {
		w.WriteString(before)
		mark := "\n  {"
		for i, value := range cells {
			w.WriteString(mark + names[i] + ": " + value)
			mark = ", "
		}
		before = ","
		_, err := w.WriteString("}")
		return err
	})
	if err != nil {
		return err
	}

	if before == "[" {
		fmt.Fprint(w, before)
	}
	fmt.Fprintln(w, "\n]")
	return w.Flush()
}

// marshal returns a value as JSON.
func (p *Printer) marshal(v any) string {
	if made, ok := v.(json.RawMessage); ok {
		return p.EscapeJSON(string(made))
	}

	text, err := json.Marshal(v)
	if err != nil {
		return "null" // there are no such values
	}
	return p.EscapeJSON(string(text))
}
