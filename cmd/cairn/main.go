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

// SIGHUP and SIGPIPE, by number because not every platform has the names.
const (
	hangUp     = syscall.Signal(1)
	brokenPipe = syscall.Signal(13)
)

func main() {
	// A reader of our output that goes away is an ordinary write error.
	signal.Ignore(brokenPipe)
	// The first signal lets a verb clean up; a second one ends the process at once.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(hangUp) { // as it is under nohup
		signals = append(signals, hangUp)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
