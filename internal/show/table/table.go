// Package table lays out text for people: columns that are aligned and fit a width, and colour
// where a terminal shows it.
package table

import (
	"slices"
	"strings"
)

// A Style is how a text looks on a terminal, as the parameters of the control sequence SGR.
type Style string

// Styles. Colours are those of the terminal's palette, which its owner has chosen to be readable.
const (
	Bold   Style = "1"
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Color says whether to paint.
type Color bool

// Paint returns a text in a style.
func (c Color) Paint(s Style, text string) string {
	if !c || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// A Column describes the cells of a column.
type Column struct {
	Name  string
	Right bool // aligned at the right, as numbers are
	Keep  bool // never cut or left out
	Path  bool // cut in the middle: both ends of a path tell something
	Spare bool // cut and left out before other columns are cut
}

// A Table is rows of cells. Its zero value has no columns.
type Table struct {
	columns []Column
	rows    [][]string // one with a single cell is a line across
	styles  []Style
}

// New returns a table without rows.
func New(columns ...Column) *Table { return &Table{columns: columns} }

// Span adds a line that is no row: a text across all columns.
func (t *Table) Span(s Style, text string) {
	t.rows = append(t.rows, []string{text})
	t.styles = append(t.styles, s)
}

// Add adds a row in a style, "" for the usual one. It has a cell for each column.
func (t *Table) Add(s Style, cells ...string) {
	t.rows = append(t.rows, slices.Clone(cells))
	t.styles = append(t.styles, s)
}

const (
	gap    = 2 // between columns
	shrunk = 8 // columns are not cut below this width

	more = "  …" // behind the heads, where columns are left out
)

// Text returns the table in lines of at most width columns of the terminal, or of any length if
// width is 0. Cells that are too long get an ellipsis, then columns are left out from the last on,
// which an ellipsis behind the heads shows. Only columns to keep may exceed the width. Lines across
// go on below.
func (t *Table) Text(width int, color Color) string {
	widths := t.widths()
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.Name
	}

	headed := strings.Join(heads, "") != ""
	end := ""
	if width > 0 && t.fit(widths, width, headed) {
		end = more
	}

	var b strings.Builder
	if headed {
		t.line(&b, widths, heads, end, color, Faint)
	}

	for i, row := range t.rows {
		if len(row) != len(t.columns) {
			for _, text := range Hang(row[0], width) {
				b.WriteString(color.Paint(t.styles[i], text) + "\n")
			}
			continue
		}
		t.line(&b, widths, row, "", color, t.styles[i])
	}
	return b.String()
}

// widths returns the widths of the columns, -1 for one with nothing to show.
func (t *Table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = Width(c.Name)
		for _, row := range t.rows {
			if len(row) != len(t.columns) {
				continue
			}
			widths[i] = max(widths[i], Width(row[i]))
		}
	}

	for i, w := range widths {
		if w == 0 {
			widths[i] = -1 // nothing to show
		}
	}
	return widths
}

// fit makes widths smaller until their sum fits: that of a column left out becomes -1. It reports
// whether the heads have to end with an ellipsis, because there is one.
func (t *Table) fit(widths []int, width int, headed bool) bool {
	left := t.spare(widths, width) // some column is left out
	for last := len(widths) - 1; ; last-- {
		end := 0
		if headed && left {
			end = Width(more)
		}

		cut := slices.Clone(widths)
		fits := t.cut(cut, width-end)
		if fits || last < 1 {
			copy(widths, cut)
			return fits && end > 0
		}

		if !t.columns[last].Keep && widths[last] >= 0 {
			widths[last] = -1
			left = true
		}
	}
}

// spare makes columns that can be spared narrower until all fit, or leaves them out if little of
// them would be left. It reports whether it did.
func (t *Table) spare(widths []int, width int) (left bool) {
	const least = 2 * shrunk
	for i, c := range t.columns {
		over := sumOf(widths) - width
		switch {
		case !c.Spare || over <= 0 || widths[i] < 0:
		case widths[i]-over >= least:
			widths[i] -= over
		default:
			widths[i] = -1
			left = true
		}
	}
	return left
}

// sumOf returns the width of a line with columns of these widths.
func sumOf(widths []int) int {
	sum := -gap
	for _, w := range widths {
		if w >= 0 {
			sum += w + gap
		}
	}
	return sum
}

// cut makes the widest columns narrower until all fit, and reports whether they do.
func (t *Table) cut(widths []int, width int) bool {
	for sum := sumOf(widths); sum > width; sum-- {
		widest := -1
		for i, c := range t.columns {
			if !c.Keep && !c.Right && widths[i] > shrunk && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}

		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

// line writes a row, and behind it an end.
func (t *Table) line(b *strings.Builder, widths []int, cells []string, end string, color Color, s Style) {
	var line strings.Builder
	for i, c := range t.columns {
		if widths[i] < 0 {
			continue
		}

		if line.Len() > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}

		text := Cut(cells[i], widths[i])
		if c.Path {
			text = cutPath(cells[i], widths[i])
		}

		pad := strings.Repeat(" ", widths[i]-Width(text))
		if c.Right {
			text = pad + text
		} else {
			text += pad
		}

		line.WriteString(text)
	}

	line.WriteString(end)
	b.WriteString(color.Paint(s, strings.TrimRight(line.String(), " ")))
	b.WriteByte('\n')
}

// Cut returns a text of at most width columns, with an ellipsis at the end if it was longer.
func Cut(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return Head(text, width-1) + "…"
}

// cutPath returns a text of at most width columns, with an ellipsis in the middle if it was
// longer.
func cutPath(text string, width int) string {
	if Width(text) <= width || width < 3 {
		return Cut(text, width)
	}
	end := (width - 1) * 2 / 3
	return Head(text, width-1-end) + "…" + tail(text, end)
}
