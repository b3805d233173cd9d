package frame

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/placing"
)

// A commit of a sparse frame, in the order in which it happens (docs/format/frame.md):
//
//	1  staged chunks are already written, each to its own file, and synced
//	2  claim the index file, which must be that of the committed state
//	3  copy chunks with numbers that are too high to files with lower ones, as in 1
//	4  write the new index beside the old one; sync it and the directory, which has the chunks too
//	5  lock out readers that use locks
//	6  rename the new index over the old one; sync the directory
//
// Until step 6 the old index is in place, with all of its files. For a new frame, the index is
// written to a temporary directory, which step 6 renames. Files that the new index does not refer
// to are removed later, when no older state is read: see sweep.

// commit makes next durable in place of committed, or publishes a new frame.
func (w *sparseWriter) commit(
	ctx context.Context, lock *locking.Lock, committed, next *state,
) (*state, bool, error) {
	if w.fresh() {
		done, index, err := w.describe(ctx, next, 0)
		if err != nil {
			return nil, false, err
		}
		fatal, err := w.publish(index)
		return done, fatal, err
	}

	name := w.src.dir + "/" + sparseIndex
	file, err := w.fs.OpenRW(name)
	if err != nil {
		return nil, false, err
	}

	var c claim
	if err = c.takeWithRetry(file, name); err == nil {
		_, err = currentHeader(file, committed)
	}
	if err != nil {
		return nil, false, errors.Join(err, c.release(), file.Close())
	}

	done, fatal, err := w.replaceIndex(ctx, lock, committed, next)
	// errors do not matter: nothing was written to this file
	_ = errors.Join(c.release(), file.Close())
	return done, fatal, err
}

// describe returns next as committed, and the contents of its index file. base is the length of the
// index file before.
func (w *sparseWriter) describe(ctx context.Context, next *state, base int64) (*state, []byte, error) {
	done := next.draft()
	done.head.CBytes = next.live
	if err := w.renumber(ctx, done); err != nil {
		return nil, nil, err
	}
	p := done.env.borrowPacker()
	defer done.env.packers.Put(p)
	end, err := done.end(p, done.head.HeaderLen, base)
	return &done.state, append(done.header(), end...), err
}

func (w *sparseWriter) replaceIndex(
	ctx context.Context, lock *locking.Lock, committed, next *state,
) (*state, bool, error) {
	done, content, err := w.describe(ctx, next, committed.head.FrameLen)
	if err != nil {
		return nil, false, err
	}

	temp := w.src.dir + "/" + sparseIndex + ".tmp"
	err = w.writeFile(temp, content)
	if errors.Is(err, fs.ErrExist) {
		// A process crashed between writing and renaming it.
		if err = w.fs.Remove(temp); err == nil {
			err = w.writeFile(temp, content)
		}
	}
	if err != nil {
		return nil, false, err
	}
	if err := w.syncDir(w.src.dir, Ordered); err != nil {
		return nil, true, err
	}

	err = lock.ExcludeReaders(ctx)
	if err == nil {
		err = w.fs.Rename(temp, w.src.dir+"/"+sparseIndex)
	}
	if err != nil {
		return nil, false, errors.Join(err, w.fs.Remove(temp))
	}

	if err := w.syncDir(w.src.dir, Full); err != nil {
		return nil, true, placing.Committed(err)
	}
	return done, false, nil
}

// syncDir syncs a directory if the durability of the frame is at least d.
func (w *sparseWriter) syncDir(dir string, d Durability) error {
	if !w.commits.syncs(d) {
		return nil
	}
	if err := w.fs.SyncDir(dir); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// publish writes the first index and renames the directory to the path of the frame.
func (w *sparseWriter) publish(content []byte) (fatal bool, err error) {
	if err := w.writeFile(w.temp+"/"+sparseIndex, content); err != nil {
		return false, err
	}
	if err := placing.Inherit(w.fs, w.temp, w.path); err != nil {
		return false, err
	}

	if err := w.syncDir(w.temp, Ordered); err != nil {
		return true, err
	}
	w.src.mu.Lock()
	defer w.src.mu.Unlock()

	err = publish(w.fs, w.temp, w.path, w.overwrite, w.commits)
	renamed := err == nil || errors.Is(err, cairn.ErrCommitted)
	if renamed {
		w.src.dir = w.path
		w.temp = ""
		w.model = w.path + "/" + sparseIndex
	}
	return renamed && err != nil, err
}
