package storage

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// memory is a file system in memory. Its root directory always exists. Names are slash-separated
// and may begin with a slash. It is safe for concurrent use.
type memory struct {
	mu      sync.RWMutex
	entries map[string]*buffer // by cleaned name, without the root "."; nil for a directory

	clock atomic.Int64 // time of the last write; see tick
}

// NewMemory returns an empty file system.
func NewMemory() FS {
	return &memory{entries: map[string]*buffer{}}
}

// tick returns the time, in nanoseconds since 1970, later than at the last call.
func (m *memory) tick() int64 {
	for {
		last := m.clock.Load()
		now := max(time.Now().UnixNano(), last+1)
		if m.clock.CompareAndSwap(last, now) {
			return now
		}
	}
}

// clean returns the canonical form of a name, with "." for the root.
func clean(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
	if name == "" {
		return "."
	}
	return name
}

func nameError(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (m *memory) isDir(name string) bool { return m.taken(name) && m.entries[name] == nil }

func (m *memory) taken(name string) bool {
	_, there := m.entries[name]
	return there || name == "."
}

// Open opens a file for reading.
func (m *memory) Open(name string) (File, error) { return m.open("open", name, true) }

// OpenRW opens a file for reading and writing.
func (m *memory) OpenRW(name string) (File, error) { return m.open("open", name, false) }

func (m *memory) open(op, name string, readOnly bool) (File, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()

	key := clean(name)
	b := m.entries[key]
	if b == nil {
		if m.isDir(key) {
			return nil, nameError(op, name, fs.ErrInvalid)
		}
		return nil, nameError(op, name, fs.ErrNotExist)
	}
	b.handles.Add(1)
	return &memoryFile{buffer: b, fs: m, name: name, readOnly: readOnly}, nil
}

// Create creates an empty file.
func (m *memory) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	key := clean(name)
	if err := m.checkFree("create", name, key); err != nil {
		return nil, err
	}

	b := &buffer{}
	b.handles.Add(1)
	m.entries[key] = b
	return &memoryFile{buffer: b, fs: m, name: name}, nil
}

// checkFree fails if the name is taken or its parent is not a directory.
func (m *memory) checkFree(op, name, key string) error {
	if m.taken(key) {
		return nameError(op, name, fs.ErrExist)
	}
	if !m.isDir(path.Dir(key)) {
		return nameError(op, name, fs.ErrNotExist)
	}
	return nil
}

// Mkdir creates a directory. Its parent must exist.
func (m *memory) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	key := clean(name)
	if err := m.checkFree("mkdir", name, key); err != nil {
		return err
	}

	m.entries[key] = nil
	return nil
}

// Rename moves a file, replacing any file at newName, or moves a directory to a free name. Open
// handles stay valid.
func (m *memory) Rename(oldName, newName string) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	from := clean(oldName)
	to := clean(newName)

	b, there := m.entries[from]
	if !there {
		return nameError("rename", oldName, fs.ErrNotExist)
	}

	if err := m.checkFree("rename", newName, to); err != nil && (b == nil || m.entries[to] == nil) {
		return err
	}

	switch {
	case b != nil: // a file needs no search for entries below it
		delete(m.entries, from)
		m.entries[to] = b
	case strings.HasPrefix(to, from+"/"):
		return nameError("rename", newName, fs.ErrInvalid)
	default:
		m.move(from, to)
	}
	return nil
}

// Exchange swaps the names of two files or directories.
func (m *memory) Exchange(a, b string) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	from := clean(a)
	to := clean(b)

	for _, name := range []string{from, to} {
		if name == "." || !m.taken(name) {
			return nameError("exchange", name, fs.ErrNotExist)
		}
	}

	if strings.HasPrefix(to, from+"/") || strings.HasPrefix(from, to+"/") {
		return nameError("exchange", b, fs.ErrInvalid)
	}

	const free = "/" // not a valid key
	m.move(from, free)
	m.move(to, from)
	m.move(free, to)
	return nil
}

// below calls do for an entry and all entries below it, with the full name and the rest behind key.
func (m *memory) below(key string, do func(name, rest string)) {
	for name := range m.entries {
		if rest, ok := strings.CutPrefix(name, key); ok && (rest == "" || rest[0] == '/') {
			do(name, rest)
		}
	}
}

// move renames an entry and all entries below it.
func (m *memory) move(from, to string) {
	moved := map[string]*buffer{}
	m.below(from, func(name, rest string) {
		moved[to+rest] = m.entries[name]
		delete(m.entries, name)
	})
	maps.Copy(m.entries, moved)
}

// Remove removes a file or an empty directory. Open handles of a removed file keep working.
func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	key := clean(name)
	b, there := m.entries[key]

	switch {
	case !there:
		return nameError("remove", name, fs.ErrNotExist)
	case b == nil && len(m.list(key)) > 0:
		return nameError("remove", name, fs.ErrInvalid)
	}

	delete(m.entries, key)
	return nil
}

// RemoveAll removes a file or a directory tree.
func (m *memory) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	key := clean(name)
	if key == "." {
		clear(m.entries)
	}
	m.below(key, func(name, _ string) { delete(m.entries, name) })
	return nil
}

// Discard empties and removes all files. It must be called only when nobody uses them any longer,
// including through open handles. Memory lent by Slice stays valid; other memory is reused by any
// in-memory file system.
func (m *memory) Discard() {
	m.mu.Lock()
	defer m.mu.Unlock()

	for _, b := range m.entries {
		if b != nil {
			b.discard()
		}
	}
	clear(m.entries)
}

// ReadDir returns the entries of a directory, sorted by name.
func (m *memory) ReadDir(name string) ([]Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()

	key := clean(name)
	if !m.isDir(key) {
		return nil, nameError("readdir", name, fs.ErrNotExist)
	}
	return m.list(key), nil
}

func (m *memory) list(key string) []Info {
	var infos []Info
	for name, b := range m.entries {
		if path.Dir(name) == key {
			infos = append(infos, info(name, b))
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

func info(name string, b *buffer) Info {
	if b == nil {
		return Info{Name: path.Base(name), Dir: true}
	}
	return Info{Name: path.Base(name), Size: b.size()}
}

// Stat returns information about a file or directory.
func (m *memory) Stat(name string) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()

	key := clean(name)
	if !m.taken(key) {
		return Info{}, nameError("stat", name, fs.ErrNotExist)
	}
	return info(key, m.entries[key]), nil
}

// SyncDir only checks that the directory exists, since memory has no durable state.
func (m *memory) SyncDir(name string) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if !m.isDir(clean(name)) {
		return nameError("syncdir", name, fs.ErrNotExist)
	}
	return nil
}
