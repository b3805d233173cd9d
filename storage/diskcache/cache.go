// Package diskcache keeps ranges of remote files on disk, for all processes of a user.
//
// [Open] opens the directory of a cache. [Cache.Ranges] puts the cache before any
// [storage.RangeReader]; the option Cache of package httprange does it for files on web servers.
// What is kept belongs to one version of a file, so that a file that was replaced is read anew.
// docs/remote.md says what is asked of servers, and docs/decisions/0015-a-cache-on-disk.md why the
// cache is made as it is.
package diskcache

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/storage"
)

// Options are the options of [Open]. Zero fields have their defaults.
type Options struct {
	// Size is the maximum size of all files that are kept, 1 GiB by default: their bytes, rounded
	// up to 4 KiB each.
	Size int64
}

const defaultSize = 1 << 30

// A Cache is a directory with ranges of remote files. It is safe for concurrent use, and any number
// of processes may use the directory at the same time. The ranges that were used least recently are
// removed to make room, by whichever process needs it.
//
// A cache never makes a read fail. Files that are damaged are removed, and read as if they had
// never been there. If something cannot be kept, for example because the disk is full, Stats counts
// it.
type Cache struct {
	dir    string
	size   int64
	create func(name string) (io.WriteCloser, error) // for tests

	mu     sync.Mutex   // held with the lock
	lock   storage.Lock // of the directory
	closed bool
	resume time.Time // nothing is kept before, because the lock was not free

	read, fetched, kept, removed, damaged, failed atomic.Int64
}

// Stats says what a [Cache] has done in this process.
type Stats struct {
	Read    int64 // bytes read from the cache
	Fetched int64 // bytes read from sources, because the cache did not have them
	Kept    int64 // bytes stored in the cache
	Removed int64 // files removed to make room
	Damaged int64 // files removed because they were damaged
	Failed  int64 // ranges that could not be stored, such as on a full disk
}

// folder is the name of our directory in that of the caller. Another format gets another name.
const folder = "cairn-cache-1"

const (
	lockName = "lock"
	newName  = "new" // directory of files that are being written
)

// Open opens the cache in a directory, which is created if necessary, with permissions for its
// owner only. An existing directory is refused with fs.ErrPermission if it belongs to somebody else
// or if others may write to it. Locks are needed: on file systems without them the error matches
// errors.ErrUnsupported. o may be nil.
func Open(dir string, o *Options) (*Cache, error) {
	var size int64
	if o != nil {
		size = o.Size
	}
	if size < 0 {
		return nil, fmt.Errorf("diskcache: option Size is negative: %w", cairn.ErrBounds)
	}

	c := &Cache{dir: filepath.Join(dir, folder), size: cmp.Or(size, defaultSize), create: createFile}
	for _, d := range []string{dir, c.dir, filepath.Join(c.dir, newName)} {
		if err := makePrivate(d); err != nil {
			return nil, err
		}
	}

	lock, err := storage.OS().(storage.Locker).OpenLock(filepath.Join(c.dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("a cache needs locks: %w", err)
	}

	c.lock = lock
	c.sweep(time.Now())
	return c, nil
}

// makePrivate creates a directory, or checks that nobody else may write to it.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		err = errors.New("not a directory")
	case !osfile.Private(info):
		err = fmt.Errorf("others may change a cache here; use a directory of your own with permissions 0700: %w",
			fs.ErrPermission)
	default:
		return nil
	}
	return &fs.PathError{Op: "open", Path: dir, Err: err}
}

func createFile(name string) (io.WriteCloser, error) { return osfile.Open(name, osfile.Exclusive) }

// Stats returns what the cache has done in this process.
func (c *Cache) Stats() Stats {
	return Stats{Read: c.read.Load(), Fetched: c.fetched.Load(), Kept: c.kept.Load(), Removed: c.removed.Load(),
		Damaged: c.damaged.Load(), Failed: c.failed.Load()}
}

// Close closes the cache. What it keeps stays there. Files that are read through it are read
// further, but nothing more is kept.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.closed {
		return nil
	}
	c.closed = true
	return c.lock.Close()
}
