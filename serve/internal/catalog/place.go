package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/osfile"
)

// limits of paths
const (
	maxPath  = 4096
	maxDepth = 64
)

// A place is where a path leads: to something in the file system, and to a key in that.
type place struct {
	root  *root
	file  []string    // elements below the root's folder
	key   string      // the rest of the path: of something in a tree
	info  fs.FileInfo // of the file or folder
	marks []string    // files that make a folder a frame, a Zarr store or a store
	isDir bool
}

// embedMark is in every directory that is a store.
const embedMark = "embed.b2e"

// at returns the path in the operating system.
func (p *place) at() string {
	return filepath.Join(append([]string{p.root.dir}, p.file...)...)
}

// name returns the path of the catalog, without the key.
func (p *place) name() string {
	if p.root.file != "" || len(p.file) == 0 {
		return p.root.name
	}
	return p.root.name + "/" + strings.Join(p.file, "/")
}

// isFolder reports whether it is a folder of files rather than a frame or a tree of arrays.
func (p *place) isFolder() bool { return p.isDir && len(p.marks) == 0 }

// isFrame reports whether it is a directory with a file per chunk.
func (p *place) isFrame() bool { return slices.Contains(p.marks, formats.Marks[0]) }

// isZarr reports whether it is a directory that is a Zarr store.
func (p *place) isZarr() bool {
	return !p.isFrame() && slices.ContainsFunc(formats.Marks[1:], func(m string) bool { return slices.Contains(p.marks, m) })
}

// validName reports whether an element of a path is served: it is visible, and stands for itself on
// every operating system.
func validName(elem string) bool {
	bad := func(r rune) bool { return r == '\\' || r == '/' || !unicode.IsPrint(r) && r != ' ' }
	return elem != "" && elem[0] != '.' && utf8.ValidString(elem) && !strings.ContainsFunc(elem, bad) &&
		filepath.IsLocal(elem)
}

// elements splits a path, or reports false for one that nothing can have.
func elements(path string) ([]string, bool) {
	if path == "" {
		return nil, true
	}

	elems := strings.Split(path, "/")
	if len(path) > maxPath || len(elems) > maxDepth {
		return nil, false
	}

	for _, elem := range elems {
		if !validName(elem) {
			return nil, false
		}
	}
	return elems, true
}

// find returns the place to which a path leads. Links, devices and the like do not exist.
func (c *Catalog) find(path string) (*place, error) {
	elems, ok := elements(path)
	if !ok || len(elems) == 0 {
		return nil, notFound(path)
	}

	r := c.rootNamed(elems[0])
	if r == nil {
		return nil, notFound(path)
	}

	p := &place{root: r}
	elems = elems[1:]
	if r.source != nil {
		p.key = strings.Join(elems, "/")
		return p, nil
	}

	d, err := osfile.OpenDir(r.dir)
	if err != nil {
		return nil, publicError(path, err)
	}

	if r.file != "" {
		elems = append([]string{r.file}, elems...)
	} else if p.info, err = os.Stat(r.dir); err == nil {
		p.isDir = true
		p.marks = marksOf(d)
	}

	for err == nil && len(elems) > 0 && (p.info == nil || p.isFolder()) {
		d, err = p.enter(d, elems[0])
		elems = elems[1:]
	}

	if d != nil {
		_ = d.Close()
	}

	p.key = strings.Join(elems, "/")
	return p, publicError(path, err)
}

// enter goes to an entry of a folder. It returns the folder to close.
func (p *place) enter(d *osfile.Dir, elem string) (*osfile.Dir, error) {
	info, err := d.Lstat(elem)
	if err != nil {
		return d, err
	}

	p.file, p.info, p.isDir = append(p.file, elem), info, info.IsDir()
	switch {
	case info.Mode().IsRegular():
		return d, nil
	case !info.IsDir():
		return d, fs.ErrNotExist
	}

	next, err := d.Dir(elem)
	if err != nil {
		return d, err
	}

	p.marks = marksOf(next)
	return next, d.Close()
}

// publicError hides from errors why something is not served, and where it is.
func publicError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return notFound(path)
}

// marksOf returns the files of a folder that tell what it is.
func marksOf(d *osfile.Dir) (found []string) {
	for _, mark := range append(slices.Clone(formats.Marks), embedMark) {
		if info, err := d.Lstat(mark); err == nil && info.Mode().IsRegular() {
			found = append(found, mark)
		}
	}
	return found
}

// folder opens the folder of a place.
func (p *place) folder() (*osfile.Dir, error) {
	d, err := osfile.OpenDir(p.root.dir)
	for _, elem := range p.file {
		if err != nil {
			return nil, err
		}
		next, failed := d.Dir(elem)
		_ = d.Close()
		d = next
		err = failed
	}
	return d, err
}

// open opens the file of a place.
func (p *place) open() (*os.File, error) {
	up := *p
	up.file = p.file[:len(p.file)-1]
	d, err := up.folder()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Open(p.file[len(p.file)-1], osfile.ReadOnly)
}
