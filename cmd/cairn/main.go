// Command cairn inspects, converts, verifies and repairs Blosc2 arrays. It moves data between them
// and NumPy's .npy files, and works on arrays in stores too.
//
// Run "cairn help" for its verbs; docs/command.md describes them.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
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
	os.Exit(code)
}
