package command

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cairn-go/cairn/internal/command/internal/table"
)

// defaultWidth is the width of output that is no terminal.
const defaultWidth = 80

// terminalWidth returns the columns of a terminal, or 0 if w is none.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}

// width returns the columns that a line on standard output may take.
func (std *streams) width() int {
	if columns := terminalWidth(std.out); columns > 0 {
		return columns
	}
	return defaultWidth
}

// columns returns the columns of the terminal on standard output, or 0 if lines may be as long as
// they are: programs read them whole.
func (std *streams) columns() int { return terminalWidth(std.out) }

// wrapped returns a line of text, which goes on below where a terminal is too narrow.
func (std *streams) wrapped(text string) string {
	return strings.Join(table.Wrap(text, std.columns()), "\n") + "\n"
}

// below returns the text of a table below a title: with an indent, as wide as there is room for.
func (std *streams) below(indent string, t *table.Table) string {
	var b strings.Builder
	for line := range strings.Lines(t.Text(max(0, std.columns()-len(indent)), std.color)) {
		b.WriteString(indent + line)
	}
	return b.String()
}
