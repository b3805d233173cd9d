package command

import (
	"context"
	"flag"
	"fmt"
)

// Exit codes. After a signal, the code is exitSignal plus its number.
const (
	exitOK     = 0
	exitFailed = 1 // of diff: something differs
	exitUsage  = 2 // of diff: any failure
	exitLost   = 3 // some data was lost by repair, left out by a conversion, or not verified
	exitHealed = 4 // of verify: all data is intact, but a header is damaged
	exitAfter  = 5 // everything is written, but something failed afterwards
	exitPipe   = exitSignal + int(brokenPipe)
)

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
	tells  bool // -json tells what it has written; others have a -json of their own, or none
	native bool // it reads no files of other formats, so that it has no -links
}

type action func(ctx context.Context, std *streams, operands []string) error

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// exitError ends the command with an exit code, without a further message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }
