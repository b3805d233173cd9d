package frame

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn/storage"
)

// contiguousWriter changes a frame in one file. Staged chunks go behind everything the file has, so that committed bytes stay as they are.
type contiguousWriter struct {
	fs        storage.FS
	path      string
	file      storage.File
	temp      string // name of the file as long as the frame is fresh, else ""
	overwrite bool
	base      int64 // where the data section begins
	end       int64 // of the committed frame; 0 if there is none
	tail      int64 // where the next chunk goes
	marked    int64 // tail when the change under way began
	retired   []*retiredFile
	claimed   claim // of file, while something is staged
	settings  settings
	joined    []byte // memory for a chunk and its footer
}

func (w *contiguousWriter) fresh() bool { return w.temp != "" }

func (w *contiguousWriter) stage(c []byte) (int64, error) {
	at := w.tail - w.base
	if w.settings.Deterministic {
		if _, err := w.file.WriteAt(c, w.tail); err != nil {
			return 0, err
		}
		w.tail += int64(len(c))
		return at, nil
	}
	var err error
	if sum := checksum(c); len(c) <= leastApart {
		w.joined = appendFooter(append(w.joined[:0], c...), sum)
		_, err = w.file.WriteAt(w.joined, w.tail)
	} else if _, err = w.file.WriteAt(c, w.tail); err == nil {
		w.joined = appendFooter(w.joined[:0], sum)
		_, err = w.file.WriteAt(w.joined, w.tail+int64(len(c)))
	}
	if err != nil {
		return 0, err
	}
	w.tail += int64(len(c)) + footerSize
	return at, nil
}

// leastApart is the length from which on a chunk and its footer are written one after the other: copying the chunk would take longer than
// a system call.
const leastApart = 32 << 10

// footer returns how many bytes of live data a chunk has besides its own.
func (w *contiguousWriter) footer() int64 {
	if w.settings.Deterministic {
		return 0
	}
	return footerSize
}

func (w *contiguousWriter) extent(*state) int64 { return w.tail - w.base }

func (w *contiguousWriter) mark() { w.marked = w.tail }

// undo takes back what no state has seen, so its place can be used again.
func (w *contiguousWriter) undo(*state) { w.tail = w.marked }

// moveBase adapts the data section of a new file to a state whose header may have another length: as long as there are no chunks
// in it, it simply begins elsewhere.
func (w *contiguousWriter) moveBase(next *draft) {
	if !w.fresh() {
		return
	}
	if w.tail == w.base {
		w.base, w.tail = next.head.headerLen, next.head.headerLen
	}
	if src, ok := next.source.(*contiguous); !ok || src.file != w.file || src.base != w.base {
		next.source = newContiguous(w.file, w.base)
	}
}

func (w *contiguousWriter) seen(*state) {}

func (w *contiguousWriter) sweep(*state, bool) {}

func (w *contiguousWriter) unsettled(*state) bool { return false }

// retiredFile is a file that a rewrite replaced. It is closed when no state refers to it any more, or with the frame.
type retiredFile struct {
	file    storage.File
	private bool // nobody else has it
	once    sync.Once
	closed  atomic.Bool
}

func (r *retiredFile) close() error {
	var err error
	r.once.Do(func() {
		err = r.file.Close()
		r.closed.Store(true)
		if d, ok := r.file.(storage.Discarder); ok && r.private {
			d.Discard()
		}
	})
	return err
}

// retire gives up the file of src, in which older states may still be reading; private tells that nobody else can.
func (w *contiguousWriter) retire(src *contiguous, private bool) {
	w.retired = append(w.retired, retired(src, private))
}

// stillOpen returns those of a list that are not closed yet, in its memory.
func stillOpen(list []*retiredFile) []*retiredFile {
	return slices.DeleteFunc(list, func(r *retiredFile) bool { return r.closed.Load() })
}

func retired(src *contiguous, private bool) *retiredFile {
	r := &retiredFile{file: src.file, private: private}
	runtime.AddCleanup(src, func(r *retiredFile) {
		_ = r.close() // nothing was written since the last sync
	}, r)
	return r
}

// close closes the file, and drops what is behind the committed frame if that is known for sure to be nobody else's.
func (w *contiguousWriter) close(sure bool) error {
	var err error
	for _, r := range w.retired {
		err = errors.Join(err, r.close())
	}
	if sure && w.end > 0 && w.tail > w.end && w.isLast() {
		_ = w.file.Truncate(w.end) // bytes behind a frame are nobody's
	}
	return errors.Join(err, w.file.Close())
}

// isLast reports whether what this writer committed is what the file holds, and not the frame of another writer that claims nothing.
func (w *contiguousWriter) isLast() bool {
	var b [8]byte
	_, err := w.file.ReadAt(b[:], atFrameLen)
	return err == nil && int64(binary.BigEndian.Uint64(b[:])) == w.end
}

func (w *contiguousWriter) abandon() error {
	return errors.Join(w.close(false), w.fs.Remove(w.temp))
}
