package table

import "strings"

// Stacked returns the table as [Table.Text] does if all columns fit the width. Otherwise the first
// cell of a row is a line, and the others follow on lines of their own with the names of their
// columns, so that a narrow terminal shows them too.
func (t *Table) Stacked(width int, color Color) string {
	if width <= 0 || t.fits(width) {
		return t.Text(width, color)
	}

	names := 0
	for _, c := range t.columns[1:] {
		names = max(names, Width(c.Name))
	}

	const indent = 2
	names = min(names, max(shrunk, width/2-indent-gap))

	var b strings.Builder
	for i, row := range t.rows {
		for _, line := range Wrap(row[0], width) {
			b.WriteString(color.Paint(t.styles[i], line) + "\n")
		}
		for k, cell := range row[1:] {
			if cell == "" {
				continue
			}

			name := Cut(t.columns[k+1].Name, names)
			pad := strings.Repeat(" ", names-Width(name)+gap)
			for n, line := range Wrap(cell, max(1, width-indent-names-gap)) {
				if n > 0 {
					name = ""
					pad = strings.Repeat(" ", names+gap)
				}
				b.WriteString(strings.Repeat(" ", indent) + color.Paint(Faint, name) + pad + line + "\n")
			}
		}
	}
	return b.String()
}

// fits reports whether no column has to be left out.
func (t *Table) fits(width int) bool {
	widths := t.widths()
	return t.cut(widths, width)
}
