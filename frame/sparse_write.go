package frame

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"weak"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// sparseWriter changes a frame in a directory. A chunk gets a file of its own, whose number no chunk has that anybody can still see, and the
// index is replaced as a whole. Numbers are kept low, because C-Blosc2 refuses ones that are beyond the size of all chunks together.
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
	settings  settings

	mu     sync.Mutex
	handed []weak.Pointer[state] // states that somebody outside may have
}

func (w *sparseWriter) fresh() bool { return w.temp != "" }

func (w *sparseWriter) stage(c []byte) (int64, error) {
	for id := w.free; ; id++ {
		if w.taken(id) {
			continue
		}
		err := w.writeChunk(w.src.name(id), c)
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
	if w.settings.Deterministic {
		return w.writeFile(name, c)
	}
	return w.writeFile(name, c, appendFooter(nil, checksum(c)))
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
	if err == nil && w.settings.syncs(Ordered) {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = w.fs.Remove(name) // no state refers to it; the next use of the number tries again
	}
	return err
}

func (w *sparseWriter) extent(v *state) int64 { return v.live }

func (w *sparseWriter) wasteful(*state) bool { return false }

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

// drop removes a file that nobody can see. That it stays if this fails harms nobody.
func (w *sparseWriter) drop(id int64) {
	if w.fs.Remove(w.src.name(id)) == nil {
		w.src.id.gone(id)
		delete(w.used, id)
		w.free = min(w.free, id)
	}
}

// seen remembers v as long as somebody has it.
func (w *sparseWriter) seen(v *state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := weak.Make(v)
	if n := len(w.handed); n > 0 && w.handed[n-1] == p {
		return
	}
	if len(w.handed) == cap(w.handed) {
		w.forget()
	}
	w.handed = append(w.handed, p)
}

// forget drops the states that nobody has any more.
func (w *sparseWriter) forget() {
	w.handed = slices.DeleteFunc(w.handed, func(p weak.Pointer[state]) bool { return p.Value() == nil })
}

// sweep removes the files that v does not refer to, unless somebody may still read them.
func (w *sparseWriter) sweep(v *state, safe bool) {
	if n, err := v.index.Stored(); err != nil || n == len(w.used) || !safe || w.watched(v) {
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
	// Where a commit does not wait for its rename to be durable, a crash may bring back the index before it, with these files.
	if w.settings.Durability == Ordered && len(dead) > 0 && w.fs.SyncDir(w.src.dir) != nil {
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

// watched reports whether somebody has an older state than cur.
func (w *sparseWriter) watched(cur *state) bool {
	if cur.env.closed.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
	return slices.ContainsFunc(w.handed, func(p weak.Pointer[state]) bool {
		v := p.Value()
		return v != nil && v != cur
	})
}

func (w *sparseWriter) close(bool) error { return nil }

func (w *sparseWriter) abandon() error { return w.fs.RemoveAll(w.temp) }

func (w *sparseWriter) compact(ctx context.Context, lock *lockFile, committed, next *state) (*state, bool, error) {
	return w.commit(ctx, lock, committed, next)
}

// commit replaces the index file by one that describes next. Chunk files are durable by then, once their directory is.
func (w *sparseWriter) commit(ctx context.Context, lock *lockFile, committed, next *state) (*state, bool, error) {
	return w.alone(committed, func() (*state, bool, error) { return w.replaceIndex(ctx, lock, committed, next) })
}

func (w *sparseWriter) replaceIndex(ctx context.Context, lock *lockFile, committed, next *state) (*state, bool, error) {
	done := next.draft()
	done.head.cbytes = next.live
	if err := w.renumber(ctx, done); err != nil {
		return nil, false, err
	}
	p := done.env.borrowPacker()
	defer done.env.packers.Put(p)
	base := committed.head.frameLen
	if w.fresh() {
		base = 0
	}
	end, err := done.end(p, done.head.headerLen, base)
	if err != nil {
		return nil, false, err
	}
	content := append(done.header(), end...)
	if w.fresh() {
		fatal, err := w.name(content)
		return &done.state, fatal, err
	}
	temp := w.src.dir + "/" + sparseIndex + ".tmp"
	err = w.writeFile(temp, content)
	if errors.Is(err, fs.ErrExist) {
		// A crash came between writing and renaming it.
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
	err = lock.excludeReaders(ctx)
	if err == nil {
		err = w.fs.Rename(temp, w.src.dir+"/"+sparseIndex)
	}
	if err != nil {
		return nil, false, errors.Join(err, w.fs.Remove(temp))
	}
	if err := w.syncDir(w.src.dir, Full); err != nil {
		return nil, true, err
	}
	return &done.state, false, nil
}

// syncDir syncs a directory if a durability of at least d was asked for.
func (w *sparseWriter) syncDir(dir string, d Durability) error {
	if !w.settings.syncs(d) {
		return nil
	}
	if err := w.fs.SyncDir(dir); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// name writes the first index and gives the directory the frame's name.
func (w *sparseWriter) name(content []byte) (fatal bool, err error) {
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
	renamed, err := publish(w.fs, w.temp, w.path, w.overwrite, w.settings)
	if renamed {
		w.src.dir, w.temp, w.model = w.path, "", w.path+"/"+sparseIndex
	}
	return renamed && err != nil, err
}

// renumber copies chunks whose numbers C-Blosc2 would refuse to lower ones, as far as such are free: it takes a number for an
// offset, and wants room for a chunk header between it and the size of all chunks together.
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
		c, _, err := v.fetch(nil, i, entry)
		if err != nil {
			return v.bare(i, entry, err)
		}
		id, err := w.stage(c)
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
