package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/cmd/cairn/internal/table"
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

// commonFlags are the flags of all verbs.
type commonFlags struct {
	quiet    bool
	color    string
	progress string
}

func (c *commonFlags) declare(set *flag.FlagSet) {
	set.BoolVar(&c.quiet, "q", false, "print nothing on standard error but mistakes: no progress, no closing line")
	set.StringVar(&c.color, "color", "auto", "`WHEN` to use colours: auto, always or never; "+
		"auto means on a terminal, unless NO_COLOR is set")
	set.StringVar(&c.progress, "progress", "auto", "`KIND` of progress: auto, lines, json or none; "+
		"auto draws a bar on a terminal, and prints lines elsewhere if the work takes long")
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
	std.quiet, std.progress = c.quiet, kind
	return nil
}

// A job is long work of a verb, of which a closing line tells.
type job struct {
	bar *progress.Bar // the first
	out string        // the output, if the verb makes one
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

// closeJob tells what a successful job has done, if it took so long that its progress was shown.
func (std *streams) closeJob() {
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
	if !single(out) {
		size = sizeOnDisk(out)
	}
	if size == 0 {
		return fmt.Sprintf("%s in %s", progress.Size(total), elapsed)
	}
	return fmt.Sprintf("%s → %s, ratio %.2f, %s", progress.Size(total), progress.Size(size),
		float64(total)/float64(size), elapsed)
}

// withCommon adds the flags of all verbs to those of one.
func withCommon(set *flag.FlagSet, act action) action {
	var c commonFlags
	c.declare(set)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := c.apply(std); err != nil {
			return err
		}
		return act(ctx, std, operands)
	}
}
