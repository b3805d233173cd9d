package store

import (
	"io"
	"sync"
)

// A window reads an archive whose members are visited one after the other: small reads come from a
// piece that was read before. Between visits it keeps nothing, and reads are those of the archive.
type window struct {
	r io.ReaderAt

	mu     sync.Mutex
	visits bool
	held   []byte
	at     int64
	next   int // bytes of the next piece
}

// A piece is small until reads are close to each other, since members may be far apart.
const (
	minWindow = 4 << 10
	maxWindow = 64 << 10
)

// visit lets small reads share pieces until the returned function is called.
func (w *window) visit() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visits = true
	w.next = minWindow
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.visits = false
		w.held = nil
	}
}

func (w *window) ReadAt(dst []byte, off int64) (int, error) {
	w.mu.Lock()
	if !w.visits || len(dst) > minWindow/2 || off < 0 {
		w.mu.Unlock()
		return w.r.ReadAt(dst, off) // beside others
	}
	defer w.mu.Unlock()

	if n := w.copy(dst, off); n == len(dst) {
		return n, nil
	}

	// Read more at a time where the last piece was of use.
	near := w.at + int64(len(w.held))
	if off >= w.at && off <= near+minWindow {
		w.next = min(2*w.next, maxWindow)
	} else {
		w.next = minWindow
	}

	if cap(w.held) < w.next {
		w.held = make([]byte, w.next)
	}
	w.held = w.held[:w.next]
	n, err := w.r.ReadAt(w.held, off)
	w.held = w.held[:n]
	w.at = off

	if n = w.copy(dst, off); n == len(dst) {
		return n, nil
	}
	return n, err
}

// copy copies the held bytes from an offset on.
func (w *window) copy(dst []byte, off int64) int {
	if off < w.at || off-w.at > int64(len(w.held)) {
		return 0
	}
	return copy(dst, w.held[off-w.at:])
}
