// Package manual says what verbs do: on one screen, at length, and as a manual page.
package manual

import (
	"flag"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/internal/show/table"
)

// A Verb is one thing the command does.
type Verb struct {
	Name     string
	Operands string // for the usage line
	Brief    string // for the overview, in at most MostBrief characters
	Summary  string // for the verb's own help
	Flags    []*flag.Flag
}

// A Group is verbs that serve one purpose.
type Group struct {
	Title string
	Verbs []Verb
}

// Columns of the overview, which fits a screen of 24 lines and 80 columns.
const (
	titleWidth = 9  // of the title of a group
	nameWidth  = 11 // of a verb's name
	briefWidth = MostBrief + 1
)

// MostBrief is the largest length of a brief.
const MostBrief = 23

const overviewHead = "cairn VERB [flags] PATH…  works on Blosc2, Zarr, NetCDF, HDF5 and NumPy files.\n\n"

const overviewFoot = `
PATH is a file, a directory, - for a pipe, or STORE::/KEY in a store or archive.
SELECTION is as in NumPy, '10:20, ::-2', or by name, 'time=2020-01, lat=50:60'.
All verbs take -q, -color auto|always|never and -progress auto|lines|json|none.
'cairn help VERB' shows flags and examples, 'cairn help -man' the manual page.
`

// Overview explains the command on one screen, or in one column if that is narrower than usual.
// Width 0 is the usual one.
func Overview(groups []Group, width int, color table.Color) string {
	if width > 0 && width < helpWidth {
		// The overview with a verb on each line.
		var b strings.Builder
		wrap := func(text string) {
			for line := range strings.Lines(text) {
				b.WriteString(wrapped(line, width, 0) + "\n")
			}
		}

		wrap(overviewHead)
		for _, group := range groups {
			b.WriteString(color.Paint(table.Bold, group.Title) + "\n")
			for _, v := range group.Verbs {
				b.WriteString("  " + padded(color.Paint(table.Green, v.Name), v.Name, nameWidth) + v.Brief + "\n")
			}
		}
		wrap(overviewFoot)
		return b.String()
	}

	var b strings.Builder
	b.WriteString(overviewHead)
	for _, group := range groups {
		for i, v := range group.Verbs {
			switch {
			case i == 0:
				b.WriteString(padded(color.Paint(table.Bold, group.Title), group.Title, titleWidth))
			case i%2 == 0:
				b.WriteString(strings.Repeat(" ", titleWidth))
			}
			b.WriteString(padded(color.Paint(table.Green, v.Name), v.Name, nameWidth))
			if i%2 == 0 && i+1 < len(group.Verbs) {
				b.WriteString(padded(v.Brief, v.Brief, briefWidth))
			} else {
				b.WriteString(v.Brief + "\n")
			}
		}
	}

	b.WriteString(overviewFoot)
	return b.String()
}

// padded returns a painted text that takes width columns.
func padded(painted, text string, width int) string {
	return painted + strings.Repeat(" ", max(0, width-table.Width(text)))
}

// Usage returns one line.
func (v *Verb) Usage() string {
	line := "cairn " + v.Name
	if len(v.Flags) > 0 {
		line += " [flags]"
	}
	if v.Operands != "" {
		line += " " + v.Operands
	}
	return line
}

// helpWidth is the largest width of help, and helpIndent the column where descriptions of flags
// begin. Pages narrower than leastBeside have them below the flags instead.
const (
	helpWidth   = 80
	helpIndent  = 23
	belowIndent = 6
	leastBeside = 60
)

// Text explains a verb on a page of a width; 0 is the usual one.
func (v *Verb) Text(width int, color table.Color) string {
	if width <= 0 || width > helpWidth {
		width = helpWidth
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", wrapped("usage: "+v.Usage(), width, belowIndent), wrapped(v.about(), width, 0))
	row := func(name, text string) {
		painted := color.Paint(table.Green, name)
		if width < leastBeside {
			fmt.Fprintf(&b, "  %s\n%*s%s\n", painted, belowIndent, "", wrapped(text, width-belowIndent, belowIndent))
			return
		}
		fmt.Fprintf(&b, "  %s %s\n", padded(painted, name, helpIndent-3), wrapped(text, width-helpIndent, helpIndent))
	}

	for i, f := range v.Flags {
		if i == 0 {
			b.WriteString("\n")
		}
		kind, usage := flag.UnquoteUsage(f)
		row(strings.TrimSpace("-"+f.Name+" "+kind), usage)
	}

	title, terms := Terms(v.Name)
	for i, t := range terms {
		if i == 0 {
			b.WriteString("\n" + color.Paint(table.Bold, title) + "\n")
		}
		row(t.Name, t.Text)
	}

	b.WriteString("\n" + color.Paint(table.Bold, "Examples") + "\n")
	for _, e := range Examples(v.Name) {
		fmt.Fprintf(&b, "  %s\n      %s\n", wrapped(e.Comment, width-2, 2), color.Paint(table.Green, e.Command))
	}
	return b.String()
}

// about returns the summary as a sentence.
func (v *Verb) about() string { return strings.ToUpper(v.Summary[:1]) + v.Summary[1:] + "." }

// wrapped wraps a text at a width, and indents all lines but the first.
func wrapped(text string, width, indent int) string {
	return strings.Join(table.Wrap(strings.Join(strings.Fields(text), " "), width), "\n"+strings.Repeat(" ", indent))
}
