package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/cmd/cairn/internal/table"
)

func helpVerb(set *flag.FlagSet) action {
	man := set.Bool("man", false, "print the manual page, in the format of man")
	return func(ctx context.Context, std *streams, operands []string) error {
		switch {
		case *man && len(operands) > 0:
			return usagef("-man describes all verbs; unexpected argument %q", operands[0])
		case *man:
			return std.print(ctx, manualPage())
		case len(operands) == 0:
			return std.print(ctx, overview(std.color))
		}
		if err := wantOperands(operands, "VERB"); err != nil {
			return err
		}
		v, err := findVerb(operands[0])
		if err != nil {
			return err
		}
		return std.print(ctx, v.helpText(std.color))
	}
}

// Columns of the overview, which fits a screen of 24 lines and 80 columns.
const (
	titleWidth = 9  // of the title of a group
	nameWidth  = 11 // of a verb's name
	briefWidth = 24 // of a verb's brief, and a space
)

// overview explains the command on one screen.
func overview(color table.Color) string {
	var b strings.Builder
	b.WriteString("cairn VERB [flags] PATH…  works on Blosc2 arrays, NumPy files and Zarr stores.\n\n")
	for _, group := range verbGroups() {
		for i, v := range group.verbs {
			switch {
			case i == 0:
				b.WriteString(padded(color.Paint(table.Bold, group.title), group.title, titleWidth))
			case i%2 == 0:
				b.WriteString(strings.Repeat(" ", titleWidth))
			}
			b.WriteString(padded(color.Paint(table.Green, v.name), v.name, nameWidth))
			if i%2 == 0 && i+1 < len(group.verbs) {
				b.WriteString(padded(v.brief, v.brief, briefWidth))
			} else {
				b.WriteString(v.brief + "\n")
			}
		}
	}
	b.WriteString(`
PATH is a file, a directory, - for a pipe, or STORE::/KEY in a store or archive.
SELECTION is NumPy's syntax between brackets, such as '10:20, ::-2, [1, 5]'.
All verbs take -q, -color auto|always|never and -progress auto|lines|json|none.
'cairn help VERB' shows flags and examples, 'cairn help -man' the manual page.
Exit codes: 0 success, 1 failure, 2 wrong arguments, 128 + N ended by signal N.
`)
	return b.String()
}

// padded returns a painted text that takes width columns.
func padded(painted, text string, width int) string {
	return painted + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// usage returns one line.
func (v *verb) usage() string {
	line := "cairn " + v.name
	if len(v.ownFlags()) > 0 {
		line += " [flags]"
	}
	if v.operands != "" {
		line += " " + v.operands
	}
	return line
}

// usageHint is the line after a mistake in the arguments; v is nil if the verb is wrong.
func (v *verb) usageHint() string {
	if v == nil {
		return "cairn VERB …; 'cairn help' lists the verbs"
	}
	return v.usage() + "; 'cairn help " + v.name + "' shows more"
}

// ownFlags returns the flags of the verb that not all verbs have.
func (v *verb) ownFlags() []*flag.Flag {
	set := flag.NewFlagSet(v.name, flag.ContinueOnError)
	v.setUp(set)
	var all []*flag.Flag
	set.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// helpWidth is the width of help, and helpIndent the column where descriptions of flags begin.
const (
	helpWidth  = 80
	helpIndent = 23
)

// helpText explains a verb.
func (v *verb) helpText(color table.Color) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", v.usage(), wrapped(v.about(), helpWidth, 0))
	for i, f := range v.ownFlags() {
		if i == 0 {
			b.WriteString("\n")
		}
		kind, usage := flag.UnquoteUsage(f)
		text := wrapped(usage, helpWidth-helpIndent, helpIndent)
		name := strings.TrimSpace("-" + f.Name + " " + kind)
		fmt.Fprintf(&b, "  %s %s\n", padded(color.Paint(table.Green, name), name, helpIndent-3), text)
	}
	b.WriteString("\n" + color.Paint(table.Bold, "Examples") + "\n")
	for _, e := range examples(v.name) {
		fmt.Fprintf(&b, "  %s\n      %s\n", e.comment, color.Paint(table.Green, e.command))
	}
	return b.String()
}

// about returns the summary as a sentence.
func (v *verb) about() string { return strings.ToUpper(v.summary[:1]) + v.summary[1:] + "." }

// wrapped wraps a text at a width, and indents all lines but the first.
func wrapped(text string, width, indent int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
