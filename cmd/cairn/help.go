package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

func helpVerb(*flag.FlagSet) action {
	return func(_ context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return printHelp(std.out)
		}
		if err := wantOperands(operands, "VERB"); err != nil {
			return err
		}
		v := findVerb(operands[0])
		if v == nil {
			return usagef("unknown verb %q", operands[0])
		}
		return v.printHelp(std.out)
	}
}

// printHelp explains the command.
func printHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString("cairn looks into Blosc2 files (.b2nd, .b2frame) and moves data between them and .npy files.\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-8s  %s\n", v.name, v.summary)
	}
	b.WriteString("\nSELECTION is what NumPy takes between brackets, such as '10:20, ::-2, [1, 5]'.\nPATH may be a leaf of a tree of arrays: PATH::/group/leaf.\nRun 'cairn help VERB' for the flags of a verb.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// usage returns one line.
func (v *verb) usage() string {
	line := "cairn " + v.name
	set, _ := v.flags()
	set.VisitAll(func(f *flag.Flag) {
		line += " [-" + f.Name
		if kind, _ := flag.UnquoteUsage(f); kind != "" {
			line += " " + kind
		}
		line += "]"
	})
	if v.operands != "" {
		line += " " + v.operands
	}
	return line
}

// printHelp explains a verb.
func (v *verb) printHelp(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n%s%s.\n", v.usage(), strings.ToUpper(v.summary[:1]), v.summary[1:])
	set, _ := v.flags()
	first := true
	set.VisitAll(func(f *flag.Flag) {
		if first {
			b.WriteString("\n")
			first = false
		}
		kind, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace("-"+f.Name+" "+kind), usage)
	})
	_, err := io.WriteString(w, b.String())
	return err
}

func versionVerb(*flag.FlagSet) action {
	return func(_ context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands); err != nil {
			return err
		}
		_, err := fmt.Fprintf(std.out, "cairn %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
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
