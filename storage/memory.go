package storage

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// memory is a file system in memory. Its root directory exists from the start; names are
// slash-separated and may begin with a slash. It is safe for concurrent use.
type memory struct {
	mu    sync.RWMutex
	files map[string]*buffer // by cleaned name
	dirs  map[string]bool    // by cleaned name, the root "." not among them

	writes atomic.Int64 // so far
}

// NewMemory returns an empty file system.
func NewMemory() FS {
	return &memory{files: map[string]*buffer{}, dirs: map[string]bool{}}
}

// clean gives every spelling of a name one form, with "." for the root.
func clean(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
	if name == "" {
		return "."
	}
	return name
}

func nameError(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (m *memory) isDir(name string) bool { return name == "." || m.dirs[name] }

func (m *memory) taken(name string) bool { return m.isDir(name) || m.files[name] != nil }

// Open opens a file for reading.
func (m *memory) Open(name string) (File, error) { return m.open("open", name, true) }

// OpenRW opens a file for reading and writing.
func (m *memory) OpenRW(name string) (File, error) { return m.open("open", name, false) }

func (m *memory) open(op, name string, readOnly bool) (File, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	key := clean(name)
	b := m.files[key]
	if b == nil {
		if m.isDir(key) {
			return nil, nameError(op, name, fs.ErrInvalid)
		}
		return nil, nameError(op, name, fs.ErrNotExist)
	}
	return &memoryFile{buffer: b, fs: m, name: name, readOnly: readOnly}, nil
}

// Create makes a new, empty file.
func (m *memory) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := clean(name)
	if err := m.checkFree("create", name, key); err != nil {
		return nil, err
	}
	b := &buffer{}
	m.files[key] = b
	return &memoryFile{buffer: b, fs: m, name: name}, nil
}

// checkFree wants a free name in a directory that exists.
func (m *memory) checkFree(op, name, key string) error {
	if m.taken(key) {
		return nameError(op, name, fs.ErrExist)
	}
	if !m.isDir(path.Dir(key)) {
		return nameError(op, name, fs.ErrNotExist)
	}
	return nil
}

// Mkdir makes a directory in one that exists.
func (m *memory) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := clean(name)
	if err := m.checkFree("mkdir", name, key); err != nil {
		return err
	}
	m.dirs[key] = true
	return nil
}

// Rename moves a file, replacing a file of the new name, or a directory to a free name. Open
// handles keep what they have.
func (m *memory) Rename(oldName, newName string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to := clean(oldName), clean(newName)
	if b := m.files[from]; b != nil {
		if m.isDir(to) {
			return nameError("rename", newName, fs.ErrExist)
		}
		if !m.isDir(path.Dir(to)) {
			return nameError("rename", newName, fs.ErrNotExist)
		}
		delete(m.files, from)
		m.files[to] = b
		return nil
	}
	if !m.dirs[from] {
		return nameError("rename", oldName, fs.ErrNotExist)
	}
	if err := m.checkFree("rename", newName, to); err != nil {
		return err
	}
	if strings.HasPrefix(to, from+"/") {
		return nameError("rename", newName, fs.ErrInvalid)
	}
	moveTree(m.files, from, to)
	moveTree(m.dirs, from, to)
	return nil
}

// Exchange gives two files or directories each other's name.
func (m *memory) Exchange(a, b string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to := clean(a), clean(b)
	for _, name := range []string{from, to} {
		if m.files[name] == nil && !m.dirs[name] {
			return nameError("exchange", name, fs.ErrNotExist)
		}
	}
	if strings.HasPrefix(to, from+"/") || strings.HasPrefix(from, to+"/") {
		return nameError("exchange", b, fs.ErrInvalid)
	}
	const free = "/" // which no entry is called
	for _, step := range [][2]string{{from, free}, {to, from}, {free, to}} {
		moveTree(m.files, step[0], step[1])
		moveTree(m.dirs, step[0], step[1])
	}
	return nil
}

func moveTree[V any](entries map[string]V, from, to string) {
	moved := map[string]V{}
	for name, v := range entries {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			moved[to+rest] = v
			delete(entries, name)
		}
	}
	for name, v := range moved {
		entries[name] = v
	}
}

// Remove removes a file or an empty directory. Open handles of a removed file keep working.
func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := clean(name)
	if m.files[key] != nil {
		delete(m.files, key)
		return nil
	}
	if !m.dirs[key] {
		return nameError("remove", name, fs.ErrNotExist)
	}
	if len(m.list(key)) > 0 {
		return nameError("remove", name, fs.ErrInvalid)
	}
	delete(m.dirs, key)
	return nil
}

// RemoveAll removes a file or a tree.
func (m *memory) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := clean(name)
	for n := range m.files {
		if n == key || key == "." || strings.HasPrefix(n, key+"/") {
			delete(m.files, n)
		}
	}
	for n := range m.dirs {
		if n == key || key == "." || strings.HasPrefix(n, key+"/") {
			delete(m.dirs, n)
		}
	}
	return nil
}

// Discard empties all files and removes them, to be called when nobody needs them any more, open
// handles included. What Slice lent stays as it is. The rest of the memory is used again, by any
// file system in memory.
func (m *memory) Discard() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.files {
		b.discard()
	}
	clear(m.files)
	clear(m.dirs)
}

// ReadDir lists a directory, sorted by name.
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
	for n, b := range m.files {
		if path.Dir(n) == key {
			infos = append(infos, Info{Name: path.Base(n), Size: b.size()})
		}
	}
	for n := range m.dirs {
		if path.Dir(n) == key {
			infos = append(infos, Info{Name: path.Base(n), Dir: true})
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Stat says what a name stands for.
func (m *memory) Stat(name string) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	key := clean(name)
	if b := m.files[key]; b != nil {
		return Info{Name: path.Base(key), Size: b.size()}, nil
	}
	if m.isDir(key) {
		return Info{Name: path.Base(key), Dir: true}, nil
	}
	return Info{}, nameError("stat", name, fs.ErrNotExist)
}

// SyncDir does nothing but check that the directory exists: memory has no second state.
func (m *memory) SyncDir(name string) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if !m.isDir(clean(name)) {
		return nameError("syncdir", name, fs.ErrNotExist)
	}
	return nil
}
