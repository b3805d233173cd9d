package httprange

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// FS is a read-only file system whose names are URLs of scheme http or https. As the option FS of
// packages frame, ndarray, store, npy and zarr it lets their Open take a URL. A name that ends with
// a slash is a directory, such as a Zarr store: the files in it can be opened, but not listed.
// Files share connections. Methods that change something fail with [cairn.ErrReadOnly].
type FS struct {
	ctx       context.Context // of all requests
	o         Options
	transport http.RoundTripper
}

// NewFS returns a file system. The end of ctx ends opening files, Stat, and every read of the
// files, also those that have no context of their own. Credentials in o go to the host of each URL
// that is opened. o may be nil. Close must be called after its files are closed.
func NewFS(ctx context.Context, o *Options) (*FS, error) {
	all, err := o.withDefaults()
	if err != nil {
		return nil, err
	}

	f := &FS{ctx: ctx, o: all, transport: all.Transport}
	if f.transport == nil {
		f.transport = newTransport(all.Requests)
	}
	return f, nil
}

// Format writes the name of the type.
func (f *FS) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("httprange.FS")) }

// Close closes the connections, unless the caller provided the transport.
func (f *FS) Close() error {
	if own, ok := f.transport.(*http.Transport); ok && f.o.Transport == nil {
		own.CloseIdleConnections()
	}
	return nil
}

// Open opens the file at a URL.
func (f *FS) Open(name string) (storage.File, error) {
	shared := f.o
	shared.Transport = f.transport
	return Open(f.ctx, name, &shared)
}

// Stat describes a file by a request for its first byte, and a directory by its name.
func (f *FS) Stat(name string) (storage.Info, error) {
	shared := f.o
	shared.Transport = f.transport
	c, at, err := newClient(name, &shared)
	if err != nil {
		return storage.Info{}, err
	}

	info := storage.Info{Name: at.Path[strings.LastIndexByte(at.Path, '/')+1:]}
	if info.Name == "" {
		return storage.Info{Name: c.name, Dir: true}, nil
	}

	o, err := (&source{client: c, url: at}).Stat(f.ctx)
	if err != nil {
		return storage.Info{}, &fs.PathError{Op: "stat", Path: c.name, Err: err}
	}
	info.Size = o.Size
	return info, nil
}

// ReadDir fails: web servers do not list files.
func (f *FS) ReadDir(name string) ([]storage.Info, error) {
	err := fmt.Errorf("a web server does not list the files in a directory: %w", errors.ErrUnsupported)
	if at, failed := parse(name, &Options{}); failed == nil {
		name = nameOf(at)
	} else {
		name = "URL"
	}
	return nil, &fs.PathError{Op: "list", Path: name, Err: err}
}

// OpenRW fails.
func (f *FS) OpenRW(string) (storage.File, error) { return nil, cairn.ErrReadOnly }

// Create fails.
func (f *FS) Create(string) (storage.File, error) { return nil, cairn.ErrReadOnly }

// Mkdir fails.
func (f *FS) Mkdir(string) error { return cairn.ErrReadOnly }

// Rename fails.
func (f *FS) Rename(string, string) error { return cairn.ErrReadOnly }

// Remove fails.
func (f *FS) Remove(string) error { return cairn.ErrReadOnly }

// RemoveAll fails.
func (f *FS) RemoveAll(string) error { return cairn.ErrReadOnly }

// SyncDir fails.
func (f *FS) SyncDir(string) error { return cairn.ErrReadOnly }
