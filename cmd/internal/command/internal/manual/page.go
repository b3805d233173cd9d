package manual

import (
	"flag"
	"fmt"
	"strings"
)

// Page returns the manual page of the command, in the language of man(7). Flags are those of all
// verbs.
func Page(groups []Group, flags []*flag.Flag, version string) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	fmt.Fprintf(&b, ".TH CAIRN 1 \"\" \"cairn %s\" \"User Commands\"\n", roff(version))

	section("NAME")
	b.WriteString("cairn \\- work with Blosc2 arrays, NumPy, NetCDF and HDF5 files and Zarr stores\n")

	section("SYNOPSIS")
	b.WriteString(".B cairn\n.I VERB\n[flags]\n.IR PATH ...\n")

	section("DESCRIPTION")
	b.WriteString("PATH is a file, a directory, \\- for a pipe, or STORE::/KEY for an array in a store or archive.\n" +
		"SELECTION is what NumPy takes between brackets, such as '10:20, ::\\-2, [1, 5]'.\n" +
		"Flags may come before, between and after the operands; \\-\\- ends them.\n")

	section("FLAGS OF ALL VERBS")
	for _, f := range flags {
		flagPart(&b, f)
	}
	for _, group := range groups {
		section(strings.ToUpper("verbs: " + group.Title))
		for _, v := range group.Verbs {
			// Write the part about a verb.
			fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimPrefix(v.Usage(), "cairn ")), roff(v.about()))
			for _, f := range v.Flags {
				flagPart(&b, f)
			}

			title, terms := Terms(v.Name)
			for i, t := range terms {
				if i == 0 {
					fmt.Fprintf(&b, ".PP\n%s:\n", roff(title))
				}
				fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(t.Name), roff(t.Text))
			}

			b.WriteString(".PP\nExamples:\n")
			for _, e := range Examples(v.Name) {
				fmt.Fprintf(&b, ".PP\n.RS\n%s:\n.br\n\\fB%s\\fR\n.RE\n", roff(e.Comment), roff(e.Command))
			}
		}
	}

	section("EXIT STATUS")
	for _, code := range [][2]string{
		{"0", "Success; for diff: equal."},
		{"1", "Failure, with a line on standard error; for diff: different; for verify: damaged."},
		{"2", "Wrong arguments; for diff also any failure."}, {"3", "Some data was lost, left out, or not verified."},
		{"4", "verify found a damaged header, and all data intact."},
		{"128 + N", "Ended by signal N, after cleaning up; 141 if the reader of standard output went away."},
	} {
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", code[0], code[1])
	}
	return b.String()
}

func flagPart(b *strings.Builder, f *flag.Flag) {
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
