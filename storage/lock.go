package storage

import (
	"io/fs"
	"math"

	"github.com/cairn-go/cairn/internal/osfile"
)

// OpenLock opens a file for locking. It needs flock or LockFileEx, so it does not work on network
// file systems without them.
func (osFS) OpenLock(name string) (Lock, error) {
	f, err := osfile.OpenLock(name)
	if err != nil {
		return nil, err
	}
	return diskLock{diskFile{f}}, nil
}

type diskLock struct{ diskFile }

func (l diskLock) TryLock(exclusive bool) (bool, error) { return osfile.TryLock(l.File, exclusive) }
func (l diskLock) Unlock() error                        { return osfile.Unlock(l.File) }

// OpenLock opens a file for locking; see [Locker].
func (m *memory) OpenLock(name string) (Lock, error) {
	f, err := m.OpenRW(name)
	for err != nil {
		if f, err = m.Create(name); err == nil {
			break
		}
		if _, statErr := m.Stat(name); statErr != nil {
			return nil, err
		}
		f, err = m.OpenRW(name) // another goroutine created it
	}
	return &memoryLock{memoryFile: f.(*memoryFile)}, nil
}

// memoryLock is a handle on a lock in memory.
type memoryLock struct {
	*memoryFile
	has int // its share of buffer.holders
}

// alone is the number of holders of a file that is locked exclusively.
const alone = math.MaxInt

func (l *memoryLock) TryLock(exclusive bool) (bool, error) {
	if l.closed.Load() || l.has != 0 {
		return false, nameError("lock", l.name, fs.ErrInvalid)
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	switch {
	case exclusive && l.holders == 0:
		l.has = alone
	case !exclusive && l.holders < alone:
		l.has = 1
	}

	l.holders += l.has
	return l.has != 0, nil
}

func (l *memoryLock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holders, l.has = l.holders-l.has, 0
	return nil
}

func (l *memoryLock) Close() error {
	if err := l.memoryFile.Close(); err != nil {
		return err
	}
	return l.Unlock()
}
