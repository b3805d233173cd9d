package command

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

// Exit codes of signals, as in shells: exitSignal plus the number of the signal.
const (
	exitSignal = 128
	exitPipe   = exitSignal + int(brokenPipe)
)

// interruption is a signal as the cause of a context's end.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return i.signal.String() }

// catchSignals returns a context that ends with the first signal, so that a verb can clean up. A
// second signal ends the process at once. Ignored signals, such as SIGHUP under nohup, stay
// ignored.
func catchSignals(parent context.Context) context.Context {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangUp} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 { // Notify would then catch all signals
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

// dieOfSignal ends the process by the signal that interrupted it, if any, because only then does a
// shell leave its loop. It returns on systems where a process cannot signal itself.
func dieOfSignal(ctx context.Context, code int) {
	var i interruption
	if !errors.As(context.Cause(ctx), &i) || code != exitSignal+int(i.signal) || os.Getpid() == 1 {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(i.signal) == nil {
		time.Sleep(time.Second) // the signal arrives meanwhile
	}
}
