package frame

import (
	"context"
	"errors"
	"testing"
)

// TestWaitingEndsWithTheContext makes calls with a context that has ended while another call holds
// the handle.
func TestWaitingEndsWithTheContext(t *testing.T) {
	f, err := New(&Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"append":     func() error { _, err := f.Append(ended, make([]byte, 4)); return err },
		"commit":     func() error { return f.Commit(ended) },
		"atomically": func() error { return f.Atomically(ended, func() error { return nil }) },
		"refresh":    func() error { _, err := f.Refresh(ended); return err },
		"lock":       func() error { return f.Lock(ended) },
		"share":      func() error { _, err := f.Share(ended); return err },
	}
	f.edit.mu.Lock()
	defer f.edit.mu.Unlock()
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
