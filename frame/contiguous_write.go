package frame

import (
	"errors"
	"runtime"
	"sync"

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
	retired   []*retiredFile
}

func (w *contiguousWriter) fresh() bool { return w.temp != "" }

func (w *contiguousWriter) stage(c []byte) (int64, error) {
	if _, err := w.file.WriteAt(c, w.tail); err != nil {
		return 0, err
	}
	at := w.tail - w.base
	w.tail += int64(len(c))
	return at, nil
}

func (w *contiguousWriter) extent(*View) int64 { return w.tail - w.base }

func (w *contiguousWriter) mark() any { return w.tail }

// undo takes back what no state has seen, so its place can be used again.
func (w *contiguousWriter) undo(mark any) { w.tail = mark.(int64) }

// moveBase adapts the data section of a new file to a state whose header may have another length: as long as there are no chunks
// in it, it simply begins elsewhere.
func (w *contiguousWriter) moveBase(next *View) {
	if !w.fresh() {
		return
	}
	if w.tail == w.base {
		w.base, w.tail = next.head.headerLen, next.head.headerLen
	}
	next.source = &contiguous{file: w.file, base: w.base}
}

func (w *contiguousWriter) seen(*View) {}

func (w *contiguousWriter) sweep(*View, bool) {}

func (w *contiguousWriter) unsettled(*View) bool { return false }

// retiredFile is a file that a rewrite replaced. It is closed when no state refers to it any more, or with the frame.
type retiredFile struct {
	file storage.File
	once sync.Once
}

func (r *retiredFile) close() error {
	var err error
	r.once.Do(func() { err = r.file.Close() })
	return err
}

// retire gives up the file of src, in which older states may still be reading.
func (w *contiguousWriter) retire(src *contiguous) {
	r := &retiredFile{file: src.file}
	w.retired = append(w.retired, r)
	runtime.AddCleanup(src, func(r *retiredFile) {
		_ = r.close() // nothing was written since the last sync
	}, r)
}

// close closes the file, and drops what is behind the committed frame if that is known for sure.
func (w *contiguousWriter) close(sure bool) error {
	var err error
	for _, r := range w.retired {
		err = errors.Join(err, r.close())
	}
	if sure && w.end > 0 && w.tail > w.end {
		_ = w.file.Truncate(w.end) // bytes behind a frame are nobody's
	}
	return errors.Join(err, w.file.Close())
}

func (w *contiguousWriter) abandon() error {
	return errors.Join(w.close(false), w.fs.Remove(w.temp))
}
