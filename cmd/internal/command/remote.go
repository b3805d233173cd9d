package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/alias"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/diskcache"
	"github.com/cairn-go/cairn/storage/httprange"
)

// isURL reports whether an operand is the URL of something on a web server.
func isURL(operand string) bool { return place.Of(operand).Kind == place.Web }

// isBucket reports whether an operand is the URL of something in a bucket.
func isBucket(operand string) bool { return place.Of(operand).Kind == place.Bucket }

// isFar reports whether an operand is a URL, of a web server or of a bucket.
func isFar(operand string) bool { return place.Of(operand).Far() }

// withoutSecrets replaces URLs among operands by names without credentials and queries, which is
// all that verbs know and print. An operand may be PATH, PATH::KEY or NAME=PATH. The values of meta
// are data.
func (std *streams) withoutSecrets(verb string, operands []string) []string {
	shown := slices.Clone(operands)
	for i, operand := range operands {
		name, link := "", operand
		if left, right, ok := strings.Cut(operand, "="); ok && isURL(right) && !isURL(operand) {
			name, link = left+"=", right
		}
		if !isURL(link) || verb == "meta" && i != 1 {
			continue
		}
		file, key, isLeaf := splitLeaf(link)
		if shown[i] = name + std.remote.names.Of(file); isLeaf {
			shown[i] += leafMark + key
		}
	}
	return shown
}

// A remoteFS opens URLs, or their names without secrets. Verbs open a file several times to find
// out what it is, so files stay open until the end.
type remoteFS struct {
	*httprange.FS
	cached func() (*httprange.FS, error) // the one that opens files
	cache  *diskcache.Cache              // may be nil
	names  alias.Names
	mu     sync.Mutex
	open   map[string]*remoteFile // by name
}

// A remoteFile is a file that was opened, or why it cannot be: verbs try several formats.
type remoteFile struct {
	once sync.Once
	storage.File
	err error
}

// cacheVariable names the environment variable with the directory that keeps what is read.
const cacheVariable = "CAIRN_CACHE"

func newRemoteFS(ctx context.Context) (*remoteFS, error) {
	// Data repositories and release pages redirect to other hosts, which get no credentials.
	far, err := httprange.NewFS(ctx, &httprange.Options{OtherHosts: true})
	r := &remoteFS{FS: far, open: map[string]*remoteFile{}}
	r.cached = sync.OnceValues(func() (*httprange.FS, error) {
		dir := os.Getenv(cacheVariable)
		if dir == "" {
			return far, nil
		}
		var err error
		if r.cache, err = diskcache.Open(dir, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", cacheVariable, err)
		}
		return httprange.NewFS(ctx, &httprange.Options{Cache: r.cache, OtherHosts: true})
	})
	return r, err
}

// Close closes the connections, and the cache.
func (r *remoteFS) Close() error {
	if r.cache == nil {
		return r.FS.Close()
	}
	cached, _ := r.cached() // there is a cache, so there was no error
	return errors.Join(r.FS.Close(), cached.Close(), r.cache.Close())
}

// Open opens a file, or returns the one that is open, or the error of the first attempt. Closing
// the result does nothing.
func (r *remoteFS) Open(name string) (storage.File, error) {
	r.mu.Lock()
	f := r.open[name]
	if f == nil {
		f = &remoteFile{}
		r.open[name] = f
	}
	r.mu.Unlock()

	f.once.Do(func() {
		var files *httprange.FS
		if files, f.err = r.cached(); f.err == nil {
			f.File, f.err = files.Open(r.names.Link(name))
		}
	})
	if f.err != nil {
		return nil, f.err
	}
	return f.File, nil
}

