package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// SIGHUP and SIGPIPE, by number because not every platform has the names.
const (
	hangUp     = syscall.Signal(1)
	brokenPipe = syscall.Signal(13)
)

// exitSignal is what a shell adds to the number of a signal to make an exit code of it.
const exitSignal = 128

// interruption is why a context ended: a signal.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return i.signal.String() }

// catchSignals returns a context that ends with the first signal, so that a verb cleans up. A
// second signal ends the process at once. Signals that are ignored, as SIGHUP is under nohup, stay
// so.
func catchSignals(parent context.Context) context.Context {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangUp} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 { // of which Notify would make all there are
		return parent
	}
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	go func() {
		s := <-caught
		signal.Reset(signals...)
		number, _ := s.(syscall.Signal)
		cancel(interruption{number})
	}()
	return ctx
}

// interruptedCode returns the exit code of a run whose context ended before it was done.
func interruptedCode(ctx context.Context) int {
	var i interruption
	if errors.As(context.Cause(ctx), &i) {
		return exitSignal + int(i.signal)
	}
	return exitFailed
}

// dieOfSignal ends the process by the signal that interrupted it, if one did: a shell that waits
// gives up its loop only if it sees that. It returns where a process cannot do this to itself.
func dieOfSignal(ctx context.Context, code int) {
	var i interruption
	if !errors.As(context.Cause(ctx), &i) || code != exitSignal+int(i.signal) || os.Getpid() == 1 {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(i.signal) == nil {
		time.Sleep(time.Second) // it comes while we sleep
	}
}
