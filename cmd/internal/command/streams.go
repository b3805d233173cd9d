package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/table"
)

// streams are the standard streams of one run.
type streams struct {
	console.Console
	openers Openers // of buckets, by scheme
	in      io.Reader
	ticks   <-chan time.Time // of watch, instead of a clock's

	// What the flags of all verbs say.
	quiet    bool
	asJSON   bool // of verbs that write
	progress progress.Kind
	job      job

	verb  *verb           // what runs
	args  []string        // of the run, with the verb
	exact map[string]bool // arrays of which noteExact has told

	at *operand.Finder // of what operands name
}

// historyLine returns the line of history of what the run writes.
func (std *streams) historyLine() string {
	var shown []string
	for _, arg := range std.args {
		shown = append(shown, std.at.Shown(arg))
	}

	at := time.Now()
	if seconds, err := strconv.ParseInt(os.Getenv(epochVariable), 10, 64); err == nil {
		at = time.Unix(seconds, 0).UTC()
	}
	return whole.History(shown, at)
}

// epochVariable is that of the environment which has the time of reproducible outputs, in seconds
// since 1970; see https://reproducible-builds.org/specs/source-date-epoch.
const epochVariable = "SOURCE_DATE_EPOCH"

// verb is one thing the command does.
type verb struct {
	name     string
	operands string // for the usage line
	brief    string // for the overview, in at most manual.MostBrief characters
	summary  string // for the verb's own help
	// setUp declares the verb's flags and returns the action to run once they are parsed.
	setUp func(*flag.FlagSet) action
	traits
}

// traits are what the rest of the command has to know about a verb.
type traits struct {
	writes bool // -json describes its outputs; others have a -json of their own, or none
	native bool // it reads no files of other formats, so that it has no -links
}

// ofAllVerbs are the traits with which a verb has only the flags that all verbs have.
var ofAllVerbs = traits{native: true}

type action func(ctx context.Context, std *streams, operands []string) error

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

func (c *commonFlags) declare(set *flag.FlagSet, of traits) {
	set.BoolVar(&c.quiet, "q", false, "print nothing on standard error but mistakes: no progress, no closing line")
	set.StringVar(&c.color, "color", "auto", "`WHEN` to use colours: auto, always or never; "+
		"auto means on a terminal, unless NO_COLOR is set")
	set.StringVar(&c.progress, "progress", "auto", "`KIND` of progress: auto, lines, json or none; "+
		"auto draws a bar on a terminal, and prints lines elsewhere if the work takes long")
	if !of.native {
		set.StringVar(&c.links, "links", "", linksUsage)
	}
	if of.writes {
		set.BoolVar(&c.asJSON, "json", false, "print a JSON object about each output, or the result as JSON")
	}
}

// apply makes the streams what the flags say.
func (c *commonFlags) apply(std *streams) error {
	kind, ok := progress.Parse(c.progress)
	if !ok {
		return unknownValue("progress", "kind", c.progress, valuesOf("", "progress"))
	}

	switch c.color {
	case "auto":
		std.Color = table.Color(!std.Dull && console.TerminalWidth(std.Out) > 0)
	case "always", "never":
		std.Color = c.color == "always"
	default:
		return unknownValue("color", "choice", c.color, valuesOf("", "color"))
	}

	std.at.Links = nil
	for folder := range strings.SplitSeq(c.links, ",") {
		if folder != "" {
			std.at.Links = append(std.at.Links, filepath.Clean(folder))
		}
	}
	std.quiet = c.quiet
	std.progress = kind
	std.asJSON = c.asJSON
	return nil
}

// A job is long work of a verb, which a closing line sums up.
type job struct {
	bar     *progress.Bar // the first
	out     target        // the output, if the verb makes one
	outs    []target      // all outputs, and arrays that the verb changes
	leftOut []string      // coordinates that outputs lack
	started time.Time
}

// newBar returns a bar that shows progress on standard error as the flags say.
func (std *streams) newBar(label string, total int64) *progress.Bar {
	kind := std.progress
	terminal := console.TerminalWidth(std.Err) > 0
	switch {
	case std.quiet || kind == progress.None:
		return nil
	case kind == progress.Auto && terminal:
		kind = progress.Draw
	}
	bar := progress.New(std.Err, kind, func() int { return console.TerminalWidth(std.Err) }, label, total)
	if std.job.bar == nil {
		std.job.bar = bar
	}
	return bar
}

// closeJob prints what a successful job has left out, and what it has done if it took so long that
// its progress was shown.
func (std *streams) closeJob() {
	if names := std.job.leftOut; len(names) > 0 && !std.quiet {
		std.Complain(fmt.Sprintf("left out the coordinates %s; a store keeps them in a group for each array: NAME.b2z%s/GROUP/KEY",
			strings.Join(names, ", "), place.Mark))
	}
	bar := std.job.bar
	if bar == nil || std.job.out.none() || std.progress == progress.JSON || !bar.Shown() {
		return
	}
	fmt.Fprintf(std.Err, "%s\n", std.Plain(closingLine(bar.Total(), std.job.out, bar.Elapsed())))
}

// closingLine says how many bytes of items became how many on disk, and how long it took.
func closingLine(total int64, out target, elapsed time.Duration) string {
	elapsed = elapsed.Round(100 * time.Millisecond)
	size := int64(0)
	if !out.One() {
		size = operand.SizeOnDisk(out.Name)
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

// flags returns the verb's flag set and its action.
func (v *verb) flags() (*flag.FlagSet, action) {
	set := flag.NewFlagSet(v.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set, withCommon(set, v.traits, v.setUp(set))
}

// Openers open a bucket of an object store by its name, by the scheme of its URLs: s3, gs and az.
type Openers = bucketurl.Openers