// Stat opens a file, because it will be read, and tells its size.
func (r *remoteFS) Stat(name string) (storage.Info, error) {
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

// files returns the file system that has an operand, or nil for that of the operating system.
func (std *streams) files(operand string) storage.FS {
	switch {
	case isURL(operand):
		return std.remote
	case isBucket(operand):
		return std.buckets.At(operand)
	}
	return nil
}

// sizeFar returns the size of what was opened at a URL, and 0 for another operand.
func (std *streams) sizeFar(operand string, opened *frame.Frame) int64 {
	switch mark, _ := std.lookInBucket(operand); {
	case !isFar(operand):
		return 0
	case mark == bucketurl.AFrame:
		return opened.Info().CBytes
	}
	info, _ := std.files(operand).Stat(operand)
	return info.Size
}

// here fails if a store is somewhere else, where it cannot be changed.
func here(name string) error {
	if isFar(name) {
		return fmt.Errorf("%s is not on this machine, and a store is changed in place; change a copy and copy "+
			"that: %w", name, cairn.ErrUnsupported)
	}
	return nil
}

// changeable returns the file system of a frame that will be changed, nil for that of the operating
// system.
func (std *streams) changeable(name string) (storage.FS, error) {
	if isURL(name) {
		return nil, fmt.Errorf("%s is on a web server, which only reads: %w", name, cairn.ErrReadOnly)
	}
	if !isBucket(name) {
		return nil, nil
	}
	if at, version := std.versionOf(name); version > 0 {
		return nil, fmt.Errorf("%s is an earlier version of %s, which stays as it is: %w", name, at, cairn.ErrReadOnly)
	}
	mark, err := std.lookInBucket(name)
	if err == nil && mark != bucketurl.AFrame {
		err = fmt.Errorf("%s is a file in a bucket, which is only replaced as a whole; 'cairn copy -sparse' makes an "+
			"array there that can be changed: %w", name, cairn.ErrReadOnly)
	}
	return std.files(name), err
}

// sparseIn returns the file system for a sparse output in a bucket, nil for any other.
func (std *streams) sparseIn(out string, sparse bool) storage.FS {
	if sparse && !isLeaf(out) && isBucket(out) {
		return std.files(out)
	}
	return nil
}

// writeInBucket runs write, which makes a frame in the layout of buckets, unless something else has
// the name.
func (std *streams) writeInBucket(out string, write func(path string) error) error {
	mark, err := std.lookInBucket(out)
	switch {
	case err == nil && mark != bucketurl.AFrame:
		return fmt.Errorf("%s is something else in the bucket; choose another name: %w", out, fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	defer std.buckets.Forget(out)
	return write(out)
}

// onDisk runs write with the path of an output on this machine. What becomes an object of a bucket,
// or several, is written to a temporary directory first.
func (std *streams) onDisk(ctx context.Context, out string, force bool, write func(path string) error) error {
	if isURL(out) {
		return usagef("%s: cannot write to a web server", out)
	}
	if !isBucket(out) {
		return write(out)
	}
	mark, err := std.lookInBucket(out)
	switch {
	case err == nil && !force:
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	case err == nil && mark != bucketurl.AnObject:
		return fmt.Errorf("%s has several objects in the bucket, which are not replaced; choose another name: %w", out,
			fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir, err := os.MkdirTemp("", "cairn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, path.Base(out))
	if err := write(path); err != nil {
		return err
	}
	return std.buckets.Upload(ctx, path, out, force)
}

// lookInBucket tells what is at a URL of a bucket, by the object that marks a folder. For another
// operand it returns bucketurl.AnObject.
func (std *streams) lookInBucket(operand string) (mark string, err error) {
	if !isBucket(operand) {
		return bucketurl.AnObject, nil
	}
	name, version := std.versionOf(operand)
	mark, err = std.buckets.At(name).Look(name)
	if err == nil && version > 0 && mark != bucketurl.AFrame {
		err = fmt.Errorf("%s has no versions: only arrays in the layout of buckets have: %w", name, cairn.ErrNotFound)
	}
	return mark, err
}

// versionOf splits URL@N, version N of an array in a bucket, unless there is an object of that
// name. For another operand the version is 0.
func (std *streams) versionOf(operand string) (name string, version int64) {
	if !isBucket(operand) {
		return operand, 0
	}
	return std.buckets.At(operand).Version(operand)
}

// verifyMode says how chunks of an operand are compared with their checksums: over a network not by
// reading more than is needed.
func verifyMode(operand string) frame.VerifyMode {
	if isFar(operand) {
		return frame.VerifyWhole
	}
	return frame.VerifyOnFirstTouch
}

// lookFar is look for a URL. One that ends with a slash, or with .zarr, is a directory, and one
// below a name that does may be.
func (in *input) lookFar(std *streams) (*formats.Probe, error) {
	mark, err := std.lookInBucket(in.Path)
	switch {
	case err != nil:
		return nil, err
	case mark != bucketurl.AnObject:
		in.Path, in.Files = strings.TrimSuffix(in.Path, "/")+"/", std.files(in.Path)
		return &formats.Probe{Name: in.Path, Entries: []string{mark}}, nil
	case isURL(in.Path) && strings.Contains(strings.TrimSuffix(in.Path, "/")+"/", ".zarr/"),
		isURL(in.Path) && strings.HasSuffix(in.Path, "/"):
		dir := strings.TrimSuffix(in.Path, "/") + "/"
		p, err := std.remote.probeDir(dir)
		named := strings.HasSuffix(in.Path, "/") || strings.HasSuffix(in.Path, ".zarr")
		switch {
		case err == nil && len(p.Entries) > 0:
			in.Path, in.Files = dir, std.remote
			return p, nil
		case named && (err == nil || errors.Is(err, fs.ErrPermission)):
			return nil, &foreignError{in.Name, cmp.Or(err, errNoMarks)}
		case err != nil && !errors.Is(err, fs.ErrPermission):
			return nil, err
		}
	}
	f, err := std.files(in.Path).Open(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Size, err = f.Size(); err != nil {
		return nil, err
	}
	in.File = f
	return formats.ProbeFile(in.Name, f, in.Size)
}

// errNoMarks is the error for a URL of a directory.
var errNoMarks = fmt.Errorf("there is no array, with none of the files %s, and web servers do not list what else is "+
	"there; give the URL of a file: %w", strings.Join(formats.Marks, ", "), fs.ErrNotExist)

// probeDir looks for the files that tell the format of a directory, which cannot be listed. Some
// servers refuse permission to read files that do not exist.
func (r *remoteFS) probeDir(link string) (*formats.Probe, error) {
	const usual = 1 // the mark of Zarr 3
	errs := make([]error, len(formats.Marks))
	try := func(i int) { _, errs[i] = r.Open(link + formats.Marks[i]) }
	if try(usual); errs[usual] == nil {
		return &formats.Probe{Name: link, Entries: []string{formats.Marks[usual]}}, nil
	}
	if !errors.Is(errs[usual], fs.ErrNotExist) && !errors.Is(errs[usual], fs.ErrPermission) {
		return nil, errs[usual]
	}

	var others sync.WaitGroup
	for i := range formats.Marks {
		if i != usual {
			others.Go(func() { try(i) })
		}
	}
	others.Wait()

	p := &formats.Probe{Name: link}
	var failed error
	for i, err := range errs {
		switch {
		case err == nil:
			p.Entries = append(p.Entries, formats.Marks[i])
		case !errors.Is(err, fs.ErrNotExist):
			failed = err
		}
	}
	if len(p.Entries) > 0 {
		failed = nil
	}
	return p, failed
}
