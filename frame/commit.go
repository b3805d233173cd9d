package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/frame/internal/space"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A commit of a contiguous frame, in the order in which it happens (docs/format/frame.md):
//
//	1  staged chunks are already behind the committed frame; write index and trailer behind them
//	2  sync; lock out readers that use locks
//	3  write the header, which refers to the new index and trailer, in one write
//	4  sync
//
// Until step 3 the header describes the old state, whose bytes are all still in place; after it,
// the new one. The changed bytes of the header lie in the first sector of the file, which disks
// write as a whole. If they reach further, the frame is written to a new file, which is renamed
// over the old one.
//
// A disk that tears a sector may leave any mixture of both headers. The witness in the header
// distinguishes such a mixture from a header that another program wrote. A header without a witness
// gets it before step 3, by a write of one byte and a sync. From then on, the commit record at the
// end of the file defines the state of the frame.

// commit makes next durable. For a new frame, it writes index, trailer and header to the temporary
// file and renames it. For an existing one, it writes index and trailer behind the staged chunks,
// and then switches to them with one write of the header.
func (w *contiguousWriter) commit(
	ctx context.Context, lock *locking.Lock, committed, next *state,
) (*state, bool, error) {
	moved := w.base != format.HeaderSize(next.layers)
	if w.fresh() {
		// Chunks that were replaced or rolled back before the first commit have left holes. A new
		// frame must have none, like one that was written in one go.
		if moved || w.tail-w.base != next.live {
			return w.compact(ctx, lock, committed, next)
		}
		return w.name(ctx, lock, next)
	}

	// C-Blosc2 expects the trailer of a frame without data right behind its header.
	if moved || next.head.NBytes == 0 {
		return w.compact(ctx, lock, committed, next)
	}
	if w.tooManyDead(next) {
		done, fatal, err := w.compact(ctx, lock, committed, next)
		others := errors.Is(err, cairn.ErrConflict) || errors.Is(err, cairn.ErrLocked)
		if err == nil || fatal || others || ctx.Err() != nil {
			return done, fatal, err
		}
		// There is no space for a second copy, or a chunk is damaged. Neither prevents a normal
		// commit.
	}

	old, err := currentHeader(w.file, committed)
	if err != nil {
		return nil, false, err
	}
	done, err := w.appendEnd(next)
	if err != nil {
		return nil, false, err
	}

	header := done.header()
	end := lastDifference(old, header)
	if end > atomicWrite {
		return w.compact(ctx, lock, committed, next)
	}

	if err := w.sync(Ordered); err != nil {
		return nil, true, err
	}
	if err := lock.ExcludeReaders(ctx); err != nil {
		return nil, false, err
	}

	if err := w.flip(old, header[:end]); err != nil {
		if !errors.Is(err, cairn.ErrCommitted) && w.shows(done) {
			err = placing.Committed(err)
		}
		return nil, true, err
	}

	if w.ended > 0 {
		w.space.Store(w.ended, w.end-w.ended) // the old index and trailer
	}
	w.finish(done)
	return done, false, nil
}

// finish notes that done is committed.
func (w *contiguousWriter) finish(done *state) {
	w.ended = w.base + done.head.CBytes
	w.tail = done.head.FrameLen
	w.end = done.head.FrameLen
	w.added = 0
}

// flip replaces the header old by header. All other bytes of the new state must be written and
// synced. After another error than [cairn.ErrCommitted], the header may be torn.
func (w *contiguousWriter) flip(old, header []byte) error {
	if len(header) > format.AtWitness && header[format.AtWitness] == format.Witness &&
		old[format.AtWitness] != format.Witness {
		if err := w.patch(header[format.AtWitness:format.AtWitness+1], format.AtWitness); err != nil {
			return err
		}
		if err := w.sync(Ordered); err != nil {
			return err
		}
	}
	if err := w.patch(header, 0); err != nil {
		return err
	}
	return placing.Committed(w.sync(Full))
}

