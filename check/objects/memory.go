// Package objects has object stores in memory, which other processes reach over HTTP.
package objects

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

// A Memory is an object store in memory.
type Memory struct {
	mu      sync.Mutex
	objects map[string]object
	puts    int
	Blind   bool // it ignores conditions
}

type object struct {
	data     []byte // never changed
	version  string
	mark     string
	modified time.Time
}

// NewMemory returns a store without objects.
func NewMemory() *Memory { return &Memory{objects: map[string]object{}} }

func (m *Memory) find(key string) (object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	if !ok {
		return o, objectstore.Answered(http.StatusNotFound, "", "", "")
	}
	return o, nil
}

func (o *object) describe(key string) storage.Object {
	return storage.Object{Name: key, Size: int64(len(o.data)), Version: o.version, Modified: o.modified}
}

// Get returns a part of an object.
func (m *Memory) Get(
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

// Head describes an object.
func (m *Memory) Head(_ context.Context, key string) (storage.Object, string, error) {
	o, err := m.find(key)
	return o.describe(key), o.mark, err
}

// Put keeps data.
func (m *Memory) Put(_ context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	switch {
	case m.Blind:
	case when.Version != "" && !ok:
		return "", objectstore.Answered(http.StatusNotFound, "", "", "")
	case when.Absent && ok || when.Version != "" && when.Version != o.version:
		return "", objectstore.Answered(http.StatusPreconditionFailed, "", "", "")
	}
	m.puts++
	version := strconv.Itoa(m.puts)
	m.objects[key] = object{data: data, version: version, mark: mark, modified: time.Now()}
	return version, nil
}

// List returns all objects with a prefix.
func (m *Memory) List(_ context.Context, prefix, _ string) (page []storage.Object, next string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if o := m.objects[key]; strings.HasPrefix(key, prefix) {
			page = append(page, o.describe(key))
		}
	}
	return page, "", nil
}

// Delete removes an object.
func (m *Memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

// Count returns the number of objects of a kind.
func (m *Memory) Count(suffix string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.objects {
		if strings.HasSuffix(key, suffix) {
			n++
		}
	}
	return n
}
