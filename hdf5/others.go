package hdf5

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/storage"
)

// A LinkError is the error for a link into another file that may not be followed. It matches
// [cairn.ErrUnsupported].
type LinkError struct {
	Target string // the path in the other file
	File   string // as the link has it
	// Allowed are the folders of OpenOptions.Links, of which none has the file; nil if no file may
	// be opened.
	Allowed []string
	virtual bool
}

// Error says where the link leads.
func (e *LinkError) Error() string {
	what := "external link to"
	if e.virtual {
		what = "virtual dataset with items of"
	}

	text := fmt.Sprintf("%s %q in the file %q", what, e.Target, e.File)
	if e.Allowed == nil {
		return text + ", and no folder of other files is allowed"
	}
	return fmt.Sprintf("%s, which is not below %s", text, strings.Join(e.Allowed, " or "))
}

// Unwrap returns [cairn.ErrUnsupported].
func (e *LinkError) Unwrap() error { return cairn.ErrUnsupported }

// others are the files that links of a file lead to. They open when they are needed, and stay open
// until the file is closed, but for those whose descriptors others need.
type others struct {
	folders []string // as given
	roots   []root
	links   bool // of the file system of the operating system, which are resolved
	options OpenOptions
	first   *File // that has them

	mu    sync.Mutex
	files map[string]*File // by path
	open  []*otherFile     // with a descriptor, the last used one last
}

// A root is a folder below which files may be opened.
type root struct {
	path string // without links
	fsys storage.FS
}

// Bounds of other files.
const (
	mostOthers = 256 // files whose metadata is kept
	mostOpen   = 64  // descriptors
)

// newOthers returns the files that links of the file at a path may lead to; nil if there are none.
func newOthers(f *File, o *OpenOptions) (*others, error) {
	if len(o.Links) == 0 {
		return nil, nil
	}
	if o.Path == "" {
		return nil, errors.New("links into other files count from OpenOptions.Path, which is missing")
	}

	x := &others{folders: o.Links, options: *o, first: f, files: map[string]*File{}}
	if o.FS != nil && o.FS != storage.OS() {
		for _, folder := range o.Links {
			x.roots = append(x.roots, root{path.Clean(filepath.ToSlash(folder)), o.FS})
		}
		f.path = path.Clean(o.Path)
		x.files[f.path] = f
		return x, nil
	}

	x.links = true
	for _, folder := range o.Links {
		real, err := realPath(folder)
		if err != nil {
			return nil, err
		}
		x.roots = append(x.roots, root{real, storage.NoLinks(real)})
	}

	var err error
	f.path, err = realPath(o.Path)
	x.files[f.path] = f
	return x, err
}

// realPath returns the absolute path of something without links.
func realPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// close closes all descriptors.
func (x *others) close() error {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()

	var errs []error
	for _, o := range x.open {
		errs = append(errs, o.file.Close())
		o.file = nil
	}
	x.open = nil
	for _, f := range x.files {
		f.kept.Drop()
	}
	return errors.Join(errs...)
}

// other returns a file that a link of f names: one beside f or, if the name is absolute, there. If
// no such file exists, the error matches [fs.ErrNotExist].
func (f *File) other(name, target string, virtual bool) (*File, error) {
	x := f.others
	refused := &LinkError{Target: target, File: name, virtual: virtual}
	if x == nil {
		return nil, refused
	}

	// A file that has been moved together with those that it links to has them beside it.
	tries := []string{name}
	if !filepath.IsAbs(name) {
		tries[0] = filepath.Join(filepath.Dir(f.path), name)
	} else {
		tries = append(tries, filepath.Join(filepath.Dir(f.path), filepath.Base(name)))
	}

	for _, try := range tries {
		at, err := x.locate(try)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("%w: %v", refused, err)
		case at == nil:
			refused.Allowed = x.folders
			return nil, refused
		}
		return x.file(at)
	}
	return nil, fmt.Errorf("the file %q: %w", name, fs.ErrNotExist)
}

// locate returns the file at a path; nil if it is not below a root.
func (x *others) locate(name string) (*otherFile, error) {
	if x.links {
		var err error
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	} else {
		name = path.Clean(filepath.ToSlash(name))
	}

	for i := range x.roots {
		if p, err := filepath.Rel(x.roots[i].path, name); err == nil && filepath.IsLocal(p) {
			return &otherFile{others: x, fsys: x.roots[i].fsys, name: name}, nil
		}
	}
	return nil, nil
}

// file opens a file, unless it is open.
func (x *others) file(r *otherFile) (*File, error) {
	name := r.name
	x.mu.Lock()
	f := x.files[name]
	x.mu.Unlock()
	if f != nil {
		return f, nil
	}

	size, err := r.size()
	if err != nil {
		return nil, naming.Call("open", name, err)
	}

	o := x.options
	o.Links = nil
	o.Path = ""
	f, err = open(r, size, name, &o)
	if err != nil {
		return nil, naming.Call("open", name, err)
	}
	f.path = name
	f.others = x

	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.files[name]; known != nil {
		return known, nil
	}
	if len(x.files) >= mostOthers {
		x.files = map[string]*File{x.first.path: x.first}
	}
	x.files[name] = f
	return f, nil
}

// An otherFile reads a file by a descriptor that may be closed between reads.
type otherFile struct {
	others *others
	fsys   storage.FS
	name   string

	using sync.RWMutex // held for reads, and by who closes the descriptor
	file  storage.File // nil if there is no descriptor
}

// ReadAt implements [io.ReaderAt].
func (o *otherFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = o.with(func(f storage.File) error {
		n, err = f.ReadAt(p, off)
		return err
	})
	return n, err
}

func (o *otherFile) size() (n int64, err error) {
	err = o.with(func(f storage.File) error {
		n, err = f.Size()
		return err
	})
	return n, err
}

// with calls do with the open file.
func (o *otherFile) with(do func(f storage.File) error) error {
	for {
		o.using.RLock()
		if o.file != nil {
			defer o.using.RUnlock()
			return do(o.file)
		}
		o.using.RUnlock()
		if err := o.reopen(); err != nil {
			return err
		}
	}
}

// reopen opens the file, and closes one of the others if there are too many.
func (o *otherFile) reopen() error {
	f, err := o.fsys.Open(o.name)
	if err != nil {
		return err
	}

	x := o.others
	x.mu.Lock()
	defer x.mu.Unlock()
	o.using.Lock()
	defer o.using.Unlock()
	if o.file != nil {
		return f.Close()
	}

	o.file = f
	x.open = append(x.open, o)
	if len(x.open) <= mostOpen {
		return nil
	}

	oldest := x.open[0]
	x.open = x.open[1:]
	oldest.using.Lock()
	defer oldest.using.Unlock()
	err = oldest.file.Close()
	oldest.file = nil
	return err
}
