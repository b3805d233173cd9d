package frame

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// A commit of a contiguous frame, in the order in which it happens (docs/format/frame.md):
//
//	1  staged chunks are there, behind the committed frame; index and trailer go behind them
//	2  sync; exclude readers that lock
//	3  one write of the header, which now says where the new index and trailer are
//	4  sync
//
// Up to 3 the header describes the old state, all of whose bytes are where they were; from then on
// the new one. What changes in the header lies in the first sector of the file, which disks write
// as a whole. Where that does not hold, the frame is written anew next to the old one and renamed.
//
// Disks that tear a sector leave any mixture of both headers. The witness in it tells that from
// what another writer wrote, so a header without one gets it before 3, by a write of one byte and a
// sync. From then on the frame is what the record at the end of the file says.

// commit makes next durable. A new file only gets its end, its header and its name. In a file that
// has a name already, index and trailer go behind the staged chunks, and then one write of the
// header switches over.
func (w *contiguousWriter) commit(
	ctx context.Context, lock *locking.Lock, committed, next *state,
) (*state, bool, error) {
	moved := w.base != format.HeaderSize(next.layers)
	if w.fresh() {
		// What was replaced or rolled back before the first commit has left holes, which no frame
		// written in one go has.
		if moved || w.tail-w.base != next.live {
			return w.compact(ctx, lock, committed, next)
		}
		return w.name(ctx, lock, next)
	}
	// C-Blosc2 looks for the trailer of a frame without data at the end of its header, so it cannot
	// go elsewhere.
	if moved || next.head.NBytes == 0 {
		return w.compact(ctx, lock, committed, next)
	}
	if w.crowded(next) {
		done, fatal, err := w.compact(ctx, lock, committed, next)
		others := errors.Is(err, cairn.ErrConflict) || errors.Is(err, cairn.ErrLocked)
		if err == nil || fatal || others || ctx.Err() != nil {
			return done, fatal, err
		}
		// No room for a second copy, or a chunk that is damaged: no reason not to commit.
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
		return nil, true, err
	}
	w.tail, w.end = done.head.FrameLen, done.head.FrameLen
	done.source.checked().wrote(done.head.CBytes)
	return done, false, nil
}

// flip switches from the header old to another one, all of whose other bytes are written and
// synced.
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
	return w.sync(Full)
}

// patch writes a part of the header. Half of one is what must not stay, and nobody can have synced
// it yet, so going on is as good as going back.
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

