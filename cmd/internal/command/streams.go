package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/waiting"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/table"
)

// streams are the standard streams of one run.
type streams struct {
	openers Openers // of buckets, by scheme
	in      io.Reader
	out     io.Writer
	err     io.Writer
	ascii   bool             // the terminal may lack other characters
	dull    bool             // no colours unless they are asked for
	depth   cells.Depth      // of a terminal that has colours
	ticks   <-chan time.Time // of watch, instead of a clock's
	kitty   bool             // the terminal shows pictures

	// What the flags of all verbs say.
	color    table.Color
	quiet    bool
	asJSON   bool // of verbs that write
	progress progress.Kind
	job      job

	at *operand.Finder // of what operands name
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
			w = waiting.Writer(ctx, w)
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

// complain writes a line to standard error, which goes on below where a terminal is too narrow.
func (std *streams) complain(text string) {
	color := table.Color(!std.dull && terminalWidth(std.err) > 0)
	lines := table.Hang("cairn: "+std.plain(oneLine(text)), terminalWidth(std.err))
	lines[0] = color.Paint(table.Red, "cairn:") + strings.TrimPrefix(lines[0], "cairn:")
	fmt.Fprintln(std.err, strings.Join(lines, "\n"))
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

// isHidden reports whether a terminal may act upon a character, or show nothing.
func isHidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// escapeJSON escapes the characters in JSON that terminals act upon or that change the direction of
// text. They occur only in strings.
func escapeJSON(text string) string {
	if strings.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isHidden(r):
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

// An escapingWriter writes JSON, whole tokens at a time, as escapeJSON does.
type escapingWriter struct{ to io.Writer }

func (w escapingWriter) Write(text []byte) (int, error) {
	if bytes.IndexFunc(text, isHidden) < 0 {
		return w.to.Write(text)
	}
	_, err := io.WriteString(w.to, escapeJSON(string(text)))
	return len(text), err
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
		err = &printError{fmt.Errorf("writing %s: %w", w.name, err)}
	}
	return n, err
}

// A printError is one of an output rather than of an array that is read.
type printError struct{ error }

func (e *printError) Unwrap() error { return e.error }

// commonFlags are the flags of all verbs.
type commonFlags struct {
	quiet    bool
	color    string
	progress string
	asJSON   bool
	links    string
}

const linksUsage = "follow links of HDF5 into other files, and read virtual datasets with items there, " +
	"below these `FOLDERS`, with commas between them"

// linkFolders returns the folders that -links names.
func linkFolders(list string) (folders []string) {
	for folder := range strings.SplitSeq(list, ",") {
		if folder != "" {
			folders = append(folders, filepath.Clean(folder))
		}
	}
	return folders
}

func (c *commonFlags) declare(set *flag.FlagSet, of traits) {
	set.BoolVar(&c.quiet, "q", false, "print nothing on standard error but mistakes: no progress, no closing line")
	set.StringVar(&c.color, "color", "auto", "`WHEN` to use colours: auto, always or never; "+
		"auto means on a terminal, unless NO_COLOR is set")
	set.StringVar(&c.progress, "progress", "auto", "`KIND` of progress: auto, lines, json or none; "+
		"auto draws a bar on a terminal, and prints lines elsewhere if the work takes long")
	if !of.native {
		set.StringVar(&c.links, "links", "", linksUsage)
	}
	if of.tells {
		set.BoolVar(&c.asJSON, "json", false, "print a JSON object about each output, or the result as JSON")
	}
}

// apply makes the streams what the flags say.
func (c *commonFlags) apply(std *streams) error {
	kind, ok := progress.Parse(c.progress)
	if !ok {
		return usagef("-progress: %q is none of auto, lines, json and none", c.progress)
	}
	switch c.color {
	case "auto":
		std.color = table.Color(!std.dull && terminalWidth(std.out) > 0)
	case "always", "never":
		std.color = c.color == "always"
	default:
		return usagef("-color: %q is none of auto, always and never", c.color)
	}
	std.at.Links = linkFolders(c.links)
	std.quiet, std.progress, std.asJSON = c.quiet, kind, c.asJSON
	return nil
}

// A job is long work of a verb, of which a closing line tells.
type job struct {
	bar     *progress.Bar // the first
	out     string        // the output, if the verb makes one
	outs    []string      // all outputs, and arrays that the verb changes
	leftOut []string      // coordinates that outputs lack
	started time.Time
}

// newBar returns a bar that shows progress on standard error as the flags say.
func (std *streams) newBar(label string, total int64) *progress.Bar {
	kind := std.progress
	terminal := terminalWidth(std.err) > 0
	switch {
	case std.quiet || kind == progress.None:
		return nil
	case kind == progress.Auto && terminal:
		kind = progress.Draw
	}
	bar := progress.New(std.err, kind, func() int { return terminalWidth(std.err) }, label, total)
	if std.job.bar == nil {
		std.job.bar = bar
	}
	return bar
}

// closeJob tells what a successful job has left out, and what it has done if it took so long that
// its progress was shown.
func (std *streams) closeJob() {
	if names := std.job.leftOut; len(names) > 0 && !std.quiet {
		fmt.Fprintf(std.err, "left out the coordinates %s; "+
			"a store keeps them in a group for each array: NAME.b2z%s/GROUP/KEY\n",
			strings.Join(names, ", "), place.Mark)
	}
	bar := std.job.bar
	if bar == nil || std.job.out == "" || std.progress == progress.JSON || !bar.Shown() {
		return
	}
	fmt.Fprintf(std.err, "%s\n", std.plain(closingLine(bar.Total(), std.job.out, bar.Elapsed())))
}

// closingLine says how many bytes of items became how many on disk, and how long it took.
func closingLine(total int64, out string, elapsed time.Duration) string {
	elapsed = elapsed.Round(100 * time.Millisecond)
	size := int64(0)
	if !place.Of(out).One() {
		size = operand.SizeOnDisk(out)
	}
	if size == 0 {
		return fmt.Sprintf("%s in %s", progress.Size(total), elapsed)
	}
	return fmt.Sprintf("%s → %s, ratio %.2f, %s", progress.Size(total), progress.Size(size),
		float64(total)/float64(size), elapsed)
}

// withCommon adds the flags of all verbs to those of one.
func withCommon(set *flag.FlagSet, of traits, act action) action {
	var c commonFlags
	c.declare(set, of)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := c.apply(std); err != nil {
			return err
		}
		return act(ctx, std, operands)
	}
}
