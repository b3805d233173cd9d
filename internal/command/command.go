// Package command is the command cairn: its verbs, and what they print. The programs in cmd call
// Main.
package command

import (
	"context"
	"os"
	"os/signal"
)

// Main runs the command in this process: with its arguments, standard streams, environment and
// signals. It returns the exit code, unless a signal ends the process.
func Main() int {
	// A reader of our output that goes away is an ordinary write error, after which verbs clean up.
	signal.Ignore(brokenPipe)
	ctx := catchSignals(context.Background())
	std := &streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		ascii: asciiOnly(os.Getenv), dull: isDull(os.Getenv), depth: depthOf(os.Getenv),
	}
	std.kitty = knowsKitty(os.Getenv) && !std.dull && terminalWidth(std.out) > 0
	code := std.run(ctx, os.Args[1:])
	dieOfSignal(ctx, code)
	return code
}
