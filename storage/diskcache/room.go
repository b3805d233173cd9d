package diskcache

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// store writes an extent under a temporary name, and gives it its own within the lock. So a file
// with its own name is complete unless the system itself went down, which the checksums tell. It
// reports whether the extent is kept.
func (c *Cache) store(ctx context.Context, v *version, e extent, data []byte) bool {
	head := e.head(v.key, data)
	size := charge(int64(len(head) + len(data)))
	if size > c.size {
		return false
	}

	temp := filepath.Join(c.dir, newName, rand.Text())
	keep := func() error {
		if err := c.write(temp, head, data); err != nil {
			return err
		}
		return c.locked(ctx, func() error { return c.enter(temp, v.index.path(e), size) })
	}

	if err := keep(); err != nil {
		_ = os.Remove(temp) // or Open removes it later
		c.failed.Add(1)
		return false
	}

	c.kept.Add(int64(len(data)))
	return true
}

// write writes a new file. It need not survive a power failure.
func (c *Cache) write(name string, parts ...[]byte) error {
	f, err := c.create(name)
	if err != nil {
		return err
	}

	for _, b := range parts {
		if _, err := f.Write(b); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// charge returns what a file counts: whole blocks of the disk.
func charge(n int64) int64 { return (n + 4095) &^ 4095 }

// How long the lock is waited for, how long nothing is kept afterwards, and the time between
// attempts. A process that was stopped within the lock must not slow down all others.
const (
	lockWait  = time.Second
	lockPause = 10 * time.Second
	lockStep  = time.Millisecond
)

var errBusy = errors.New("the cache is locked")

// locked calls do with the lock of the directory.
func (c *Cache) locked(ctx context.Context, do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	began := time.Now()

	switch {
	case c.closed:
		return fs.ErrClosed
	case began.Before(c.resume):
		return errBusy
	}

	for {
		ok, err := c.lock.TryLock(true)
		if ok {
			return errors.Join(do(), c.lock.Unlock())
		}

		if now := time.Now(); err == nil && now.Sub(began) > lockWait {
			c.resume = now.Add(lockPause)
			err = errBusy
		}

		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		time.Sleep(lockStep)
	}
}

// enter gives a file of so many bytes its name, and makes room for it. The total is written first:
// a process that is killed leaves a total that is too large, never one that is too small.
func (c *Cache) enter(temp, name string, size int64) error {
	total, ok := c.total()
	if !ok || total+size > c.size {
		total = c.makeRoom()
	}

	if _, err := os.Lstat(name); err == nil {
		return errors.Join(os.Remove(temp), c.setTotal(total)) // another process was faster
	}

	if err := c.setTotal(total + size); err != nil {
		return err
	}

	err := os.Rename(temp, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.Rename(temp, name)
}

// The total is in the lock file, behind the byte that is locked on Windows: 8 bytes and their
// CRC-32C, little-endian.
const totalAt = 8

// parseTotal returns the number of bytes that all files count.
func parseTotal(b [12]byte) (total int64, ok bool) {
	total = int64(binary.LittleEndian.Uint64(b[:]))
	return total, total >= 0 && binary.LittleEndian.Uint32(b[8:]) == checksum(b[:8])
}

func formatTotal(total int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(total))
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

func (c *Cache) total() (int64, bool) {
	var b [12]byte
	if n, _ := c.lock.ReadAt(b[:], totalAt); n < len(b) {
		return 0, false
	}
	return parseTotal(b)
}

func (c *Cache) setTotal(total int64) error {
	_, err := c.lock.WriteAt(formatTotal(total), totalAt)
	return err
}

// A file is a candidate for removal.
type file struct {
	path string
	size int64
	used time.Time
}

// makeRoom counts all files, and removes those that were used least recently until those that are
// being written fit as well, with an eighth to spare so that the next calls need not count. It
// returns the new total.
func (c *Cache) makeRoom() (total int64) {
	now := time.Now()
	size := c.sweep(now)
	var all []file
	folders, _ := os.ReadDir(c.dir)

	for _, d := range folders {
		if !d.IsDir() || d.Name() == newName {
			continue
		}
		inside := c.filesIn(d.Name(), now)
		for _, f := range inside {
			total += f.size
		}
		all = append(all, inside...)
	}

	if total+size <= c.size {
		return total
	}

	slices.SortFunc(all, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range all {
		if total+size <= c.size-c.size/8 {
			break
		}
		if os.Remove(f.path) == nil {
			total -= f.size
			c.removed.Add(1)
		}
	}
	return total
}

// filesIn returns the files in one of the directories. Those from the future count as old.
func (c *Cache) filesIn(name string, now time.Time) (all []file) {
	dir := filepath.Join(c.dir, name)
	for _, name := range namesIn(dir) {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() {
			continue
		}

		used := info.ModTime()
		if used.After(now.Add(time.Minute)) {
			used = time.Time{}
		}
		all = append(all, file{path, charge(info.Size()), used})
	}
	return all
}

// staleAfter is how old a file must be that nobody is still writing it. If somebody is, it is not
// kept.
const staleAfter = 10 * time.Second

// sweep removes what killed processes were writing, and returns the size of what others write.
func (c *Cache) sweep(now time.Time) (size int64) {
	for _, f := range c.filesIn(newName, now) {
		if now.Sub(f.used) < staleAfter || os.Remove(f.path) != nil {
			size += f.size
		}
	}
	return size
}
