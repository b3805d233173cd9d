package rows

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/internal/show/table"
)

// A grid is rows in columns as wide as their widest text so far. What does not fit the page is left
// out from the middle of the rows.
type grid struct {
	*Printer
	rows  *rowSpace
	text  func(raw []byte) []string // the cells of an item
	all   int64                     // columns
	left  int64                     // shown at the left; -1 before they are chosen
	right int64                     // and at the right

	heads  []string
	label  int // width
	widths []column
	plane  string // heading that was printed last
}

// A column is how wide its texts are before and after the decimal point.
type column struct {
	whole, fraction int
	quoted          bool // texts begin in the same place; numbers have their points there
}

func (c column) width() int { return c.whole + c.fraction }

// rowsAtOnce is how many rows are read and aligned at a time.
const rowsAtOnce = 256

// Grid prints the first n rows as a grid, or the last ones.
func (p *Printer) Grid(ctx context.Context, n int64, tail bool) error {
	s := newRowSpace(p.Array, true)
	g := &grid{Printer: p, rows: s, all: s.items, left: -1, text: cellsOf(p)}
	if fields := s.dtype.Fields(); len(fields) > 0 {
		g.all = int64(len(fields))
	}

	n = min(n, s.n)
	if s.items == 0 {
		n = 0
	}

	first := int64(0)
	if tail {
		first = s.n - n
	}

	for done := int64(0); done < n; {
		at := s.place(first + done)
		rows := int64(1)
		if last := len(at) - 1; last >= 0 {
			rows = min(n-done, s.shape[last]-at[last], rowsAtOnce)
		}

		if err := g.print(ctx, at, rows, tail && done == 0 && first > 0); err != nil {
			return err
		}
		done += rows
	}

	if rest := s.n - n; rest > 0 && !tail && n > 0 && s.items > 0 {
		g.more(rest, "more")
	}
	return nil
}

// more says how many rows are left out.
func (g *grid) more(n int64, where string) {
	rows := "rows"
	if n == 1 {
		rows = "row"
	}
	fmt.Fprintln(g.W, g.Color.Paint(table.Faint, fmt.Sprintf("%s %d %s %s", g.Ellipsis, n, where, rows)))
}

// fitting is how many columns may fit at a side, if each takes but one character.
func (g *grid) fitting() int64 {
	if g.left >= 0 {
		return max(g.left, g.right)
	}
	return int64(g.Width)/3 + 1
}

// print prints some rows of one plane.
func (g *grid) print(ctx context.Context, at []int64, rows int64, before bool) error {
	left := g.left
	right := g.right
	if left < 0 {
		left = min((g.all+1)/2, g.fitting())
		right = min(g.all/2, g.fitting())
	}

	cells, err := g.cells(ctx, at, rows, left, right)
	if err != nil {
		return err
	}

	names, err := g.labels(ctx, at, rows)
	if err != nil {
		return err
	}

	for _, name := range names {
		g.label = max(g.label, table.Width(name))
	}

	if g.left < 0 {
		if g.heads, err = g.header(ctx, left, right); err != nil {
			return err
		}
		corner := g.corner()
		g.label = max(g.label, table.Width(corner))
		cells = g.choose(cells, left, right)
	}

	g.widen(cells)
	if err := g.heading(ctx, at); err != nil {
		return err
	}

	if before {
		n := int64(0)
		for i, c := range at {
			n = n*g.rows.shape[i] + c
		}
		g.more(n, "earlier")
	}

	for i, row := range cells {
		fmt.Fprintln(g.W, g.line(names[i], row, ""))
	}
	return nil
}

// cells returns the texts of some rows: of the first and the last columns.
func (g *grid) cells(ctx context.Context, at []int64, rows, left, right int64) ([][]string, error) {
	cells := make([][]string, rows)
	add := func(start, stop int64) error {
		// Read the items from start to stop of some rows.
		s := g.rows
		from := append([]int64{}, at...)
		to := append([]int64{}, at...)
		for i := range to {
			to[i]++
		}

		if last := len(at) - 1; last >= 0 {
			to[last] += rows - 1
		}

		if len(at) < s.dims {
			from = append(from, start)
			to = append(to, stop)
		}

		data := make([]byte, rows*(stop-start)*s.size)
		err := s.array.View.ReadBytes(ctx, data, from, to)

		for i := 0; err == nil && i < len(cells); i++ {
			for range stop - start {
				cells[i] = append(cells[i], g.text(data[:g.rows.size])...)
				data = data[g.rows.size:]
			}
		}
		return err
	}

	if g.all != g.rows.items || left+right == g.all {
		if err := add(0, g.rows.items); err != nil {
			return nil, err
		}
		for i, row := range cells { // perhaps the fields of a structure
			cells[i] = append(row[:left:left], row[int64(len(row))-right:]...)
		}
		return cells, nil
	}

	err := add(0, left)
	if err == nil && right > 0 {
		err = add(g.all-right, g.all)
	}
	return cells, err
}

