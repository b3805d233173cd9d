package console

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
	"github.com/cairn-go/cairn/internal/show/table"
)

// The size of output that is no terminal.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// Screen returns what standard output can show of a chart. It leaves a line for the prompt.
func (c *Console) Screen() cells.Screen {
	s := cells.Screen{Width: c.Width(), Height: defaultHeight - 1, ASCII: c.ASCII}
	if f, ok := c.Out.(*os.File); ok {
		if _, lines, err := term.GetSize(int(f.Fd())); err == nil && lines > 0 {
			s.Height = lines - 1
		}
	}
	if c.Color {
		s.Depth = max(c.Depth, cells.Palette)
	}
	return s
}

// depthOf returns how many colours the terminal has, as far as the environment says.
func depthOf(getenv func(string) string) cells.Depth {
	name := getenv("TERM")
	switch color := getenv("COLORTERM"); {
	case color == "truecolor" || color == "24bit" || strings.HasSuffix(name, "-direct") || name == "xterm-kitty":
		return cells.TrueColor
	}
	return cells.Palette
}

// knowsKitty reports whether the terminal shows kitty's graphics. Inside of a multiplexer, it may
// not reach the terminal.
func knowsKitty(getenv func(string) string) bool {
	if getenv("TMUX") != "" || getenv("STY") != "" || getenv("SSH_TTY") != "" && getenv("TERM") != "xterm-kitty" {
		return false
	}
	program := strings.ToLower(getenv("TERM_PROGRAM"))
	return getenv("TERM") == "xterm-kitty" || getenv("TERM") == "xterm-ghostty" ||
		program == "ghostty" || program == "wezterm"
}

// TerminalWidth returns the columns of a terminal, or 0 if w is not a terminal.
func TerminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}

// Width returns the columns that a line on standard output may take.
func (c *Console) Width() int {
	if columns := TerminalWidth(c.Out); columns > 0 {
		return columns
	}
	return defaultWidth
}

// Columns returns the columns of the terminal on standard output, or 0 if lines may be as long as
// they are: programs read them whole.
func (c *Console) Columns() int { return TerminalWidth(c.Out) }

// Wrapped returns a line of text, which goes on below where a terminal is too narrow.
func (c *Console) Wrapped(text string) string {
	return strings.Join(table.Wrap(text, c.Columns()), "\n") + "\n"
}

// Hanging returns lines of text, each of which goes on below, with an indent, where a terminal is
// too narrow.
func (c *Console) Hanging(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, part := range table.Hang(strings.TrimSuffix(line, "\n"), c.Columns()) {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}

// Below returns the text of a table below a title: with an indent, as wide as there is room for.
func (c *Console) Below(indent string, t *table.Table) string {
	var b strings.Builder
	for line := range strings.Lines(t.Text(max(0, c.Columns()-len(indent)), c.Color)) {
		b.WriteString(indent + line)
	}
	return b.String()
}

// Titled returns a list below what it is about.
func (c *Console) Titled(title string, list *table.List) string {
	return c.Color.Paint(table.Bold, OneLine(title)) + "\n" + list.Text(c.Columns(), c.Color)
}
