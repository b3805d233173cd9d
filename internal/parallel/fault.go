package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// A fault is a panic or a call of [runtime.Goexit] that ended a function.
type fault struct {
	value any    // of the panic; nil for Goexit
	stack []byte // of the goroutine that panicked
}

// faults records the first fault of several goroutines.
type faults struct {
	once  sync.Once
	first *fault
}

// watch runs f and records its fault, in a deferred call.
func (s *faults) watch(f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		s.once.Do(func() { s.first = &fault{value, debug.Stack()} })
	}()
	f()
	returned = true
}

// raise ends the calling goroutine like the first fault, if there was one. All goroutines that use
// s must have ended.
//
// It panics with the original value, so that callers can recover it. The new panic occurs during
// another one, whose value is the stack of the original goroutine: the runtime prints both if
// nobody recovers, and recover returns the later one.
func (s *faults) raise() {
	f := s.first
	switch {
	case f == nil:
		return
	case f.value == nil:
		runtime.Goexit()
	}

	defer func() { panic(f.value) }()
	panic(origin(f.stack))
}

// Guard calls f. If f panics or ends the goroutine, undo runs first.
func Guard(f func() error, undo func()) error {
	returned := false
	defer func() {
		if !returned {
			undo()
		}
	}()

	err := f()
	returned = true
	return err
}

// origin is the stack of a goroutine that panicked.
type origin []byte

// Error returns the stack, which the runtime prints.
func (o origin) Error() string { return "in a goroutine of the call:\n" + string(o) }

// Start calls f on a new goroutine. The caller must call wait, which returns when f has returned,
// or panics with the value with which f panicked.
func Start(f func()) (wait func()) {
	var faults faults
	done := make(chan struct{})
	go func() {
		defer close(done)
		faults.watch(f)
	}()

	return func() {
		<-done
		faults.raise()
	}
}
