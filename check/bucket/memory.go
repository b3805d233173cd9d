package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// A memory is an object store in memory.
type memory struct {
	mu      sync.Mutex
	objects map[string]memoryObject
	puts    int
	blind   bool // it ignores conditions
}

type memoryObject struct {
	data     []byte // never changed
	version  string
	mark     string
	modified time.Time
}

func newMemory() *memory { return &memory{objects: map[string]memoryObject{}} }

func (m *memory) find(key string) (memoryObject, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	if !ok {
		return o, objectstore.Answered(http.StatusNotFound, "", "", "")
	}
	return o, nil
}

func (o *memoryObject) describe(key string) storage.Object {
	return storage.Object{Name: key, Size: int64(len(o.data)), Version: o.version, Modified: o.modified}
}

func (m *memory) Get(
	_ context.Context, key, version string, off, length int64,
) (io.ReadCloser, storage.Object, error) {
	o, err := m.find(key)
	switch {
	case err != nil:
		return nil, storage.Object{}, err
	case version != "" && version != o.version:
		return nil, storage.Object{}, objectstore.Answered(http.StatusPreconditionFailed, "", "", "")
	case off >= int64(len(o.data)):
		return nil, storage.Object{}, objectstore.Answered(http.StatusRequestedRangeNotSatisfiable, "", "", "")
	}
	part := o.data[off:min(off+length, int64(len(o.data)))]
	return io.NopCloser(bytes.NewReader(part)), o.describe(key), nil
}

func (m *memory) Head(_ context.Context, key string) (storage.Object, string, error) {
	o, err := m.find(key)
	return o.describe(key), o.mark, err
}

// Put keeps data.
func (m *memory) Put(_ context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	switch {
	case m.blind:
	case when.Version != "" && !ok:
		return "", objectstore.Answered(http.StatusNotFound, "", "", "")
	case when.Absent && ok || when.Version != "" && when.Version != o.version:
		return "", objectstore.Answered(http.StatusPreconditionFailed, "", "", "")
	}
	m.puts++
	version := strconv.Itoa(m.puts)
	m.objects[key] = memoryObject{data: data, version: version, mark: mark, modified: time.Now()}
	return version, nil
}

func (m *memory) List(_ context.Context, prefix, _ string) (page []storage.Object, next string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if o := m.objects[key]; strings.HasPrefix(key, prefix) {
			page = append(page, o.describe(key))
		}
	}
	return page, "", nil
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

// count returns the number of objects of a kind.
func (m *memory) count(suffix string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.objects {
		if strings.HasSuffix(key, suffix) {
			n++
		}
	}
	return n
}
