package frame

import (
	"context"
	"errors"

	"io/fs"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// sparseWriter changes a frame in a directory. A chunk gets a file of its own, whose number no
// chunk has that anybody can still see, and the index is replaced as a whole. Numbers are kept low,
// because C-Blosc2 refuses ones that are beyond the size of all chunks together.
type sparseWriter struct {
	fs        storage.FS
	path      string
	src       *sparse
	temp      string // name of the directory as long as the frame is fresh, else ""
	model     string // a file whose permissions new files get, if it exists
	overwrite bool
	used      map[int64]struct{} // numbers of files that belong to some state
	foreign   map[int64]struct{} // numbers of files that belong to none, as far as they were met
	free      int64              // no lower number is free
	staged    []int64            // numbers that the change under way took
	compared  bool               // whether the index on disk was looked at since a change was begun
	commits   Commits
}

func (w *sparseWriter) fresh() bool { return w.temp != "" }

// private tells that the directory, in which the lock is, has another name yet.
func (w *sparseWriter) private() bool { return w.fresh() }

// claim makes sure that the frame is as it was committed last. It claims nothing: what is staged
// are files of their own, and a commit makes sure by itself.
func (w *sparseWriter) claim(committed *state) error {
	if w.compared || w.fresh() {
		return nil
	}
	err := w.checkCurrent(committed)
	w.compared = err == nil
	return err
}

func (w *sparseWriter) unclaim() error {
	w.compared = false
	return nil
}

// checkCurrent fails with ErrConflict if the index on disk is not the one of the committed state.
func (w *sparseWriter) checkCurrent(committed *state) error {
	file, err := w.fs.Open(w.src.dir + "/" + sparseIndex)
	if err != nil {
		return err
	}
	_, err = currentHeader(file, committed)
	return errors.Join(err, file.Close())
}

// mine reports whether files that no state refers to are this writer's to remove. C-Blosc2 gives a
// new chunk the number that its index has not, so if it
// changed the frame without the lock, what was staged may be a chunk of its own by now.
func (w *sparseWriter) mine(committed *state) bool {
	return w.fresh() || w.checkCurrent(committed) == nil
}

func (w *sparseWriter) stage(c []byte) (int64, error) {
	for id := w.free; ; id++ {
		if w.taken(id) {
			continue
		}
		err := w.writeChunk(w.src.path(id), c)
		if errors.Is(err, fs.ErrExist) {
			// Left behind by a crash or by C-Blosc2, or another writer's: not ours to remove.
			w.foreign[id] = struct{}{}
			continue
		}
		if err != nil {
			return 0, err
		}
		w.src.seen.drop(id)
		w.used[id] = struct{}{}
		w.free = id + 1
		w.staged = append(w.staged, id)
		return id, nil
	}
}

func (w *sparseWriter) taken(id int64) bool {
	_, used := w.used[id]
	_, foreign := w.foreign[id]
	return used || foreign
}

// footer returns 0: footers are no part of what the header of a sparse frame counts.
func (w *sparseWriter) footer() int64 { return 0 }

// writeChunk makes the file of a chunk.
func (w *sparseWriter) writeChunk(name string, c []byte) error {
	if w.commits.Deterministic {
		return w.writeFile(name, c)
	}
	return w.writeFile(name, c, format.AppendFooter(nil, format.Checksum(c)))
}

// writeFile makes a file that consists of the given pieces.
func (w *sparseWriter) writeFile(name string, pieces ...[]byte) error {
	f, err := placing.CreateFor(w.fs, name, w.model)
	if err != nil {
		return err
	}
	err = placing.Inherit(w.fs, name, w.model)
	at := int64(0)
	for _, p := range pieces {
		if err == nil {
			_, err = f.WriteAt(p, at)
		}
		at += int64(len(p))
	}
	if err == nil && w.commits.syncs(Ordered) {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = w.fs.Remove(name) // no state refers to it; the next use of the number tries again
	}
	return err
}

func (w *sparseWriter) extent(v *state) int64 { return v.live }

// exact tells that the header of a sparse frame states what chunks have together.
func (w *sparseWriter) exact() bool { return true }

// moveBase does nothing: chunks do not lie behind the header.
func (w *sparseWriter) moveBase(*draft) {}

// wasteful returns false: files hold no dead bytes.
func (w *sparseWriter) wasteful(*state) bool { return false }

func (w *sparseWriter) untidy(v *state) bool {
	n, err := v.index.Stored()
	return err == nil && n < len(w.used) || w.unsettled(v)
}

// mark begins a change.
func (w *sparseWriter) mark() { w.staged = w.staged[:0] }

func (w *sparseWriter) undo(committed *state) {
	if len(w.staged) == 0 || !w.mine(committed) {
		return
	}
	for _, id := range w.staged {
		w.drop(id)
	}
}

// drop removes a file that nobody can see. Failure only leaks a file.
func (w *sparseWriter) drop(id int64) {
	if w.fs.Remove(w.src.path(id)) == nil {
		w.src.id.gone(id)
		delete(w.used, id)
		w.free = min(w.free, id)
	}
}

// sweep removes the files that v does not refer to, unless somebody may still read them.
func (w *sparseWriter) sweep(v *state, unwatched func() bool) {
	if n, err := v.index.Stored(); err != nil || n == len(w.used) || !unwatched() {
		return
	}
	keep, err := v.index.Entries()
	if err != nil {
		return
	}
	var dead []int64
	for id := range w.used {
		if _, ok := keep[id]; !ok {
			dead = append(dead, id)
		}
	}
	// Where a commit does not wait for its rename to be durable, a crash may bring back the index
	// before it, with these files.
	if w.commits.Durability == Ordered && len(dead) > 0 && w.fs.SyncDir(w.src.dir) != nil {
		return
	}
	if len(dead) > 0 && !w.mine(v) {
		return
	}
	slices.Sort(dead) // so that the same changes leave the same trace
	for _, id := range dead {
		w.drop(id)
	}
}

func (w *sparseWriter) close(bool) error { return nil }

func (w *sparseWriter) abandon() error { return w.fs.RemoveAll(w.temp) }

// renumber copies chunks whose numbers C-Blosc2 would refuse to lower ones, as far as such are
// free: it takes a number for an offset, and wants room for a chunk header between it and the size
// of all chunks together.
func (w *sparseWriter) renumber(ctx context.Context, v *draft) error {
	w.staged = w.staged[:0]
	if !w.unsettled(&v.state) {
		return nil
	}
	most := highestID(&v.state)
	for i := 0; i < v.index.Len() && w.lowFree(most); i++ {
		entry, err := v.index.At(i)
		if err != nil {
			return err
		}
		if entry <= most {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := v.fetch(nil, i, entry)
		if err != nil {
			return v.bare(i, entry, err)
		}
		id, err := w.stage(c.bytes)
		if err != nil {
			return err
		}
		if v.index, err = v.index.Set(i, id); err != nil {
			return err
		}
	}
	return nil
}

// highestID returns the highest number of a chunk file that C-Blosc2 takes in v.
func highestID(v *state) int64 { return v.live - chunk.HeaderSize }

// unsettled reports whether v has a number that is too high although a lower one is free.
func (w *sparseWriter) unsettled(v *state) bool {
	most := highestID(v)
	if !w.lowFree(most) {
		return false
	}
	for i := 0; i < v.index.Len(); i += v.index.Run(i) {
		if entry, err := v.index.At(i); err == nil && entry > most {
			return true
		}
	}
	return false
}

// lowFree reports whether a number up to most is free.
func (w *sparseWriter) lowFree(most int64) bool {
	for id := w.free; id <= most; id++ {
		if !w.taken(id) {
			return true
		}
	}
	return false
}
