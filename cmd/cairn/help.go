package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"unicode/utf8"
)

func helpVerb(*flag.FlagSet) action {
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return std.print(ctx, helpText())
		}
		if err := wantOperands(operands, "VERB"); err != nil {
			return err
		}
		v, err := findVerb(operands[0])
		if err != nil {
			return err
		}
		return std.print(ctx, v.helpText())
	}
}

// helpText explains the command.
func helpText() string {
	var b strings.Builder
	b.WriteString("cairn inspects, converts, verifies and repairs Blosc2 arrays (.b2nd, .b2frame).\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-8s  %s\n", v.name, v.summary)
	}
	b.WriteString(`
SELECTION is NumPy's syntax between brackets, such as '10:20, ::-2, [1, 5]'.
PATH may name an array in a store (.b2d, .b2z, .b2e) as STORE::/group/leaf, and
may be - for standard input.
'cairn help VERB' lists the flags of a verb.

Exit codes: 0 success; 1 failure; 2 wrong arguments; 3 repair lost some data; 4 verify
found a damaged header that only cairn can read; 128 + N ended by signal N.
`)
	return b.String()
}

// usage returns one line.
func (v *verb) usage() string {
	line := "cairn " + v.name
	set, _ := v.flags()
	if hasFlags(set) {
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
	line := v.usage()
	if set, _ := v.flags(); hasFlags(set) {
		line += "; 'cairn help " + v.name + "' lists the flags"
	}
	return line
}

func hasFlags(set *flag.FlagSet) bool {
	found := false
	set.VisitAll(func(*flag.Flag) { found = true })
	return found
}

// helpWidth is the width of help, and helpIndent the column where descriptions of flags begin.
const (
	helpWidth  = 80
	helpIndent = 23
)

// helpText explains a verb.
func (v *verb) helpText() string {
	var b strings.Builder
	about := strings.ToUpper(v.summary[:1]) + v.summary[1:] + "."
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", v.usage(), wrapped(about, helpWidth, 0))
	set, _ := v.flags()
	if hasFlags(set) {
		b.WriteString("\n")
	}
	set.VisitAll(func(f *flag.Flag) {
		kind, usage := flag.UnquoteUsage(f)
		text := wrapped(usage, helpWidth-helpIndent, helpIndent)
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace("-"+f.Name+" "+kind), text)
	})
	return b.String()
}

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

func versionVerb(*flag.FlagSet) action {
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands); err != nil {
			return err
		}
		return std.print(ctx, fmt.Sprintf("cairn %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	}
}

// version returns the module's version, or the commit of a build from a clone.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
