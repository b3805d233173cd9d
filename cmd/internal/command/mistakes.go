package command

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/internal/suggest"
)

// Exit codes. After a signal, the code is exitSignal plus its number.
const (
	exitOK     = 0
	exitFailed = 1 // of diff: something differs
	exitUsage  = 2 // of diff: any failure
	exitLost   = 3 // some data was lost by repair, left out by a conversion, or not verified
	exitHealed = 4 // of verify: all data is intact, but a header is damaged
	exitAfter  = 5 // everything is written, but something failed afterwards
)

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// exitError ends the command with an exit code, without a further message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// unknownValue returns the error for a flag whose value is not one of a few.
func unknownValue(flag, kind, value string, want []string) error {
	return usagef("-%s: unknown %s %q: want %s%s", flag, kind, value, oneOf(want), suggest.Question(value, want))
}

// oneOf returns names as in "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
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