// labels returns the labels of some rows.
func (g *grid) labels(ctx context.Context, at []int64, rows int64) ([]string, error) {
	names := make([]string, rows)
	if len(at) == 0 {
		return names, nil
	}

	last := len(at) - 1
	for i := range names {
		var err error
		if names[i], err = g.rows.names[last].bracketed(ctx, at[last]+int64(i)); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// header returns the names of the first and the last columns.
func (g *grid) header(ctx context.Context, left, right int64) ([]string, error) {
	fields := g.rows.dtype.Fields()
	var heads []string
	for k := range left + right {
		if k >= left {
			k += g.all - left - right
		}

		switch {
		case len(fields) > 0:
			heads = append(heads, clean(fields[k].Name))
		case len(g.rows.shape) == g.rows.dims:
			heads = append(heads, clean(g.Name))
		default:
			text, err := g.rows.names[g.rows.dims-1].bracketed(ctx, k)
			if err != nil {
				return nil, err
			}
			heads = append(heads, text)
		}
	}
	return heads, nil
}

// corner returns the names of the dimensions of rows and columns.
func (g *grid) corner() string {
	n := len(g.rows.shape)
	if n == 0 {
		return ""
	}
	names := g.rows.array.Axes[n-1].Name
	if n < g.rows.dims && g.rows.array.Axes[n].Name != "" {
		names += ` \ ` + g.rows.array.Axes[n].Name
	}
	return clean(names)
}

// choose chooses the columns that fit, at least one, by the first rows, of which it returns them.
func (g *grid) choose(cells [][]string, left, right int64) [][]string {
	g.widths = make([]column, left+right)
	g.widen(cells)

	whole := g.label
	for _, c := range g.widths {
		whole += 2 + c.width()
	}

	if left+right < g.all || whole > g.Width {
		room := g.Width - g.label - 2 - table.Width(g.Ellipsis)
		n := len(g.widths)
		var l, r int
		for l+r < n {
			next := l
			atRight := l > r && right > 0 || l >= int(left)
			if atRight {
				next = n - 1 - r
			}

			if room -= 2 + g.widths[next].width(); room < 0 && l+r > 0 {
				break
			}
			if atRight {
				r++
			} else {
				l++
			}
		}

		keep := func(list []string) []string { return append(list[:l:l], list[n-r:]...) }
		for i, row := range cells {
			cells[i] = keep(row)
		}
		g.heads = keep(g.heads)
		g.widths = append(g.widths[:l:l], g.widths[n-r:]...)
		left = int64(l)
		right = int64(r)
	}

	g.left = left
	g.right = right
	return cells
}

// widen makes room for cells.
func (g *grid) widen(cells [][]string) {
	for k := range g.widths {
		c := &g.widths[k]
		for _, row := range cells {
			whole, fraction := split(row[k])
			c.whole, c.fraction = max(c.whole, whole), max(c.fraction, fraction)
			c.quoted = c.quoted || strings.HasPrefix(row[k], `"`) || strings.HasPrefix(row[k], "{")
		}
		c.whole = max(c.whole, table.Width(g.heads[k])-c.fraction)
	}
}

// heading prints where a plane is, and the names of the columns, if the plane is another one than
// before.
func (g *grid) heading(ctx context.Context, at []int64) error {
	var parts []string
	for i := range len(at) - 1 {
		name := g.rows.array.Axes[i].Name
		text, err := g.rows.names[i].at(ctx, at[i])
		switch {
		case err != nil:
			return err
		case text != "":
			text = name + "=" + text
		default:
			text = fmt.Sprintf("%s[%d]", name, at[i])
		}
		parts = append(parts, text)
	}

	plane := clean(strings.Join(parts, ", "))
	if plane == g.plane && g.plane != "" {
		return nil
	}

	again := g.plane != ""
	if plane == "" {
		plane = " " // one plane only
		if g.plane == plane {
			return nil
		}
	} else {
		if again {
			fmt.Fprintln(g.W)
		}
		fmt.Fprintln(g.W, g.Color.Paint(table.Bold, plane))
	}

	g.plane = plane
	if strings.Join(g.heads, "")+g.corner() != "" {
		fmt.Fprintln(g.W, g.line(g.corner(), g.heads, table.Faint))
	}
	return nil
}

// line lays out a row.
func (g *grid) line(label string, cells []string, style table.Style) string {
	var b strings.Builder
	pad := strings.Repeat(" ", max(0, g.label-table.Width(label)))
	if style == "" && (isNumber(label) || strings.HasPrefix(label, "[")) {
		b.WriteString(pad)
		pad = ""
	}

	b.WriteString(g.Color.Paint(table.Faint, label) + pad)

	for k, c := range g.widths {
		if int64(k) == g.left && g.left+g.right < g.all {
			b.WriteString("  " + g.Ellipsis)
		}

		whole, fraction := split(cells[k])
		before := c.whole - whole
		after := c.fraction - fraction
		if fraction == 0 && strings.Trim(cells[k], "0123456789+-") != "" {
			before, after = before+after, 0
		}

		if style == table.Faint {
			before = c.width() - table.Width(cells[k])
			after = 0
		}

		if c.quoted {
			before, after = 0, before+after
		}

		b.WriteString(strings.Repeat(" ", 2+max(0, before)) + g.Color.Paint(style, cells[k]) +
			strings.Repeat(" ", max(0, after)))
	}

	if g.left == int64(len(g.widths)) && g.left < g.all {
		b.WriteString("  " + g.Ellipsis)
	}
	return strings.TrimRight(b.String(), " ")
}
