package command

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

// screen returns what standard output can show of a chart. It leaves a line for the prompt.
func (std *streams) screen() cells.Screen {
	s := cells.Screen{Width: std.width(), Height: defaultHeight - 1, ASCII: std.ascii}
	if f, ok := std.out.(*os.File); ok {
		if _, lines, err := term.GetSize(int(f.Fd())); err == nil && lines > 0 {
			s.Height = lines - 1
		}
	}
	if std.color {
		s.Depth = max(std.depth, cells.Palette)
	}
	return s
}

// depthOf returns how many colours the terminal has, as far as the environment tells.
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

// hanging returns lines of text, each of which goes on below, with an indent, where a terminal is
// too narrow.
func (std *streams) hanging(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, part := range table.Hang(strings.TrimSuffix(line, "\n"), std.columns()) {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}

// below returns the text of a table below a title: with an indent, as wide as there is room for.
func (std *streams) below(indent string, t *table.Table) string {
	var b strings.Builder
	for line := range strings.Lines(t.Text(max(0, std.columns()-len(indent)), std.color)) {
		b.WriteString(indent + line)
	}
	return b.String()
}
