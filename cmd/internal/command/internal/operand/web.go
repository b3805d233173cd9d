package operand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/alias"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/diskcache"
	"github.com/cairn-go/cairn/storage/httprange"
)

// Web opens URLs, or their names without secrets. Verbs open a file several times to find
// out what it is, so files stay open until the end.
type Web struct {
	*httprange.FS
	cached func() (*httprange.FS, error) // the one that opens files
	cache  *diskcache.Cache              // may be nil
	names  alias.Names
	mu     sync.Mutex
	open   map[string]*webFile // by name
}

// A webFile is a file that was opened, or why it cannot be: verbs try several formats.
type webFile struct {
	once sync.Once
	storage.File
	err error
}

// CacheVariable names the environment variable with the directory that keeps what is read from web
// servers.
const CacheVariable = "CAIRN_CACHE"

func newWeb(ctx context.Context, dir string) (*Web, error) {
	// Data repositories and release pages redirect to other hosts, which get no credentials.
	far, err := httprange.NewFS(ctx, &httprange.Options{OtherHosts: true})
	r := &Web{FS: far, open: map[string]*webFile{}}
	r.cached = sync.OnceValues(func() (*httprange.FS, error) {
		if dir == "" {
			return far, nil
		}
		var err error
		if r.cache, err = diskcache.Open(dir, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", CacheVariable, err)
		}
		return httprange.NewFS(ctx, &httprange.Options{Cache: r.cache, OtherHosts: true})
	})
	return r, err
}

// Close closes the connections, and the cache.
func (r *Web) Close() error {
	if r.cache == nil {
		return r.FS.Close()
	}
	cached, _ := r.cached() // there is a cache, so there was no error
	return errors.Join(r.FS.Close(), cached.Close(), r.cache.Close())
}

// Open opens a file, or returns the one that is open, or the error of the first attempt. Closing
// the result does nothing.
func (r *Web) Open(name string) (storage.File, error) {
	r.mu.Lock()
	f := r.open[name]
	if f == nil {
		f = &webFile{}
		r.open[name] = f
	}
	r.mu.Unlock()

	f.once.Do(func() {
		files, err := r.cached()
		if err != nil {
			f.err = err
			return
		}
		f.File, f.err = files.Open(r.names.Link(name))
	})
	if f.err != nil {
		return nil, f.err
	}
	return f.File, nil
}

// Stat opens a file, because it will be read, and returns its size.
func (r *Web) Stat(name string) (storage.Info, error) {
	if strings.HasSuffix(name, "/") {
		return r.FS.Stat(r.names.Link(name))
	}
	f, err := r.Open(name)
	if err != nil {
		return storage.Info{}, err
	}
	size, err := f.Size()
	return storage.Info{Name: name, Size: size}, err
}
