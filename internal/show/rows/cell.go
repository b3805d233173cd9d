package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/meta"
)

// cellsOf returns the function that makes cells of an item.
func cellsOf(p *Printer) func(raw []byte) []string {
	d := p.Array.View.DType()
	if times := p.Array.Times(); times != nil {
		return func(raw []byte) []string { return []string{times(raw)} }
	}

	fields := d.Fields()
	if len(fields) == 0 {
		return func(raw []byte) []string { return []string{p.cell(d, raw)} }
	}

	return func(raw []byte) []string {
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = p.cell(f.Type, raw[f.Offset:][:f.Type.Size()])
		}
		return cells
	}
}

// cell returns the text of an item, at most half a page.
func (p *Printer) cell(d meta.DType, raw []byte) string {
	return p.cut(Text(d, raw), max(24, p.Width/2))
}

// Text returns an item as text for people, with as many digits as fit a column.
func Text(d meta.DType, raw []byte) string { return short(clean(item.Text(d, raw))) }

// cut shortens a text.
func (p *Printer) cut(text string, width int) string {
	if table.Width(text) <= width {
		return text
	}
	return table.Head(text, width-table.Width(p.Ellipsis)) + p.Ellipsis
}

// Line prints a line about the array, above the rows.
func (p *Printer) Line(text string) {
	fmt.Fprintln(p.W, p.cut(clean("# "+text), max(16, p.Width)))
}

// digits is how many significant digits of floats are shown, as by NumPy.
const digits = 8

// short rounds the text of a number that has too many digits.
func short(text string) string {
	if len(text) <= digits+1 || !strings.ContainsAny(text, ".e") {
		return text
	}

	if inside, ok := strings.CutSuffix(text, "j"); ok && isComplex(text) {
		i := imaginary(inside)
		return item.Complex(short(inside[:i]), short(inside[i:]))
	}

	if inside, ok := strings.CutPrefix(text, "["); ok { // an array as one item
		parts := strings.Split(strings.TrimSuffix(inside, "]"), " ")
		for i, part := range parts {
			parts[i] = short(part)
		}
		return "[" + strings.Join(parts, " ") + "]"
	}

	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}

	rounded := strconv.FormatFloat(f, 'g', digits, 64)
	back, _ := strconv.ParseFloat(rounded, 64)
	return strconv.FormatFloat(back, 'g', -1, 64)
}

// isComplex reports whether a text is a complex number.
func isComplex(text string) bool {
	_, err := strconv.ParseComplex(strings.TrimSuffix(text, "j")+"i", 128)
	return err == nil && strings.HasSuffix(text, "j")
}

// imaginary returns where the imaginary part of a complex number begins: at its last sign that is
// not that of an exponent.
func imaginary(text string) int {
	for i := len(text) - 1; i > 0; i-- {
		if (text[i] == '+' || text[i] == '-') && text[i-1] != 'e' {
			return i
		}
	}
	return 0
}

// split returns how many columns a text takes before the decimal point, and from it on.
func split(text string) (whole, fraction int) {
	i := strings.IndexByte(text, '.')
	if i < 0 || strings.Trim(text, "0123456789+-.") != "" {
		return table.Width(text), 0
	}
	return i, len(text) - i
}

// isNumber reports whether a text is a number.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
