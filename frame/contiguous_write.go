package frame

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/space"
	"github.com/cairn-go/cairn/storage"
)

// contiguousWriter changes a frame in one file. It puts staged chunks behind the frame, so that
// nothing committed is overwritten, or where chunks were that nobody can read any more.
type contiguousWriter struct {
	fs        storage.FS
	path      string
	file      storage.File
	temp      string // name of the file while the frame is fresh, then ""
	overwrite bool
	base      int64 // where the data section begins
	end       int64 // of the committed frame; 0 if there is none
	tail      int64 // where the next chunk goes
	marked    int64 // tail when the change under way began
	added     int64 // bytes that were staged since the last commit
	claimed   claim // of file, while something is staged
	commits   Commits
	out       gathering

	space *space.Space // what was stored in file; nil if nothing may be overwritten
	ended int64        // where the index begins that this handle committed last; 0 if there is none
}

// A loner is a file that can tell whether others may read it, as those of [storage.OS] on Linux and
// of [storage.NewMemory]. Without it, what was committed is never overwritten.
type loner interface {
	// Alone reports whether no other handle of the file, in any process, is open. It returns false
	// if it cannot tell. Handles that are opened later find everything that was written before. If
	// the file lends its memory, what it has lent stays as it is when it is overwritten.
	Alone() bool
}

// newSpace returns what is known of a file of which nothing is stored yet.
func newSpace(file storage.File, c Commits) *space.Space {
	if _, ok := file.(loner); !ok || c.NoReuse {
		return nil
	}
	s := space.New()
	s.AtOnce = lends(file) // memory never has an older header than the last one
	return s
}

func (w *contiguousWriter) fresh() bool { return w.temp != "" }

func (w *contiguousWriter) claim(committed *state) error {
	if w.fresh() || w.claimed.held {
		return nil
	}
	if err := w.claimed.takeWithRetry(w.file, w.path); err != nil {
		return err
	}
	if _, err := currentHeader(w.file, committed); err != nil {
		return errors.Join(err, w.claimed.release())
	}
	return nil
}

func (w *contiguousWriter) unclaim() error { return w.claimed.release() }

func (w *contiguousWriter) stage(c [][]byte) (int64, error) {
	if !w.commits.Deterministic {
		c = w.out.seal(c, checksum(c))
	}
	n := sizeOf(c)
	at, again := w.space.Take(n)
	if !again {
		at = w.tail
	}

	if err := w.out.write(w.file, c, at); err != nil {
		return 0, err
	}

	w.added += n
	if !again {
		w.space.Store(at, n)
		w.tail += n
	}
	return at - w.base, nil
}

func (w *contiguousWriter) removes() bool { return w.space != nil }

// sweep finds out which of the bytes that this handle stored can be overwritten. They must not be
// needed by the newest two headers, as the last one may not be durable yet, nor by a reader in this
// process. Other processes keep the file open while they read it; those that open it later see v.
func (w *contiguousWriter) sweep(v *state, when occasion, noOldReaders func() bool) {
	if when == afterRollback || when == afterAll || v.live == unknownLive || !w.space.Due(v.live) {
		return
	}
	reclaim := noOldReaders() && w.file.(loner).Alone()
	_ = w.space.Sweep(func(mark func(at int64)) error { // after an error, nothing is overwritten
		for i := 0; i < v.index.Len(); i++ {
			entry, err := v.index.At(i)
			if err != nil {
				return err
			}
			if entry >= 0 {
				mark(w.base + entry)
				continue
			}
			i += v.index.Run(i) - 1
		}
		return nil
	}, reclaim)
}

func (w *contiguousWriter) extent(*state) int64 { return w.tail - w.base }

func (w *contiguousWriter) begin(context.Context) {
	w.marked = w.tail
	w.space.Begin()
}

func (w *contiguousWriter) undo(*state) {
	w.tail = w.marked
	w.space.Undo()
}

func (w *contiguousWriter) moveBase(next *draft) {
	if !w.fresh() {
		return
	}

	if w.tail == w.base {
		w.base = next.head.HeaderLen
		w.tail = next.head.HeaderLen
	}
	if src, ok := next.source.(*contiguous); !ok || src.file != w.file || src.base != w.base {
		next.source = newContiguous(w.file, w.base)
	}
}

func (w *contiguousWriter) hasLeftovers(*state) bool { return w.tail > w.end }

// close closes the file. It first removes staged bytes behind the committed frame, unless another
// writer may have written them.
func (w *contiguousWriter) close(sure bool) error {
	if w.fresh() {
		return errors.Join(w.file.Close(), w.fs.Remove(w.temp))
	}

	if sure && w.end > 0 && w.tail > w.end && w.isLast() {
		_ = w.file.Truncate(w.end) // bytes behind a frame are unreferenced
	}
	return w.file.Close()
}

// isLast reports whether the file still holds what this writer committed last. A writer that does
// not claim files may have changed it.
func (w *contiguousWriter) isLast() bool {
	var b [8]byte
	_, err := w.file.ReadAt(b[:], format.AtFrameLen)
	return err == nil && int64(binary.BigEndian.Uint64(b[:])) == w.end
}
