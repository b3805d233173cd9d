package frame

import (
	"encoding/binary"
	"errors"

	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// contiguousWriter changes a frame in one file. Staged chunks go behind everything the file has, so
// that committed bytes stay as they are.
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
	claimed   claim // of file, while something is staged
	commits   Commits
	joined    joined // memory for a chunk and its footer
}

func (w *contiguousWriter) fresh() bool { return w.temp != "" }

// private returns false: a lock is beside the file, whose name is that of the frame from the
// beginning.
func (w *contiguousWriter) private() bool { return false }

// claim makes sure that nobody else changes the frame, and that it is as it was committed last,
// until unclaim.
func (w *contiguousWriter) claim(committed *state) error {
	if w.fresh() || w.claimed.held {
		return nil
	}
	if err := w.claimed.takePatiently(w.file, w.path); err != nil {
		return err
	}
	if _, err := currentHeader(w.file, committed); err != nil {
		return errors.Join(err, w.claimed.giveBack())
	}
	return nil
}

func (w *contiguousWriter) unclaim() error { return w.claimed.giveBack() }

func (w *contiguousWriter) stage(c []byte) (int64, error) {
	at, n := w.tail-w.base, int64(len(c))
	if w.commits.Deterministic {
		if _, err := w.file.WriteAt(c, w.tail); err != nil {
			return 0, err
		}
	} else {
		if err := w.joined.write(w.file, c, format.Checksum(c), w.tail); err != nil {
			return 0, err
		}
		n += format.FooterSize
	}
	w.tail += n
	return at, nil
}

// joined is memory for a chunk with its footer behind it.
type joined []byte

// write writes a chunk with the given checksum, and its footer behind it.
func (j *joined) write(file storage.File, c []byte, sum uint32, at int64) error {
	if len(c) <= leastApart {
		*j = format.AppendFooter(append((*j)[:0], c...), sum)
		_, err := file.WriteAt(*j, at)
		return err
	}
	if _, err := file.WriteAt(c, at); err != nil {
		return err
	}
	*j = format.AppendFooter((*j)[:0], sum)
	_, err := file.WriteAt(*j, at+int64(len(c)))
	return err
}

// leastApart is the length from which on a chunk and its footer are written one after the other:
// copying the chunk would take longer than a system call.
const leastApart = 32 << 10

// footer returns how many bytes of live data a chunk has besides its own.
func (w *contiguousWriter) footer() int64 {
	if w.commits.Deterministic {
		return 0
	}
	return format.FooterSize
}

func (w *contiguousWriter) extent(*state) int64 { return w.tail - w.base }

func (w *contiguousWriter) mark() { w.marked = w.tail }

// undo takes back what no state has seen, so its place can be used again.
func (w *contiguousWriter) undo(*state) { w.tail = w.marked }

// moveBase adapts the data section of a new file to a state whose header may have another length:
// as long as there are no chunks in it, it simply begins elsewhere.
func (w *contiguousWriter) moveBase(next *draft) {
	if !w.fresh() {
		return
	}
	if w.tail == w.base {
		w.base, w.tail = next.head.HeaderLen, next.head.HeaderLen
	}
	if src := next.source; src.file() != w.file || src.offset(0) != w.base {
		next.source = newContiguous(w.file, w.base)
	}
}

// exact tells that a new file must have no holes: see commit.
func (w *contiguousWriter) exact() bool { return w.fresh() }

func (w *contiguousWriter) unsettled(*state) bool { return false }

func (w *contiguousWriter) untidy(*state) bool { return w.tail > w.end }

// sweep does nothing: what is dead stays where it is until a compaction.
func (w *contiguousWriter) sweep(*state, func() bool) {}

// close closes the file, and drops what is behind the committed frame if that is known for sure to
// be nobody else's.
func (w *contiguousWriter) close(sure bool) error {
	if sure && w.end > 0 && w.tail > w.end && w.isLast() {
		_ = w.file.Truncate(w.end) // bytes behind a frame are unreferenced
	}
	return w.file.Close()
}

// isLast reports whether what this writer committed is what the file holds, and not the frame of
// another writer that claims nothing.
func (w *contiguousWriter) isLast() bool {
	var b [8]byte
	_, err := w.file.ReadAt(b[:], format.AtFrameLen)
	return err == nil && int64(binary.BigEndian.Uint64(b[:])) == w.end
}

func (w *contiguousWriter) abandon() error {
	return errors.Join(w.close(false), w.fs.Remove(w.temp))
}
