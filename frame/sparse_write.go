package frame

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// sparseWriter changes a frame in a directory. Each new chunk gets its own file, with a number that
// no chunk of a readable state has. A commit replaces the index as a whole. Numbers are kept low,
// because C-Blosc2 rejects numbers beyond the size of all chunks together.
type sparseWriter struct {
	fs        storage.FS
	path      string
	src       *sparse
	temp      string // name of the directory while the frame is fresh, then ""
	model     string // a file whose permissions new files get; it need not exist
	overwrite bool
	files     chunkFiles
	foreign   map[int64]struct{} // numbers of other files that were found when a number was chosen
	former    map[int64]struct{} // numbers of files that only the state before the last commit has
	free      int64              // all lower numbers are taken
	staged    []int64            // numbers used by the current change
	compared  bool               // the index on disk was checked in the current transaction
	commits   Commits
	out       gathering
}

func (w *sparseWriter) fresh() bool { return w.temp != "" }

// claim checks that the frame is as committed last. It needs no lock: staged chunks are new files,
// and a commit claims the index file.
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

// mayRemove reports whether this writer may remove files that no state refers to. C-Blosc2 gives a
// new chunk the first number that is not in its index. If it changed the frame without the lock, a
// staged file may now be a chunk of C-Blosc2.
func (w *sparseWriter) mayRemove(committed *state) bool {
	return w.fresh() || w.checkCurrent(committed) == nil
}

func (w *sparseWriter) stage(c [][]byte) (int64, error) {
	for id := w.free; ; id++ {
		if w.inUse(id) {
			continue
		}
		err := w.writeChunk(w.src.path(id), c)
		if errors.Is(err, fs.ErrExist) {
			// A crash, C-Blosc2 or another writer left the file. It must not be removed.
			w.foreign[id] = struct{}{}
			continue
		}
		if err != nil {
			return 0, err
		}
		w.src.chunks.verified.drop(id)
		w.files.add(id)
		w.free = id + 1
		w.staged = append(w.staged, id)
		return id, nil
	}
}

func (w *sparseWriter) inUse(id int64) bool {
	_, used := w.files.used[id]
	_, foreign := w.foreign[id]
	return used || foreign
}

// writeChunk creates the file of a chunk.
func (w *sparseWriter) writeChunk(name string, c [][]byte) error {
	if !w.commits.Deterministic {
		c = w.out.seal(c, checksum(c))
	}
	return w.writeFile(name, c...)
}

// writeFile creates a file from the given pieces.
func (w *sparseWriter) writeFile(name string, pieces ...[]byte) error {
	f, err := placing.CreateFor(w.fs, name, w.model)
	if err != nil {
		return err
	}
	if err := errors.Join(w.fill(f, name, pieces), f.Close()); err != nil {
		_ = w.fs.Remove(name) // no state refers to it; the next use of the number tries again
		return err
	}
	return nil
}

// fill writes the pieces to a new file and, if the durability of the frame asks for it, syncs it.
func (w *sparseWriter) fill(f storage.File, name string, pieces [][]byte) error {
	if err := placing.Inherit(w.fs, name, w.model); err != nil {
		return err
	}
	if err := w.out.write(f, pieces, 0); err != nil {
		return err
	}
	if !w.commits.syncs(Ordered) {
		return nil
	}
	return f.Sync()
}

func (w *sparseWriter) extent(v *state) int64 { return v.live }

func (w *sparseWriter) hasLeftovers(v *state) bool {
	_, err := w.files.follow(v.index)
	return err == nil && len(w.files.spare) > 0 || w.needsAnotherCommit(v)
}

func (w *sparseWriter) begin(context.Context) { w.staged = w.staged[:0] }

func (w *sparseWriter) undo(committed *state) {
	if len(w.staged) == 0 || !w.mayRemove(committed) {
		return
	}
	for _, id := range w.staged {
		w.drop(id)
	}
}

// drop removes an unreferenced file. Failure only leaks it.
func (w *sparseWriter) drop(id int64) {
	if w.fs.Remove(w.src.path(id)) == nil {
		w.src.chunks.id.changed(id)
		w.files.remove(id)
		w.free = min(w.free, id)
	}
}

func (w *sparseWriter) removes() bool { return true }

// sweep removes the files that v does not refer to, unless an older state may still be read.
func (w *sparseWriter) sweep(v *state, when occasion, noOldReaders func() bool) {
	dead := w.dead(v, when)
	if len(dead) == 0 || !noOldReaders() {
		return
	}
	// With Ordered, a commit does not wait until its rename is durable. After a crash, the previous
	// index may be back and need these files.
	if w.commits.Durability == Ordered && w.fs.SyncDir(w.src.dir) != nil {
		return
	}
	if !w.mayRemove(v) {
		return
	}
	for _, id := range dead {
		w.drop(id)
	}
}

// dead returns the numbers of the files to remove, sorted so that tests see the same operations. It
// returns none until there are enough for a batch.
func (w *sparseWriter) dead(v *state, when occasion) []int64 {
	left, err := w.files.follow(v.index)
	if err != nil {
		return nil
	}

	// C-Blosc2 would reject numbers that are any higher.
	if when == afterAll || w.files.highest >= highestID(v) {
		clear(w.former)
		return slices.Sorted(maps.Keys(w.files.spare))
	}
	if when == afterCommit {
		clear(w.former)
	}

	for _, id := range left {
		w.former[id] = struct{}{}
	}
	if len(w.files.spare)-len(w.former) <= mayWait(v) {
		return nil
	}

	var dead []int64
	for id := range w.files.spare {
		if _, former := w.former[id]; !former {
			dead = append(dead, id)
		}
	}
	slices.Sort(dead)
	return dead
}

// Files that nobody needs are removed in batches, as each time the index must be read to be sure of
// it. The files of a batch take at most batchBytes together.
const (
	batchFiles = 16
	batchBytes = 8 << 20
)

// mayWait returns how many files may wait for their removal until Close, besides those of the state
// before v.
func mayWait(v *state) int {
	count := int64(v.index.Len())
	mean := v.live / max(1, count)
	return int(min(batchFiles+count/64, batchBytes/max(1, mean)))
}

// close removes the directory of a fresh frame. No file is open between the changes.
func (w *sparseWriter) close(bool) error {
	if w.fresh() {
		return w.fs.RemoveAll(w.temp)
	}
	return nil
}

// renumber copies chunks whose numbers C-Blosc2 would reject to lower numbers, as far as these are
// free. C-Blosc2 checks a number as if it were an offset: it must leave room for a chunk header
// before the size of all chunks together.
func (w *sparseWriter) renumber(ctx context.Context, v *draft) error {
	w.staged = w.staged[:0]
	if !w.needsAnotherCommit(&v.state) {
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
			return v.inChunkUnnamed(i, entry, err)
		}

		id, err := w.stage([][]byte{c.bytes})
		if err != nil {
			return err
		}
		if v.index, err = v.index.Set(i, id); err != nil {
			return err
		}
	}

	return nil
}

// highestID returns the highest number of a chunk file that C-Blosc2 accepts in v.
func highestID(v *state) int64 { return v.live - chunk.HeaderSize }

// needsAnotherCommit reports whether v has a number that is too high while a lower one is free.
func (w *sparseWriter) needsAnotherCommit(v *state) bool {
	most := highestID(v)
	if w.files.highest <= most || !w.lowFree(most) {
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
		if !w.inUse(id) {
			return true
		}
	}
	return false
}
