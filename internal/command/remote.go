package command

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/httprange"
)

// isURL reports whether an operand is the URL of something on a web server.
func isURL(operand string) bool {
	return strings.HasPrefix(operand, "https://") || strings.HasPrefix(operand, "http://")
}

// splitURL is splitLeaf for a URL, whose host may have colons of its own.
func splitURL(link string) (name, key string, ok bool) {
	scheme, rest, _ := strings.Cut(link, "//")
	host, path, _ := strings.Cut(rest, "/")
	path, key, ok = strings.Cut(path, leafMark)
	if !ok {
		return link, "", false
	}
	return scheme + "//" + host + "/" + path, key, true
}

// A remoteFS opens URLs. Verbs open a file several times to find out what it is, so files stay open
// until the end.
type remoteFS struct {
	*httprange.FS
	mu   sync.Mutex
	open map[string]storage.File
}

func newRemoteFS(ctx context.Context) (*remoteFS, error) {
	far, err := httprange.NewFS(ctx, nil)
	return &remoteFS{FS: far, open: map[string]storage.File{}}, err
}

// Open opens a file, or returns the one that is open. Closing the result does nothing.
func (r *remoteFS) Open(name string) (storage.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.open[name]; f != nil {
		return f, nil
	}
	f, err := r.FS.Open(name)
	if err == nil {
		r.open[name] = f
	}
	return f, err
}

// Stat opens a file, because it will be read, and tells its size.
func (r *remoteFS) Stat(name string) (storage.Info, error) {
	if strings.HasSuffix(name, "/") {
		return r.FS.Stat(name)
	}
	f, err := r.Open(name)
	if err != nil {
		return storage.Info{}, err
	}
	size, err := f.Size()
	return storage.Info{Name: name, Size: size}, err
}

// files returns the file system that has an operand, or nil for that of the operating system.
func (std *streams) files(operand string) storage.FS {
	if isURL(operand) {
		return std.remote
	}
	return nil
}

// sizeFar returns the size of the file at a URL that was opened, and 0 for another operand.
func (std *streams) sizeFar(operand string) int64 {
	if !isURL(operand) {
		return 0
	}
	info, _ := std.remote.Stat(operand)
	return info.Size
}

// verifyMode says how chunks of an operand are compared with their checksums: over a network not by
// reading more than is needed.
func verifyMode(operand string) frame.VerifyMode {
	if isURL(operand) {
		return frame.VerifyWhole
	}
	return frame.VerifyOnFirstTouch
}

// lookFar is look for a URL. One that ends with a slash, or with .zarr, is a directory.
func (in *input) lookFar(std *streams) (*probe, error) {
	if strings.HasSuffix(in.path, "/") || strings.HasSuffix(in.path, ".zarr") {
		in.path, in.files = strings.TrimSuffix(in.path, "/")+"/", std.remote
		return std.remote.probeDir(in.path)
	}
	f, err := std.remote.Open(in.path)
	if err != nil {
		return nil, err
	}
	if in.size, err = f.Size(); err != nil {
		return nil, err
	}
	in.file = f
	return probeFile(in.name, f, in.size)
}

// probeDir looks for the files that tell the format of a directory, which cannot be listed.
func (r *remoteFS) probeDir(link string) (*probe, error) {
	p := &probe{name: link}
	for _, mark := range marks[1:] {
		_, err := r.Open(link + mark)
		if err == nil {
			p.entries = append(p.entries, mark)
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return p, nil
}
