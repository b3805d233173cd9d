package storage

import (
	"io/fs"

	"github.com/cairn-go/cairn/internal/osfile"
)

// OpenLock opens a file for locking. It works where the system has flock or LockFileEx, and not on
// network file systems that do not pass that on.
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

// lockState says who has the lock of a file in memory.
type lockState struct {
	shared    int
	exclusive bool
}

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
		f, err = m.OpenRW(name) // somebody else made it
	}
	file := f.(*memoryFile)
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.locks[file.buffer]
	if state == nil {
		state = &lockState{}
		m.locks[file.buffer] = state
	}
	return &memoryLock{memoryFile: file, fs: m, state: state}, nil
}

// memoryLock is a handle on a lock in memory.
type memoryLock struct {
	*memoryFile
	fs    *memory // whose mutex protects the state
	state *lockState
	has   int // 0 nothing, 1 shared, 2 exclusive
}

func (l *memoryLock) TryLock(exclusive bool) (bool, error) {
	if l.closed.Load() || l.has != 0 {
		return false, nameError("lock", l.name, fs.ErrInvalid)
	}
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.state.exclusive || exclusive && l.state.shared > 0 {
		return false, nil
	}
	if exclusive {
		l.state.exclusive, l.has = true, 2
	} else {
		l.state.shared++
		l.has = 1
	}
	return true, nil
}

func (l *memoryLock) Unlock() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	switch l.has {
	case 1:
		l.state.shared--
	case 2:
		l.state.exclusive = false
	}
	l.has = 0
	return nil
}

func (l *memoryLock) Close() error {
	if err := l.memoryFile.Close(); err != nil {
		return err
	}
	return l.Unlock()
}