// sync syncs the file if a durability of at least d was asked for.
func (w *contiguousWriter) sync(d Durability) error {
	if !w.commits.syncs(d) {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// currentHeader reads the header that is about to be replaced, and fails with ErrConflict if it is
// not the one of the committed state.
func currentHeader(file storage.File, committed *state) ([]byte, error) {
	b, err := wire.ReadFull(file, nil, 0, committed.head.HeaderLen)
	if err != nil {
		return nil, wire.Missing(err, format.LayerHeader, 0)
	}
	length, nbytes := int64(binary.BigEndian.Uint64(b[format.AtFrameLen:])),
		int64(binary.BigEndian.Uint64(b[format.AtNBytes:]))
	if length != committed.head.FrameLen || nbytes != committed.head.NBytes ||
		b[format.AtWitness] != committed.head.Witness {
		return nil, fmt.Errorf("the frame on disk has %d bytes for %d of data now, instead of %d for %d: %w",
			length, nbytes, committed.head.FrameLen, committed.head.NBytes, cairn.ErrConflict)
	}
	return b, nil
}

// atomicWrite is how much at the begin of a file a disk writes entirely or not at all: a sector.
const atomicWrite = 512

// appendEnd writes index and trailer behind the staged chunks and returns the state as the header
// will describe it.
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
	// What is behind may be of a longer attempt before, or of a process that crashed.
	return &done.state, cutOff(w.file, done.head.FrameLen)
}

// name finishes the temporary file and gives it the frame's name.
func (w *contiguousWriter) name(ctx context.Context, lock *locking.Lock, next *state) (*state, bool, error) {
	done, err := w.appendEnd(next)
	if err == nil {
		_, err = w.file.WriteAt(done.header(), 0)
	}
	if err == nil {
		err = placing.Inherit(w.fs, w.temp, modelOf(w.fs, w.path))
	}
	if err != nil {
		return nil, false, err
	}
	if err := w.sync(Ordered); err != nil {
		return nil, true, err
	}
	if err := lock.ExcludeReaders(ctx); err != nil {
		return nil, false, err
	}
	renamed, err := publish(w.fs, w.temp, w.path, w.overwrite, w.commits)
	if renamed {
		w.temp, w.tail, w.end = "", done.head.FrameLen, done.head.FrameLen
		done.source.checked().wrote(done.head.CBytes)
	}
	if err != nil {
		return nil, renamed, err
	}
	return done, false, nil
}

// compact writes next to a temporary file, without holes, which then replaces the frame.
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
	done, err := next.rewrite(ctx, file)
	if err == nil {
		err = placing.Inherit(w.fs, temp, modelOf(w.fs, w.path))
	}
	if err == nil && w.commits.syncs(Ordered) {
		err = file.Sync()
	}
	renamed := false
	var claimed claim
	if err == nil {
		err = claimed.take(file, temp) // before others can find it
	}
	if err == nil {
		err = lock.ExcludeReaders(ctx)
	}
	if err == nil {
		renamed, err = publish(w.fs, temp, w.path, w.overwrite || !w.fresh(), w.commits)
	}
	if err != nil {
		err = errors.Join(err, file.Close())
		if !renamed {
			err = errors.Join(err, w.fs.Remove(temp))
		}
		return nil, renamed, err
	}
	if w.fresh() {
		// The new frame stands under its name; a leftover of the temporary file is no reason to say
		// otherwise.
		_ = w.fs.Remove(w.temp)
		w.temp = ""
	}
	next.env.retire(next.source)
	if err := w.claimed.giveBack(); err != nil {
		return nil, true, err
	}
	w.claimed = claimed
	w.file, w.base, w.tail, w.end = file, done.head.HeaderLen, done.head.FrameLen, done.head.FrameLen
	done.source.checked().wrote(done.head.CBytes)
	return done, false, nil
}

// publish gives a finished temporary file or directory its name, durably. fatal tells that the name
// may have changed hands although it failed.
func publish(fsys storage.FS, temp, path string, overwrite bool, c Commits) (fatal bool, err error) {
	if _, err := fsys.Stat(path); err == nil && !overwrite {
		return false, &fs.PathError{Op: "rename", Path: path, Err: fs.ErrExist}
	}
	if err := replaceable(fsys, path); err != nil {
		return false, err
	}
	return placing.Replace(fsys, temp, path, c.syncs(Ordered))
}

// replaceable refuses to give up directories that hold something else than a frame: nobody means to
// lose them.
func replaceable(fsys storage.FS, path string) error {
	info, err := fsys.Stat(path)
	if err != nil || !info.Dir {
		return nil // what is wrong with it is said elsewhere
	}
	entries, err := fsys.ReadDir(path)
	if err != nil || len(entries) == 0 || slices.ContainsFunc(entries,
		func(e storage.Info) bool { return e.Name == sparseIndex }) {
		return err
	}
	return fmt.Errorf("a directory that is no frame is not replaced: %w", fs.ErrExist)
}

// header returns the bytes of the frame's header.
func (v *state) header() []byte { return v.head.Append(nil, v.layers, len(v.vl) > 0) }

// lastDifference returns the length of the part of b up to its last byte that is not the same in a.
func lastDifference(a, b []byte) int {
	n := len(b)
	for n > 0 && n <= len(a) && a[n-1] == b[n-1] {
		n--
	}
	return n
}
