package command

import (
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cairn-go/cairn/internal/command/internal/cells"
)

// defaultHeight is the height of output that is no terminal.
const defaultHeight = 24

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
