package frame

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// python-blosc2 answers queries from indexes and uses them until they are marked as stale. A commit
// that changes data therefore marks them: those of an array in the same commit; those of a table,
// which are in another file, in an earlier commit of that file (docs/format/indexes.md).

// outdate marks the indexes that next makes stale, and returns next with its own indexes marked.
// The caller holds the lock.
func (e *editor) outdate(next *state) (*state, error) {
	if !next.touched && !e.writer.fresh() {
		return next, nil
	}
	fail := func(err error) (*state, error) {
		return nil, fmt.Errorf("mark indexes of python-blosc2 as stale: %w", placing.Uncommitted(err))
	}
	marked, err := next.withStaleIndexes()
	if err != nil {
		return fail(err)
	}
	if err := e.outdateTable(); err != nil {
		return fail(err)
	}
	return marked, nil
}

// outdateTable marks the indexes and computed values of the tables to which the frame belongs as
// stale.
func (e *editor) outdateTable() error {
	if e.location == nil || inBucket(e.location.fs, e.location.path, cairn.Limits{}) != nil {
		return nil
	}
	if !e.tables.known {
		e.tables.known = true
		e.tables.parts = derived.Parts(e.location.whole())
	}
	for _, p := range e.tables.parts {
		if err := e.location.outdate(p, e.env.Commits); err != nil {
			return err
		}
	}
	return nil
}

// whole returns the path with slashes, absolute and with links resolved if possible.
func (p *frameLocation) whole() string {
	name := p.path
	if r, ok := p.fs.(storage.Replacer); ok {
		if dir, err := r.Resolve(filepath.Dir(name)); err == nil {
			name = filepath.Join(dir, filepath.Base(name))
		}
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
	}
	return filepath.ToSlash(name)
}

// claimPatience is how long a commit of one column waits for a commit of another column of the same
// table.
const claimPatience = 5 * time.Second

// outdate durably marks what python-blosc2 derived from a part of a table as stale.
func (p *frameLocation) outdate(part derived.Part, c Commits) error {
	name := part.Table + "/" + derived.Manifest + ".b2f"
	if info, err := p.fs.Stat(name); err != nil || info.Dir {
		return nil // not a table
	}
	for start, pause := time.Now(), time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := outdateManifest(p.fs, name, part, c)
		if !errors.Is(err, cairn.ErrConflict) || time.Since(start) > claimPatience {
			return err
		}
		time.Sleep(pause)
	}
}

func outdateManifest(fsys storage.FS, name string, part derived.Part, c Commits) error {
	f, err := Open(name, &OpenOptions{FS: fsys})
	if err != nil {
		return err
	}
	stale, err := part.Stale(f.VL)
	if err := errors.Join(err, f.Close()); err != nil || len(stale) == 0 {
		return err
	}

	f, err = Open(name, &OpenOptions{FS: fsys, Mode: ReadWrite, Commits: c})
	if err != nil {
		return err
	}
	stale, err = part.Stale(f.VL) // it may have changed meanwhile
	for _, l := range stale {
		err = errors.Join(err, f.SetVL(l.Name, l.Content))
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}
