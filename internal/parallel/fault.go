package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// A fault is how a function ended that did not return: by a panic, or by [runtime.Goexit].
type fault struct {
	value any    // of the panic; nil for Goexit
	stack []byte // of the goroutine that panicked
}

// faults holds the first fault of several goroutines.
type faults struct {
	once  sync.Once
	first *fault
}

// watch runs f and keeps a fault of it. A deferred call sees the fault first.
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

// raise ends the calling goroutine's function as the first fault ended its own, if there was one.
// All who wrote to s have ended.
//
// The panic has the value that the function panicked with, so that callers recover what they know.
// It begins while another one is under way, which has the stack of the goroutine that is gone: the
// runtime prints both when nobody recovers, and recover returns the later one.
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

// Guard calls f, and undo if f panics or ends the goroutine, which goes on then.
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

// Error returns the stack as text, which the runtime prints.
func (o origin) Error() string { return "in a goroutine of the call:\n" + string(o) }

// Start calls f on a goroutine of its own. The caller must call wait, which returns when f has, or
// panics with the value that f panicked with.
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