// shows reports whether readers find the state v after a flip that failed: they may read a torn
// header from the commit record. If nothing can be read any more, nobody can tell.
func (w *contiguousWriter) shows(v *state) bool {
	now, err := readParts(w.file, 0, v.env)
	return err == nil && bytes.Equal(now.head.Append(nil, now.layers, len(now.vl) > 0), v.header())
}

// patch writes a part of the header. After a short write it tries to write the rest: the header
// must not stay half written, and nothing is synced yet, so completing it is as safe as undoing it.
func (w *contiguousWriter) patch(b []byte, at int64) error {
	n, err := w.file.WriteAt(b, at)
	if err == nil {
		return nil
	}
	n = max(0, min(n, len(b)))
	if _, again := w.file.WriteAt(b[n:], at+int64(n)); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// sync syncs the file if the durability of the frame is at least d.
func (w *contiguousWriter) sync(d Durability) error {
	if !w.commits.syncs(d) {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// atomicWrite is the number of bytes at the beginning of a file that a disk writes entirely or not
// at all: a sector.
const atomicWrite = 512

// appendEnd writes index and trailer behind the staged chunks. It returns next with the sizes that
// the header will have.
func (w *contiguousWriter) appendEnd(next *state) (*state, error) {
	p := next.env.borrowPacker()
	defer next.env.packers.Put(p)
	done := next.draft()
	done.head.HeaderLen = format.HeaderSize(next.layers)
	done.head.CBytes = w.extent(next)
	end, err := done.end(p, w.tail, w.end)
	if err != nil {
		return nil, err
	}
	if _, err := w.file.WriteAt(end, w.tail); err != nil {
		return nil, err
	}
	// Bytes behind the trailer may be left from a longer attempt or a process that crashed.
	return &done.state, truncateTo(w.file, done.head.FrameLen)
}

// name finishes the temporary file and renames it to the path of the frame.
func (w *contiguousWriter) name(ctx context.Context, lock *locking.Lock, next *state) (*state, bool, error) {
	done, err := w.appendEnd(next)
	if err != nil {
		return nil, false, err
	}
	if _, err := w.file.WriteAt(done.header(), 0); err != nil {
		return nil, false, err
	}
	if err := placing.Inherit(w.fs, w.temp, modelOf(w.fs, w.path)); err != nil {
		return nil, false, err
	}

	if err := w.sync(Ordered); err != nil {
		return nil, true, err
	}
	if err := lock.ExcludeReaders(ctx); err != nil {
		return nil, false, err
	}

	err = publish(w.fs, w.temp, w.path, w.overwrite, w.commits)
	renamed := err == nil || errors.Is(err, cairn.ErrCommitted)
	if renamed {
		w.temp = ""
		w.finish(done)
	}
	if err != nil {
		return nil, renamed, err
	}
	return done, false, nil
}

// compact writes next, without holes, to a temporary file and replaces the frame by it.
func (w *contiguousWriter) compact(
	ctx context.Context, lock *locking.Lock, committed, next *state,
) (*state, bool, error) {
	if !w.fresh() {
		if _, err := currentHeader(w.file, committed); err != nil {
			return nil, false, err
		}
	}

	temp, file, err := createTemp(w.fs, w.path)
	if err != nil {
		return nil, false, err
	}

	known := w.space.Successor()
	done, claimed, err := w.replaceBy(ctx, lock, next, temp, file, known)
	if err != nil {
		renamed := errors.Is(err, cairn.ErrCommitted)
		err = errors.Join(err, file.Close())
		if !renamed {
			err = errors.Join(err, w.fs.Remove(temp))
		}
		return nil, renamed, err
	}

	if w.fresh() {
		// The new frame is published. Failing to remove the old temporary file only leaks it.
		_ = w.fs.Remove(w.temp)
		w.temp = ""
	}

	next.env.retire(next.source)
	released := w.claimed.release()
	w.claimed = claimed
	w.file = file
	w.base = done.head.HeaderLen
	w.space = known
	w.finish(done)
	return done, released != nil, placing.Committed(released)
}

// replaceBy writes next to a temporary file, and renames that to the path of the frame. It returns
// the state in the file, and the claim of it. It notes in known where the chunks are.
func (w *contiguousWriter) replaceBy(
	ctx context.Context, lock *locking.Lock, next *state, temp string, file storage.File, known *space.Space,
) (done *state, claimed claim, err error) {
	if done, err = next.rewrite(ctx, file, known); err != nil {
		return nil, claimed, err
	}
	if err := placing.Inherit(w.fs, temp, modelOf(w.fs, w.path)); err != nil {
		return nil, claimed, err
	}
	if w.commits.syncs(Ordered) {
		if err := file.Sync(); err != nil {
			return nil, claimed, err
		}
	}

	// The claim is taken while no other handle can find the file.
	if err := claimed.take(file, temp); err != nil {
		return nil, claimed, err
	}
	if err := lock.ExcludeReaders(ctx); err != nil {
		return nil, claimed, err
	}
	return done, claimed, publish(w.fs, temp, w.path, w.overwrite || !w.fresh(), w.commits)
}

// publish durably renames a finished temporary file or directory to path. An error after the rename
// matches [cairn.ErrCommitted].
func publish(fsys storage.FS, temp, path string, overwrite bool, c Commits) error {
	if err := free(fsys, path, overwrite); err != nil {
		return err
	}
	return placing.Replace(fsys, temp, path, c.syncs(Ordered))
}

// free fails unless a frame may take a path; see [placing.Free].
func free(fsys storage.FS, path string, overwrite bool) error {
	return placing.Free(fsys, path, overwrite, "frame", sparseIndex)
}

// lastDifference returns the length of b without the bytes at its end that are the same in a.
func lastDifference(a, b []byte) int {
	n := len(b)
	for n > 0 && n <= len(a) && a[n-1] == b[n-1] {
		n--
	}
	return n
}

// A commit overwrites nothing that may still be read, so the chunks that it replaces become dead
// bytes. Commit compacts a frame with more than minDead dead bytes that later commits cannot use
// again, and more than its live bytes and what the commit itself adds: a commit that replaces most
// chunks would otherwise write them twice, each time. It also does so if all dead bytes are more
// than the live ones, minDead and twice what the commit stores, as long as three states need that
// replace all chunks. Close compacts a frame of which more than half and more than minDeadAtClose
// bytes are dead.

const (
	minDead = 8 << 20 // dead bytes above which a commit may compact a frame
	// the same for Close, and for commits in memory, where it costs little
	minDeadAtClose = 64 << 10
)

// tooManyDead reports whether a commit of next should compact the frame.
func (w *contiguousWriter) tooManyDead(next *state) bool {
	if w.commits.NoCompact || next.live == unknownLive {
		return false
	}
	least := int64(minDead)
	if lends(w.file) {
		least = minDeadAtClose
	}

	dead := w.extent(next) - next.live
	lost := dead - w.space.Unused()
	return lost > max(least, next.live+w.tail-w.end) || dead > next.live+max(least, 2*w.added)
}

func (w *contiguousWriter) shouldCompact(v *state) bool {
	dead := v.head.CBytes - v.live
	return !w.commits.NoCompact && v.live != unknownLive && dead > max(minDeadAtClose, v.live)
}

func (e *editor) shouldCompact() bool {
	w, ok := e.writer.(compactor)
	return ok && !e.writer.fresh() && e.committed.mark == nil && w.shouldCompact(e.committed)
}

// compact makes next durable and leaves no dead bytes.
func (e *editor) compact(ctx context.Context, next *state) (*state, bool, error) {
	if w, ok := e.writer.(compactor); ok {
		return w.compact(ctx, e.lock, e.committed, next)
	}
	return e.writer.commit(ctx, e.lock, e.committed, next)
}
