// Command cairn looks into Blosc2 files and moves data between them and NumPy's .npy files.
//
// Run "cairn help" for its verbs; docs/command.md describes them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// brokenPipe is SIGPIPE, by number because not every platform has the name.
const brokenPipe = syscall.Signal(13)

func main() {
	// A reader of our output that goes away is an ordinary write error.
	signal.Ignore(brokenPipe)
	// The first signal lets a verb clean up; a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
