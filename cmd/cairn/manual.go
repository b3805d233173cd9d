package main

import (
	"flag"
	"fmt"
	"strings"
)

// manualPage returns the manual page of the command, made from the table of verbs. Its language is
// that of man(7).
func manualPage() string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	fmt.Fprintf(&b, ".TH CAIRN 1 \"\" \"cairn %s\" \"User Commands\"\n", roff(buildOf().Version))
	section("NAME")
	b.WriteString("cairn \\- work with Blosc2 arrays, NumPy files and Zarr stores\n")
	section("SYNOPSIS")
	b.WriteString(".B cairn\n.I VERB\n[flags]\n.IR PATH ...\n")
	section("DESCRIPTION")
	b.WriteString("PATH is a file, a directory, \\- for a pipe, or STORE::/KEY for an array in a store or archive.\n" +
		"SELECTION is what NumPy takes between brackets, such as '10:20, ::\\-2, [1, 5]'.\n" +
		"Flags may come before, between and after the operands; \\-\\- ends them.\n")
	section("FLAGS OF ALL VERBS")
	set := flag.NewFlagSet("", flag.ContinueOnError)
	new(commonFlags).declare(set)
	set.VisitAll(func(f *flag.Flag) { manualFlag(&b, f) })
	for _, group := range verbGroups() {
		section(strings.ToUpper("verbs: " + group.title))
		for _, v := range group.verbs {
			v.manual(&b)
		}
	}
	section("EXIT STATUS")
	for _, code := range [][2]string{
		{"0", "Success."},
		{"1", "Failure, with a line on standard error; verify: something is damaged."},
		{"2", "Wrong arguments."}, {"3", "Some data was lost, left out, or not verified."},
		{"4", "verify found a damaged header, and all data intact."},
		{"128 + N", "Ended by signal N, after cleaning up; 141 if the reader of standard output went away."},
	} {
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", code[0], code[1])
	}
	return b.String()
}

// manual writes the part about a verb.
func (v *verb) manual(b *strings.Builder) {
	fmt.Fprintf(b, ".SS %s\n%s\n", roff(strings.TrimPrefix(v.usage(), "cairn ")), roff(v.about()))
	for _, f := range v.ownFlags() {
		manualFlag(b, f)
	}
	b.WriteString(".PP\nExamples:\n")
	for _, e := range examples(v.name) {
		fmt.Fprintf(b, ".PP\n.RS\n%s:\n.br\n\\fB%s\\fR\n.RE\n", roff(e.comment), roff(e.command))
	}
}

func manualFlag(b *strings.Builder, f *flag.Flag) {
	kind, usage := flag.UnquoteUsage(f)
	fmt.Fprintf(b, ".TP\n\\fB\\-%s\\fR %s\n%s\n", roff(f.Name), roff(kind), roff(usage))
}

// roff escapes a text for a line of a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "×", "x", "::", `::\:`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
