package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitLost   = 3 // of repair: it worked, but something could not be saved
)

// streams are the standard streams of one run.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// verb is one thing the command does.
type verb struct {
	name     string
	operands string // for the usage line
	summary  string
	// setUp declares the verb's flags and returns what to do once they are parsed; the arguments are the operands.
	setUp func(*flag.FlagSet) action
}

type action func(ctx context.Context, std *streams, operands []string) error

// verbs lists all verbs in the order in which help shows them.
func verbs() []verb {
	return []verb{
		{"info", "PATH", "describe an array or frame, or list a tree of them", infoVerb},
		{"head", "PATH", "print the first items of an array", headVerb},
		{"stats", "PATH", "print what the items of an array are like: least, greatest, mean and so on", statsVerb},
		{"cat", "PATH", "write the decoded bytes of an array or frame to standard output", catVerb},
		{"import", "IN.npy OUT.b2nd", "store a NumPy file as a compressed array", importVerb},
		{"export", "PATH OUT.npy", "write an array as a NumPy file", exportVerb},
		{"copy", "IN OUT", "copy an array, a frame or a tree, with other chunks, codec or layout if asked to", copyVerb},
		{"append", "FILE IN.npy", "put the items of a NumPy file behind those of an array", appendVerb},
		{"resize", "FILE SHAPE", "give an array another shape", resizeVerb},
		{"meta", "get|set|rm FILE [NAME [VALUE]]", "list, print, set and remove metalayers, with values as JSON", metaVerb},
		{"delete", "PATH::/KEY…", "remove leaves, or groups with all that is in them, from a tree of arrays", deleteVerb},
		{"concat", "OUT IN…", "make an array of others, one behind the other", concatVerb},
		{"verify", "PATH…", "read and decode everything, report what is damaged", verifyVerb},
		{"repair", "IN OUT", "save what is intact in a damaged array or frame", repairVerb},
		{"demo", "", "make up an array, store it, read it back and draw it", demoVerb},
		{"version", "", "print the version", versionVerb},
		{"help", "[VERB]", "explain the command or a verb", helpVerb},
	}
}

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// errReported stands for errors that were printed already.
var errReported = errors.New("reported")

// errLost ends a repair that could not save everything.
var errLost = errors.New("lost")

// usagef returns a usageError.
func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// run runs the command with the given arguments (without the program's name) and returns its exit code. It writes at most
// one line about an error, and a short usage after one that is about the arguments.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	std := &streams{stdin, stdout, stderr}
	if len(args) == 0 {
		printHelp(stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	v := findVerb(name)
	if v == nil {
		fmt.Fprintf(stderr, "cairn: unknown verb %q\nusage: cairn VERB …; see cairn help\n", name)
		return exitUsage
	}
	err := v.run(ctx, std, args[1:])
	var wrong *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "cairn: %s\nusage: %s\n", wrong, v.usage())
		return exitUsage
	case errors.Is(err, errLost):
		return exitLost
	case errors.Is(err, errReported):
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "cairn: interrupted")
	default:
		fmt.Fprintf(stderr, "cairn: %s\n", oneLine(err.Error()))
	}
	return exitFailed
}

// oneLine keeps a text on one line and free of control characters, whatever names from files it quotes.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

func findVerb(name string) *verb {
	for _, v := range verbs() {
		if v.name == name {
			return &v
		}
	}
	return nil
}

// flags returns the verb's flag set and its action.
func (v *verb) flags() (*flag.FlagSet, action) {
	set := flag.NewFlagSet(v.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set, v.setUp(set)
}

// run parses the arguments and acts on them.
func (v *verb) run(ctx context.Context, std *streams, args []string) error {
	set, act := v.flags()
	operands, err := parseFlags(set, args)
	if errors.Is(err, flag.ErrHelp) {
		return v.printHelp(std.out)
	}
	if err != nil {
		return usagef("%v", err)
	}
	return act(ctx, std, operands)
}

// parseFlags parses flags that may come before, between and after the operands; "--" ends them.
func parseFlags(set *flag.FlagSet, args []string) (operands []string, err error) {
	for {
		before := len(args)
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		parsed := before - set.NArg()
		ended := parsed > 0 && args[parsed-1] == "--"
		args = set.Args()
		if ended || len(args) == 0 {
			return append(operands, args...), nil
		}
		operands = append(operands, args[0])
		args = args[1:]
	}
}

// wantOperands fails unless there are as many operands as names.
func wantOperands(operands []string, names ...string) error {
	if len(operands) < len(names) {
		return usagef("no %s given", names[len(operands)])
	}
	if len(operands) > len(names) {
		return usagef("unexpected argument %q", operands[len(names)])
	}
	return nil
}
