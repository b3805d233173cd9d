package main

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-go/cairn/cmd/cairn/internal/cells"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/cmd/cairn/internal/table"
)

// streams are the standard streams of one run.
type streams struct {
	in    io.Reader
	out   io.Writer
	err   io.Writer
	ascii bool             // the terminal may lack other characters
	dull  bool             // no colours unless they are asked for
	depth cells.Depth      // of a terminal that has colours
	ticks <-chan time.Time // of watch, instead of a clock's
	kitty bool             // the terminal shows pictures

	// What the flags of all verbs say.
	color    table.Color
	quiet    bool
	progress progress.Kind
	job      job
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

// plain returns a text, in ASCII if necessary.
func (std *streams) plain(text string) string {
	if std.ascii {
		return plainer.Replace(text)
	}
	return text
}

// output returns standard output, for bytes.
func (std *streams) output(ctx context.Context) io.Writer {
	w := std.out
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			w = &contextWriter{ctx, w}
		}
	}
	return namedWriter{w, "standard output"}
}

// print writes text to standard output.
func (std *streams) print(ctx context.Context, text string) error {
	_, err := io.WriteString(std.output(ctx), std.plain(text))
	return err
}

// printJSON writes a value to standard output.
func (std *streams) printJSON(ctx context.Context, v any) error {
	text, err := marshal(v, "  ")
	if err == nil {
		_, err = std.output(ctx).Write(text)
	}
	return err
}

// complain writes a line to standard error.
func (std *streams) complain(text string) {
	color := table.Color(!std.dull && terminalWidth(std.err) > 0)
	fmt.Fprintf(std.err, "%s %s\n", color.Paint(table.Red, "cairn:"), std.plain(oneLine(text)))
}

// oneLine returns a text on one line, without control characters from names in files.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// escapeJSON escapes the characters in JSON that terminals act upon or that change the direction of
// text. They occur only in strings.
func escapeJSON(text string) string {
	hidden := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// contextWriter is a writer whose calls return when the context ends, even while a pipe without a
// reader blocks. That write then continues in the background.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c *contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	done := make(chan ioResult, 1)
	go func() {
		n, err := c.w.Write(p)
		done <- ioResult{n, err}
	}()
	select {
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	case result := <-done:
		return result.n, result.err
	}
}

// count returns a number of things in words: "1 chunk", "2 chunks".
func count[N int | int64](n N, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// namedWriter names its target in errors.
type namedWriter struct {
	w    io.Writer
	name string
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		// The operating system's error names the stream its own way: keep only the cause.
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		err = fmt.Errorf("writing %s: %w", w.name, err)
	}
	return n, err
}
