// Package console writes what the command says: as wide as a terminal is, in its colours and
// characters, or as plain text and JSON for programs.
package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/waiting"
	"github.com/cairn-go/cairn/internal/show/table"
)

// A Console is where a run of the command writes, and how.
type Console struct {
	Out   io.Writer
	Err   io.Writer
	ASCII bool        // the terminal may lack other characters
	Dull  bool        // no colours unless they are asked for
	Depth cells.Depth // of a terminal that has colours
	Kitty bool        // the terminal shows pictures
	Color table.Color // of text on standard output
}

// New returns the console for the standard streams of the process, as the environment describes it.
func New(getenv func(string) string) Console {
	c := Console{Out: os.Stdout, Err: os.Stderr, ASCII: asciiOnly(getenv), Dull: isDull(getenv), Depth: depthOf(getenv)}
	c.Kitty = knowsKitty(getenv) && !c.Dull && TerminalWidth(c.Out) > 0
	return c
}

// asciiOnly reports whether text should be ASCII: in the locale C, which is the default, and on a
// dumb terminal.
func asciiOnly(getenv func(string) string) bool {
	if getenv("TERM") == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := getenv(name); locale != "" {
			return locale == "C" || locale == "POSIX"
		}
	}
	return os.PathSeparator == '/' // other systems have no such variables
}

// isDull reports whether the environment asks for no colours: see https://no-color.org.
func isDull(getenv func(string) string) bool {
	return getenv("NO_COLOR") != "" || getenv("TERM") == "dumb"
}

// plainer writes the characters of our own texts in ASCII. Names and values stay as they are.
var plainer = strings.NewReplacer(" × ", " x ", "…", "...", "→", "->", "°", " deg ")

// Plain returns a text, in ASCII if necessary.
func (c *Console) Plain(text string) string {
	if c.ASCII {
		return plainer.Replace(text)
	}
	return text
}

// Output returns standard output, for bytes.
func (c *Console) Output(ctx context.Context) io.Writer {
	w := c.Out
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			w = waiting.Writer(ctx, w)
		}
	}
	return Named(w, "standard output")
}

// Print writes text to standard output.
func (c *Console) Print(ctx context.Context, text string) error {
	_, err := io.WriteString(c.Output(ctx), c.Plain(text))
	return err
}

// PrintJSON writes a value to standard output.
func (c *Console) PrintJSON(ctx context.Context, v any) error {
	text, err := Marshal(v, "  ")
	if err != nil {
		return err
	}
	_, err = c.Output(ctx).Write(text)
	return err
}

// Complain writes a line to standard error, which goes on below where a terminal is too narrow.
func (c *Console) Complain(text string) {
	color := table.Color(!c.Dull && TerminalWidth(c.Err) > 0)
	lines := table.Hang("cairn: "+c.Plain(OneLine(text)), TerminalWidth(c.Err))
	lines[0] = color.Paint(table.Red, "cairn:") + strings.TrimPrefix(lines[0], "cairn:")
	fmt.Fprintln(c.Err, strings.Join(lines, "\n"))
}
